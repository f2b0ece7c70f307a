//! What a conversion webhook costs: reviews of many Certificates, beside the same conversion by hand.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::costs::{build, versions_text};
use super::{Report, Result, least};
use crate::programs::{compiler, peer, run};

/// Arguments of the command.
#[derive(clap::Args)]
pub struct Args {
    /// How many objects a review has
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    objects: u32,
    /// How many reviews of one object are sent over TLS, one after another
    #[arg(long, value_name = "N", default_value_t = 5000, value_parser = clap::value_parser!(u32).range(100..=1_000_000))]
    requests: u32,
}

const PACKAGE: &str = "bench-webhook";

/// How often each side is timed, by turns.
const TURNS: usize = 7;

/// How many times more objects per second than by hand.
const BAR: f64 = 1.5;

/// One way to convert reviews.
struct Way {
    title: &'static str,
    /// The words before those that all programs take.
    words: &'static [&'static str],
    /// Nanoseconds for each object; the least of several runs.
    nanoseconds: f64,
    allocations: f64,
    /// Requested from the allocator for each object.
    bytes: f64,
}

/// Builds both programs, lets them answer the same reviews, and checks that the answers are the same.
pub fn measure(args: &Args) -> Result<Report> {
    let ours = build(PACKAGE, "hubgen", "webhook-hubgen")?;
    let theirs = build(PACKAGE, "serde_json", "webhook-serde_json")?;
    let way =
        |title, words| Way { title, words, nanoseconds: f64::NAN, allocations: f64::NAN, bytes: f64::NAN };
    let mut ways = [
        (&ours, way("hubgen", &[])),
        (&theirs, way("by hand, on serde_json's Value", &["value"])),
        (&theirs, way("by hand, with structs of serde", &["typed"])),
    ];
    let mut answers = Vec::new();
    for (program, way) in &mut ways {
        answers.push(answer(program, way)?);
        way.bytes = numbers(program, way, args.objects, &["bytes"])?[0] / f64::from(args.objects);
    }
    if answers.windows(2).any(|pair| pair[0] != pair[1]) {
        return Err("the programs convert a review differently".to_owned());
    }
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..TURNS {
        for ((program, way), times) in ways.iter_mut().zip(&mut times) {
            let found = numbers(program, way, args.objects, &["time", "20"])?;
            let each = |total: f64| total / 20.0 / f64::from(args.objects);
            times.push(each(found[0]));
            way.allocations = each(found[1]);
        }
    }
    for ((_, way), times) in ways.iter_mut().zip(&times) {
        way.nanoseconds = least(times);
    }
    let (out, _) = run(Command::new(&ours).args(["latency", &args.requests.to_string()]))?;
    let latency = parsed(&out, 2)?;
    let versions = json!({"compiler": compiler()?, "serde_json": peer("serde_json")?.version});
    Ok(report(&ways.map(|(_, way)| way), [latency[0], latency[1]], &versions))
}

fn answer(program: &Path, way: &Way) -> Result<Value> {
    let (out, _) = run(Command::new(program).args(way.words).args(["50", "answer"]))?;
    serde_json::from_str(&out).map_err(|error| format!("{}: {error}", way.title))
}

fn numbers(program: &Path, way: &Way, objects: u32, words: &[&str]) -> Result<Vec<f64>> {
    let mut command = Command::new(program);
    let (out, _) = run(command.args(way.words).arg(objects.to_string()).args(words))?;
    parsed(&out, words.len())
}

fn parsed(out: &str, count: usize) -> Result<Vec<f64>> {
    let numbers: Vec<f64> = out.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    if numbers.len() == count { Ok(numbers) } else { Err(format!("expected {count} numbers, found {out:?}")) }
}

fn report(ways: &[Way; 3], [median, high]: [f64; 2], versions: &Value) -> Report {
    let mut text = versions_text(versions);
    let _ = writeln!(
        text,
        "Certificates v1alpha2 → v1, for each object\n\n{:<32}{:>12}{:>14}{:>13}{:>9}{:>8}",
        "", "objects/s", "nanoseconds", "allocations", "bytes", "ratio"
    );
    let ours = ways[0].nanoseconds;
    let mut rows = Vec::new();
    for Way { title, nanoseconds, allocations, bytes, .. } in ways {
        let ratio = nanoseconds / ours;
        let _ = writeln!(
            text,
            "{title:<32}{:>12.0}{nanoseconds:>14.0}{allocations:>13.0}{bytes:>9.0}{ratio:>8.2}",
            1e9 / nanoseconds
        );
        rows.push(json!({
            "title": title, "nanoseconds": nanoseconds, "allocations": allocations, "bytes": bytes, "ratio": ratio,
        }));
    }
    let is_held = ways[1..].iter().all(|way| way.nanoseconds / ours >= BAR);
    let held = if is_held { "held" } else { "missed" };
    let [median, high] = [median, high].map(|nanoseconds| nanoseconds / 1e6);
    let _ = writeln!(
        text,
        "\nmore objects per second than by hand: bar {BAR} {held}\na review of one object over TLS: median {median:.2} ms, \
         99th percentile {high:.2} ms"
    );
    let latency = json!({"median_ms": median, "p99_ms": high});
    Report {
        text,
        json: json!({"versions": versions, "ways": rows, "bar": BAR, "held": is_held, "latency": latency}),
    }
}
