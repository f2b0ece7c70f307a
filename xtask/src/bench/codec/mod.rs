//! What decoding, encoding and copying objects costs.

mod budget;
mod check;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::costs::{Cost, build, cost, valgrind, versions_text};
use super::objects::{self, PODS, pods_folder, to_protobuf};
use super::{Report, Result};
use crate::programs::{compiler, peer};

/// Arguments of the command.
#[derive(clap::Args)]
pub struct Args {
    /// Measure this Pod, in compact JSON, instead of the committed ones
    #[arg(long, value_name = "FILE")]
    pod: Option<PathBuf>,
    /// Count our side only, and compare with benches/codec/counts.json
    #[arg(long, conflicts_with_all = ["pod", "accept"])]
    check: bool,
    /// Count our side only, and write benches/codec/counts.json
    #[arg(long, conflicts_with = "pod")]
    accept: bool,
}

const OURS: &str = "hubgen";

/// What is measured: an operation in a format, beside a peer.
struct Measure {
    format: &'static str,
    operation: &'static str,
    peer: &'static str,
}

const MEASURES: [Measure; 5] = [
    Measure { format: "json", operation: "decode", peer: "k8s-openapi" },
    Measure { format: "json", operation: "encode", peer: "k8s-openapi" },
    Measure { format: "protobuf", operation: "decode", peer: "k8s-pb" },
    Measure { format: "protobuf", operation: "encode", peer: "k8s-pb" },
    Measure { format: "json", operation: "copy", peer: "k8s-openapi" },
];

/// How much of the peer's instructions each of [`MEASURES`] may take.
type Bars = [f64; MEASURES.len()];

/// Pods and lists of them, of which caches consist.
const POD_BARS: Bars = [0.5, 0.5, 0.65, 0.7, 0.5];
/// Objects with many small parts.
const PARTS_BARS: Bars = [0.8; MEASURES.len()];
/// Objects of large texts, which both sides only move.
const TEXT_BARS: Bars = [1.0; MEASURES.len()];

/// Copies into an object of the same sizes, which has no peer.
const COPY_INTO: &str = "copy-into";

/// An object in a file.
struct Sample {
    /// The name that people read.
    name: String,
    /// `PodList`.
    kind: &'static str,
    /// Its compact JSON.
    json: PathBuf,
    /// How often an operation is repeated to be counted.
    runs: u32,
    bars: Bars,
}

/// All samples: the committed Pods, or `pod` in place of them, and the larger
/// objects, which are written to the scratch folder.
fn samples(pod: Option<&Path>) -> Result<Vec<Sample>> {
    let sample =
        |name: &str, json| Sample { name: name.to_owned(), kind: "Pod", json, runs: 200, bars: POD_BARS };
    let mut samples = match pod {
        Some(path) => vec![sample(&format!("Pod of {}", path.display()), path.to_owned())],
        None => PODS.map(|(name, file)| sample(name, pods_folder().join(format!("{file}.json")))).into(),
    };
    let in_list = objects::read(&samples[0].json)?;
    let built = [
        ("ConfigMap of 900 KB", "ConfigMap", objects::config_map(), 4, TEXT_BARS),
        ("Node with 100 images", "Node", objects::node(), 50, PARTS_BARS),
        ("list of 500 pods", "PodList", objects::pods(&in_list), 2, POD_BARS),
        ("CRD of 300 KB", "CustomResourceDefinition", objects::definition(), 4, PARTS_BARS),
    ];
    for (name, kind, object, runs, bars) in built {
        let json = objects::write(kind, &object)?;
        samples.push(Sample { name: name.to_owned(), kind, json, runs, bars });
    }
    Ok(samples)
}

/// A program of `benches/codec`.
fn program(name: &str) -> Result<PathBuf> {
    build("bench-codec", name, &format!("codec-{name}"))
}

/// Measures beside the peers, or only compares counts.
pub fn measure(args: &Args) -> Result<Report> {
    match args {
        Args { check: true, .. } => check::check(),
        Args { accept: true, .. } => check::accept(),
        Args { pod, .. } => beside_peers(pod.as_deref()),
    }
}

/// Builds a program per peer and counts from outside what each operation
/// takes. Each result is dropped, and dropping it is counted.
fn beside_peers(pod: Option<&Path>) -> Result<Report> {
    let valgrind = valgrind();
    let ours = program(OURS)?;
    let peers = ["k8s-openapi", "k8s-pb"].map(|name| Ok((name, program(name)?)));
    let peers = peers.into_iter().collect::<Result<Vec<_>>>()?;
    let versions = json!({
        "compiler": compiler()?,
        "k8s-openapi": peer("k8s-openapi")?.version,
        "k8s-pb": peer("k8s-pb")?.version,
        "prost": peer("prost")?.version,
        "serde_json": peer("serde_json")?.version,
        "valgrind": valgrind,
    });
    let mut text = versions_text(&versions);
    let mut rows = Vec::new();
    for sample in samples(pod)? {
        let protobuf = to_protobuf(&ours, sample.kind, &sample.json)?;
        let size = |path: &Path| fs::metadata(path).map_or(0, |metadata| metadata.len());
        let sizes = (size(&sample.json), size(&protobuf));
        let _ = writeln!(
            text,
            "\n{}: {} bytes of JSON, {} of protobuf\n{:<18}{:>14}{:>14}{:>8}{:>17}{:>8}  bar",
            sample.name, sizes.0, sizes.1, "", "instructions", "peer", "ratio", "allocations", "time"
        );
        for (measure, bar) in MEASURES.iter().zip(sample.bars) {
            let file = if measure.format == "json" { &sample.json } else { &protobuf };
            let cost = |program: &Path| {
                let kind = format!("{}/{}", measure.format, sample.kind);
                let arguments = [kind.into(), file.clone().into(), measure.operation.into()];
                cost(program, &arguments, valgrind.is_some(), sample.runs)
            };
            let peer = &peers.iter().find(|(name, _)| *name == measure.peer).expect("all peers are built").1;
            let (ours, theirs) = (cost(&ours)?, cost(peer)?);
            rows.push(row(measure, bar, &sample, ours, theirs, &mut text));
        }
        let arguments =
            [format!("json/{}", sample.kind).into(), sample.json.clone().into(), COPY_INTO.into()];
        let again = cost(&ours, &arguments, false, sample.runs)?;
        let _ = writeln!(text, "copy into a used target: {:.0} allocations", again.allocations);
        rows.push(json!({"object": sample.name, "operation": COPY_INTO, OURS: again.json()}));
    }
    let verdicts: Vec<bool> = rows.iter().filter_map(|row| row["held"].as_bool()).collect();
    let held = verdicts.iter().filter(|held| **held).count();
    let _ = writeln!(text, "\n{held} of {} rows reach their bar", verdicts.len());
    let json = json!({"versions": versions, "operations": rows, "held": held, "of": verdicts.len()});
    Ok(Report { text, json })
}

fn row(measure: &Measure, bar: f64, sample: &Sample, ours: Cost, theirs: Cost, text: &mut String) -> Value {
    let time = ours.nanoseconds / theirs.nanoseconds;
    let ratio = ours.over(theirs);
    let count = |count: Option<f64>| count.map_or_else(|| "-".to_owned(), |count| format!("{count:.0}"));
    let held = ratio <= bar;
    let verdict = format!("{bar} {}", if held { "held" } else { "missed" });
    let _ = writeln!(
        text,
        "{:<18}{:>14}{:>14}{ratio:>8.2}{:>17}{time:>8.2}  {verdict}",
        format!("{} {}", measure.format, measure.operation),
        count(ours.instructions),
        count(theirs.instructions),
        format!("{:.0}/{:.0}", ours.allocations, theirs.allocations),
    );
    json!({
        "object": sample.name,
        "format": measure.format,
        "operation": measure.operation,
        "peer": measure.peer,
        OURS: ours.json(),
        measure.peer: theirs.json(),
        "ratio": ratio,
        "time_ratio": time,
        "bar": bar,
        "held": held,
    })
}
