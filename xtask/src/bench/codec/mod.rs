//! What decoding, encoding and copying objects costs.

mod objects;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use self::objects::{Sample, samples};
use super::costs::{Cost, build, cost, valgrind, versions_text};
use super::{Report, Result};
use crate::programs::{compiler, peer, scratch};

/// Arguments of the command.
#[derive(clap::Args)]
pub struct Args {
    /// Measure this Pod, in compact JSON, instead of the committed ones
    #[arg(long, value_name = "FILE")]
    pod: Option<PathBuf>,
}

const OURS: &str = "hubgen";

/// What is measured: an operation in a format, beside a peer, and how much of
/// the peer's instructions it may take, whatever the object.
struct Measure {
    format: &'static str,
    operation: &'static str,
    peer: &'static str,
    bar: f64,
}

const MEASURES: [Measure; 5] = [
    Measure { format: "json", operation: "decode", peer: "k8s-openapi", bar: 0.5 },
    Measure { format: "json", operation: "encode", peer: "k8s-openapi", bar: 0.5 },
    Measure { format: "protobuf", operation: "decode", peer: "k8s-pb", bar: 0.7 },
    Measure { format: "protobuf", operation: "encode", peer: "k8s-pb", bar: 0.7 },
    Measure { format: "json", operation: "copy", peer: "k8s-openapi", bar: 0.5 },
];

/// Builds a program per peer and counts from outside what each operation
/// takes. Each result is dropped, and dropping it is counted.
pub fn measure(args: &Args) -> Result<Report> {
    let valgrind = valgrind();
    let program = |name: &str| build("bench-codec", name, &format!("codec-{name}"));
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
    for sample in samples(args.pod.as_deref())? {
        let protobuf = to_protobuf(&ours, &sample)?;
        let size = |path: &Path| fs::metadata(path).map_or(0, |metadata| metadata.len());
        let sizes = (size(&sample.json), size(&protobuf));
        let _ = writeln!(
            text,
            "\n{}: {} bytes of JSON, {} of protobuf\n{:<18}{:>14}{:>14}{:>8}{:>17}{:>8}  bar",
            sample.name, sizes.0, sizes.1, "", "instructions", "peer", "ratio", "allocations", "time"
        );
        for measure in &MEASURES {
            let file = if measure.format == "json" { &sample.json } else { &protobuf };
            let cost = |program: &Path| {
                let kind = format!("{}/{}", measure.format, sample.kind);
                let arguments = [kind.into(), file.clone().into(), measure.operation.into()];
                cost(program, &arguments, valgrind.is_some(), sample.runs)
            };
            let peer = &peers.iter().find(|(name, _)| *name == measure.peer).expect("all peers are built").1;
            let (ours, theirs) = (cost(&ours)?, cost(peer)?);
            rows.push(row(measure, &sample, ours, theirs, &mut text));
        }
        let arguments =
            [format!("json/{}", sample.kind).into(), sample.json.clone().into(), "copy-into".into()];
        let again = cost(&ours, &arguments, false, sample.runs)?;
        let _ = writeln!(text, "copy into a used target: {:.0} allocations", again.allocations);
        rows.push(json!({"object": sample.name, "operation": "copy-into", OURS: again.json()}));
    }
    let verdicts: Vec<bool> = rows.iter().filter_map(|row| row["held"].as_bool()).collect();
    let held = verdicts.iter().filter(|held| **held).count();
    let _ = writeln!(text, "\n{held} of {} rows reach their bar", verdicts.len());
    let json = json!({"versions": versions, "operations": rows, "held": held, "of": verdicts.len()});
    Ok(Report { text, json })
}

/// Writes the object in protobuf beside its JSON.
fn to_protobuf(program: &Path, sample: &Sample) -> Result<PathBuf> {
    let kind = format!("to-protobuf/{}", sample.kind);
    let output = Command::new(program)
        .arg(kind)
        .arg(&sample.json)
        .args(["show", "1"])
        .output()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    if !output.status.success() {
        return Err(format!("{}: {}", sample.json.display(), String::from_utf8_lossy(&output.stderr)));
    }
    let name = sample.json.file_stem().unwrap_or_default().to_string_lossy();
    let path = scratch().join("objects").join(format!("{name}.pb"));
    fs::write(&path, output.stdout).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}

fn row(measure: &Measure, sample: &Sample, ours: Cost, theirs: Cost, text: &mut String) -> Value {
    let time = ours.nanoseconds / theirs.nanoseconds;
    let ratio = ours.over(theirs);
    let count = |count: Option<f64>| count.map_or_else(|| "-".to_owned(), |count| format!("{count:.0}"));
    let held = ratio <= measure.bar;
    let verdict = format!("{} {}", measure.bar, if held { "held" } else { "missed" });
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
        "bar": measure.bar,
        "held": held,
    })
}
