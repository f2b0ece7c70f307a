//! What decoding, encoding and copying an object costs.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::programs::{cargo, compiler, peer, root, run, scratch};
use super::{Report, Result, least};

/// Arguments of the command.
#[derive(clap::Args)]
pub struct Args {
    /// Another Pod than the one that is committed, as compact JSON.
    #[arg(long)]
    pod: Option<PathBuf>,
}

const OURS: &str = "hubgen";
const PEER: &str = "k8s-openapi";

/// The operations, and how much of the peer's instructions each may take.
const BARS: [(&str, f64); 3] = [("decode", 0.7), ("encode", 0.7), ("copy", 0.8)];

/// What one operation costs.
struct Cost {
    /// `None` without valgrind.
    instructions: Option<f64>,
    allocations: f64,
    nanoseconds: f64,
}

/// Builds a program per peer and counts from outside what each operation
/// takes. Each result is dropped, and dropping it is counted.
pub fn measure(args: &Args) -> Result<Report> {
    let manifest = root().join("benches/Cargo.toml");
    for name in [OURS, PEER] {
        let mut command = cargo();
        command.args([
            "build",
            "--release",
            "--locked",
            "--features",
            name,
            "--bin",
            &program(name),
            "--manifest-path",
        ]);
        run(command.arg(&manifest).env("CARGO_TARGET_DIR", scratch()))?;
    }
    let pod = args.pod.clone().unwrap_or_else(|| root().join("benches/codec/pod.json"));
    let valgrind =
        run(Command::new("valgrind").arg("--version")).ok().map(|(version, _)| version.trim().to_owned());
    let costs = [OURS, PEER]
        .into_iter()
        .map(|name| Ok((name, costs(name, &pod, valgrind.is_some())?)))
        .collect::<Result<BTreeMap<_, _>>>()?;
    let versions = json!({
        "compiler": compiler()?,
        "k8s-openapi": peer(PEER)?.version,
        "serde_json": peer("serde_json")?.version,
        "valgrind": valgrind,
    });
    let size = std::fs::metadata(&pod).map_err(|error| format!("{}: {error}", pod.display()))?.len();
    Ok(report(&costs, &versions, size))
}

fn program(name: &str) -> String {
    format!("codec-{name}")
}

fn costs(name: &str, pod: &Path, valgrind: bool) -> Result<BTreeMap<&'static str, Cost>> {
    let program = scratch().join("release").join(program(name));
    let mut costs = BTreeMap::new();
    for (operation, _) in BARS {
        let arguments = |count: u32| [pod.as_os_str().to_owned(), operation.into(), count.to_string().into()];
        // Twice as many less as many: reading the file and starting cancel out.
        let instructions = if valgrind {
            let collected = |count| {
                callgrind(Command::new("valgrind").args(CALLGRIND).arg(&program).args(arguments(count)))
            };
            Some((collected(400)? - collected(200)?) / 200.0)
        } else {
            None
        };
        let mut times = Vec::new();
        let mut allocations = 0.0;
        for _ in 0..5 {
            const COUNT: u32 = 5000;
            let (out, _) = run(Command::new(&program).args(arguments(COUNT)))?;
            let mut numbers = out.split_whitespace().filter_map(|word| word.parse::<f64>().ok());
            let (Some(time), Some(count)) = (numbers.next(), numbers.next()) else {
                return Err(format!("{}: expected two numbers, found {out:?}", program.display()));
            };
            times.push(time / f64::from(COUNT));
            allocations = count / f64::from(COUNT);
        }
        costs.insert(operation, Cost { instructions, allocations, nanoseconds: least(&times) });
    }
    Ok(costs)
}

const CALLGRIND: [&str; 2] = ["--tool=callgrind", "--callgrind-out-file=/dev/null"];

/// The instructions of a run under callgrind, which tells them at the end.
fn callgrind(command: &mut Command) -> Result<f64> {
    let (_, err) = run(command)?;
    err.lines()
        .find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok())
        .ok_or_else(|| format!("{command:?}: expected a line `Collected : …`, found\n{err}"))
}

fn report(costs: &BTreeMap<&str, BTreeMap<&str, Cost>>, versions: &Value, size: u64) -> Report {
    let mut text = String::new();
    for (name, version) in versions.as_object().into_iter().flatten() {
        match version.as_str() {
            // The compiler says its own name.
            Some(version) if version.starts_with(name.as_str()) || name == "compiler" => text += version,
            Some(version) => text += &format!("{name} {version}"),
            None => text += &format!("{name} is not installed: ratios of time instead of instructions"),
        }
        text += "\n";
    }
    let _ = writeln!(
        text,
        "a Pod of {size} bytes, ours over {PEER}'s\n\n{:<8}{:>14}{:>10}{:>8}{:>13}{:>8}  bar",
        "", "instructions", PEER, "ratio", "allocations", "time"
    );
    let mut rows = serde_json::Map::new();
    for (operation, bar) in BARS {
        let (ours, theirs) = (&costs[OURS][operation], &costs[PEER][operation]);
        let time = ours.nanoseconds / theirs.nanoseconds;
        let instructions = ours.instructions.zip(theirs.instructions);
        let ratio = instructions.map_or(time, |(ours, theirs)| ours / theirs);
        let count = |count: Option<f64>| count.map_or_else(|| "-".to_owned(), |count| format!("{count:.0}"));
        let held = if ratio <= bar { "held" } else { "missed" };
        let _ = writeln!(
            text,
            "{operation:<8}{:>14}{:>10}{ratio:>8.2}{:>13}{time:>8.2}  {bar} {held}",
            count(ours.instructions),
            count(theirs.instructions),
            format!("{:.0}/{:.0}", ours.allocations, theirs.allocations),
        );
        let side = |cost: &Cost| json!({"instructions": cost.instructions, "allocations": cost.allocations, "nanoseconds": cost.nanoseconds});
        rows.insert(
            operation.to_owned(),
            json!({
                OURS: side(ours),
                PEER: side(theirs),
                "ratio": ratio,
                "time_ratio": time,
                "bar": bar,
                "held": ratio <= bar,
            }),
        );
    }
    Report { text, json: json!({"versions": versions, "bytes": size, "operations": rows}) }
}
