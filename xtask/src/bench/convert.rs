//! What converting an object costs, beside reading and writing it once with
//! serde_json; and what a long list takes beyond itself.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::costs::{Cost, build, cost, valgrind, versions_text};
use super::{Report, Result};
use crate::programs::{compiler, peer, root, run};

/// Arguments of the command.
#[derive(clap::Args)]
pub struct Args {
    /// How many items the long list has
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    items: u32,
}

const PACKAGE: &str = "bench-convert";

/// The conversions: what the program calls them, what they are, and the file
/// that each begins with.
const PAIRS: [(&str, &str, &str); 4] = [
    ("deployment", "Deployment extensions/v1beta1 → apps/v1", "deployment.json"),
    ("identical", "Deployment extensions/v1beta1 → apps/v1beta1", "deployment.json"),
    ("hpa-up", "HorizontalPodAutoscaler v1 → v2", "hpa-v1.json"),
    ("hpa-down", "HorizontalPodAutoscaler v2 → v1", "hpa-v2.json"),
];

/// The pair whose versions agree: it allocates nothing.
const IDENTICAL: &str = "identical";

/// The short list, in items. A longer one takes no more beyond itself.
const FEW: u32 = 100;

/// One conversion and its peers.
struct Row {
    pair: &'static str,
    title: &'static str,
    /// To the hub and to the other version.
    convert: Cost,
    /// From the bytes of the one to the bytes of the other.
    whole: Cost,
    /// Read and written again by serde_json, of no type.
    value: Cost,
    /// The same, as k8s-openapi's type.
    typed: Cost,
}

/// What a list took.
struct List {
    items: u32,
    /// Bytes of the list itself.
    input: u64,
    /// The most bytes in use at once beyond it.
    peak: u64,
}

/// Builds both programs, counts from outside what each conversion takes, and
/// lets the allocator of ours say what lists take.
pub fn measure(args: &Args) -> Result<Report> {
    let ours = build(PACKAGE, "hubgen", "convert-hubgen")?;
    let theirs = build(PACKAGE, "serde_json", "convert-serde_json")?;
    let valgrind = valgrind();
    let has_valgrind = valgrind.is_some();
    let mut rows = Vec::new();
    for (pair, title, file) in PAIRS {
        let path = file_of(file);
        let of = |program: &Path, words: &[&str]| {
            let words = words.iter().map(OsString::from);
            let arguments: Vec<OsString> = [path.clone().into_os_string()].into_iter().chain(words).collect();
            cost(program, &arguments, has_valgrind, 200)
        };
        rows.push(Row {
            pair,
            title,
            // The copy that each conversion begins with is not its own.
            convert: of(&ours, &[pair, "convert"])?.without(of(&ours, &[pair, "copy"])?),
            whole: of(&ours, &[pair, "whole"])?,
            value: of(&theirs, &["value"])?,
            typed: of(&theirs, &[pair])?,
        });
    }
    let lists = [FEW, args.items].map(|items| list(&ours, items));
    let lists = lists.into_iter().collect::<Result<Vec<_>>>()?;
    let versions = json!({
        "compiler": compiler()?,
        "k8s-openapi": peer("k8s-openapi")?.version,
        "serde_json": peer("serde_json")?.version,
        "valgrind": valgrind,
    });
    Ok(report(&rows, &lists, &versions))
}

fn file_of(name: &str) -> PathBuf {
    root().join("benches/convert").join(name)
}

/// A list whose items are converted one after the other.
fn list(program: &Path, items: u32) -> Result<List> {
    let mut command = Command::new(program);
    command.arg(file_of("deployment.json")).args(["deployment", "list", &items.to_string()]);
    let (out, _) = run(&mut command)?;
    let numbers: Vec<u64> = out.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    match numbers[..] {
        [peak, input, _] => Ok(List { items, input, peak }),
        _ => Err(format!("{command:?}: expected three numbers, found {out:?}")),
    }
}

fn report(rows: &[Row], lists: &[List], versions: &Value) -> Report {
    let mut text = versions_text(versions);
    let _ = writeln!(
        text,
        "instructions, and ours over one trip through serde_json\n\n{:<46}{:>9}{:>13}{:>11}{:>11}{:>11}{:>12}{:>11}",
        "", "convert", "allocations", "of Value", "of a type", "with JSON", "of Value", "of a type",
    );
    let count = |cost: Cost| cost.instructions.map_or_else(|| "-".to_owned(), |count| format!("{count:.0}"));
    let mut json_rows = serde_json::Map::new();
    for Row { pair, title, convert, whole, value, typed } in rows {
        let _ = writeln!(
            text,
            "{title:<46}{:>9}{:>13.0}{:>11.3}{:>11.3}{:>11}{:>12.2}{:>11.2}",
            count(*convert),
            convert.allocations,
            convert.over(*value),
            convert.over(*typed),
            count(*whole),
            whole.over(*value),
            whole.over(*typed),
        );
        json_rows.insert(
            (*pair).to_owned(),
            json!({
                "title": title,
                "convert": convert.json(),
                "whole": whole.json(),
                "value": value.json(),
                "typed": typed.json(),
                "ratio": convert.over(*value),
                "typed_ratio": convert.over(*typed),
                "whole_ratio": whole.over(*value),
                "whole_typed_ratio": whole.over(*typed),
            }),
        );
    }
    let held = |held: bool| if held { "held" } else { "missed" };
    let allocations =
        rows.iter().find(|row| row.pair == IDENTICAL).map_or(f64::NAN, |row| row.convert.allocations);
    let _ = writeln!(
        text,
        "\nversions that agree: {allocations:.0} allocations, bar 0 {}",
        held(allocations == 0.0)
    );
    for List { items, input, peak } in lists {
        let _ = writeln!(text, "a list of {items} objects, {input} bytes: {peak} bytes beyond it at most");
    }
    let peaks: Vec<u64> = lists.iter().map(|list| list.peak).collect();
    let is_constant = peaks.windows(2).all(|pair| pair[0] == pair[1]);
    let _ = writeln!(text, "memory for a longer list: bar none {}", held(is_constant));
    let lists: Vec<Value> = lists
        .iter()
        .map(|List { items, input, peak }| json!({"items": items, "bytes": input, "peak": peak}))
        .collect();
    let json = json!({
        "versions": versions,
        "conversions": json_rows,
        "identical": {"allocations": allocations, "bar": 0, "held": allocations == 0.0},
        "lists": {"sizes": lists, "held": is_constant},
    });
    Report { text, json }
}
