//! What decoding, encoding and copying an object costs.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::costs::{Cost, build, cost, valgrind, versions_text};
use super::programs::{compiler, peer, root};
use super::{Report, Result};

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

/// Builds a program per peer and counts from outside what each operation
/// takes. Each result is dropped, and dropping it is counted.
pub fn measure(args: &Args) -> Result<Report> {
    let pod = args.pod.clone().unwrap_or_else(|| root().join("benches/codec/pod.json"));
    let valgrind = valgrind();
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

fn costs(name: &str, pod: &Path, valgrind: bool) -> Result<BTreeMap<&'static str, Cost>> {
    let program = build("bench-codec", name, &format!("codec-{name}"))?;
    BARS.into_iter()
        .map(|(operation, _)| {
            Ok((operation, cost(&program, &[pod.as_os_str().to_owned(), operation.into()], valgrind)?))
        })
        .collect()
}

fn report(costs: &BTreeMap<&str, BTreeMap<&str, Cost>>, versions: &Value, size: u64) -> Report {
    let mut text = versions_text(versions);
    let _ = writeln!(
        text,
        "a Pod of {size} bytes, ours over {PEER}'s\n\n{:<8}{:>14}{:>10}{:>8}{:>13}{:>8}  bar",
        "", "instructions", PEER, "ratio", "allocations", "time"
    );
    let mut rows = serde_json::Map::new();
    for (operation, bar) in BARS {
        let (ours, theirs) = (&costs[OURS][operation], &costs[PEER][operation]);
        let time = ours.nanoseconds / theirs.nanoseconds;
        let ratio = ours.over(*theirs);
        let count = |count: Option<f64>| count.map_or_else(|| "-".to_owned(), |count| format!("{count:.0}"));
        let held = if ratio <= bar { "held" } else { "missed" };
        let _ = writeln!(
            text,
            "{operation:<8}{:>14}{:>10}{ratio:>8.2}{:>13}{time:>8.2}  {bar} {held}",
            count(ours.instructions),
            count(theirs.instructions),
            format!("{:.0}/{:.0}", ours.allocations, theirs.allocations),
        );
        rows.insert(
            operation.to_owned(),
            json!({
                OURS: ours.json(),
                PEER: theirs.json(),
                "ratio": ratio,
                "time_ratio": time,
                "bar": bar,
                "held": ratio <= bar,
            }),
        );
    }
    Report { text, json: json!({"versions": versions, "bytes": size, "operations": rows}) }
}
