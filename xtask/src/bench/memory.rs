//! How much memory an object of a cache takes.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::costs::{build, versions_text};
use super::objects::{self, NUMBER, PODS, pods_folder, to_protobuf};
use super::{Report, Result};
use crate::programs::{compiler, peer, run};

/// Arguments of the command.
#[derive(clap::Args)]
pub struct Args {
    /// How many objects a cache contains; of the large ConfigMap a hundredth
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(100..=100_000))]
    objects: u32,
}

const OURS: &str = "hubgen";

/// The formats that objects are decoded from, and the peer that decodes them.
const FORMATS: [(&str, &str); 2] = [("json", "k8s-openapi"), ("protobuf", "k8s-pb")];

/// How much of the peer's memory may be taken for Pods, and for other objects.
const POD_BAR: f64 = 0.35;
const BAR: f64 = 0.6;

/// An object in a file, which contains [`NUMBER`] where the objects of a cache differ.
struct Sample {
    /// The name that people read.
    name: &'static str,
    kind: &'static str,
    json: PathBuf,
    /// How many there are in the cache.
    count: u32,
    bar: f64,
}

/// Bytes per object, the struct included.
#[derive(Clone, Copy)]
struct Bytes {
    /// What was asked of the allocator. This is the published figure, as it is the same with every allocator.
    requested: f64,
    /// What the C library's allocator took for that; `None` where it does not tell.
    reserved: Option<f64>,
}

impl Bytes {
    fn json(self) -> Value {
        json!({"requested": self.requested, "reserved": self.reserved})
    }
}

/// Builds a program per peer; each decodes many objects and counts the bytes that they take.
pub fn measure(args: &Args) -> Result<Report> {
    let program = |name: &str| build("bench-codec", name, &format!("codec-{name}"));
    let ours = program(OURS)?;
    let peers = FORMATS.map(|(format, peer)| Ok((format, peer, program(peer)?)));
    let peers = peers.into_iter().collect::<Result<Vec<_>>>()?;
    let versions = json!({
        "compiler": compiler()?,
        "k8s-openapi": peer("k8s-openapi")?.version,
        "k8s-pb": peer("k8s-pb")?.version,
        "prost": peer("prost")?.version,
        "serde_json": peer("serde_json")?.version,
    });
    let mut text = versions_text(&versions);
    let _ = writeln!(
        text,
        "bytes per object of a cache of {}: requested from the allocator, and what it reserved\n\n\
         {:<34}{:<18}{:>10}{:>10}{:>7}{:>11}{:>10}{:>7}  bar of requested",
        args.objects, "", "from, beside", "requested", "peer", "ratio", "reserved", "peer", "ratio"
    );
    let mut rows = Vec::new();
    for sample in samples(args.objects)? {
        for (format, peer, theirs) in &peers {
            let file = match *format {
                "json" => sample.json.clone(),
                _ => to_protobuf(&ours, sample.kind, &sample.json)?,
            };
            let bytes =
                |program: &Path| bytes(program, &format!("{format}/{}", sample.kind), &file, sample.count);
            rows.push(row(&sample, (format, peer), bytes(&ours)?, bytes(theirs)?, &mut text));
        }
    }
    let held = rows.iter().filter(|row| row["held"] == true).count();
    let _ = writeln!(text, "\n{held} of {} rows reach their bar", rows.len());
    let json =
        json!({"versions": versions, "objects": args.objects, "rows": rows, "held": held, "of": rows.len()});
    Ok(Report { text, json })
}

/// All samples. Names, uids, resource versions, addresses, ids of containers and the content of ConfigMaps differ
/// between objects; the rest is the same, as in a cache of replicas.
fn samples(count: u32) -> Result<Vec<Sample>> {
    let mut samples = Vec::new();
    for (name, file) in PODS {
        let mut pod = objects::read(&pods_folder().join(format!("{file}.json")))?;
        for path in POD_NUMBERS {
            number(pod.pointer_mut(path));
        }
        let json = objects::write(&format!("cache-{file}"), &pod)?;
        samples.push(Sample { name, kind: "Pod", json, count, bar: POD_BAR });
    }
    let mut node = objects::node();
    node["metadata"]["name"] = format!("node-{NUMBER}.eu-central-1.example.com").into();
    node["metadata"]["uid"] = format!("8b6f3f4e-1d2a-4c7e-9f35-2a9d4e1{NUMBER}").into();
    node["metadata"]["resourceVersion"] = format!("482{NUMBER}").into();
    let mut large = objects::config_map();
    large["metadata"]["name"] = format!("large-{NUMBER}").into();
    large["data"]
        .as_object_mut()
        .into_iter()
        .flat_map(|data| data.values_mut())
        .for_each(|file| number(Some(file)));
    let built = [
        ("Node with 100 images", "Node", "node", node, count),
        ("ConfigMap of 1 KB", "ConfigMap", "small-config-map", objects::small_config_map(), count),
        ("ConfigMap of 900 KB", "ConfigMap", "large-config-map", large, count.div_ceil(100)),
        ("EndpointSlice with 10 endpoints", "EndpointSlice", "slice-10", objects::endpoint_slice(10), count),
        (
            "EndpointSlice with 100 endpoints",
            "EndpointSlice",
            "slice-100",
            objects::endpoint_slice(100),
            count,
        ),
    ];
    for (name, kind, file, object, count) in built {
        let json = objects::write(&format!("cache-{file}"), &object)?;
        samples.push(Sample { name, kind, json, count, bar: BAR });
    }
    Ok(samples)
}

/// What differs between Pods.
const POD_NUMBERS: [&str; 6] = [
    "/metadata/name",
    "/metadata/uid",
    "/metadata/resourceVersion",
    "/status/podIP",
    "/status/podIPs/0/ip",
    "/status/containerStatuses/0/containerID",
];

/// Numbers a text at its end, so that its length stays the same.
fn number(text: Option<&mut Value>) {
    if let Some(Value::String(text)) = text
        && let Some(start) = text.len().checked_sub(NUMBER.len())
        && text.is_char_boundary(start)
    {
        text.replace_range(start.., NUMBER);
    }
}

/// Decodes so many objects in a program, which tells how many bytes they take.
fn bytes(program: &Path, kind: &str, file: &Path, count: u32) -> Result<Bytes> {
    let mut command = Command::new(program);
    let (out, _) = run(command.arg(kind).arg(file).args(["cache", &count.to_string()]))?;
    let words: Vec<&str> = out.split_whitespace().collect();
    let each = |word: &str| Some(word.parse::<f64>().ok()? / f64::from(count));
    match words[..] {
        [requested, reserved] => {
            each(requested).map(|requested| Bytes { requested, reserved: each(reserved) })
        }
        _ => None,
    }
    .ok_or_else(|| format!("{command:?}: expected bytes requested and reserved, found {out:?}"))
}

fn row(
    sample: &Sample,
    (format, peer): (&str, &str),
    ours: Bytes,
    theirs: Bytes,
    text: &mut String,
) -> Value {
    let ratio = ours.requested / theirs.requested;
    let held = ratio <= sample.bar;
    let reserved_ratio = ours.reserved.zip(theirs.reserved).map(|(ours, theirs)| ours / theirs);
    let shown = |bytes: Option<f64>| bytes.map_or_else(|| "-".to_owned(), |bytes| format!("{bytes:.0}"));
    let _ = writeln!(
        text,
        "{:<34}{:<18}{:>10}{:>10}{ratio:>7.2}{:>11}{:>10}{:>7}  {} {}",
        sample.name,
        format!("{format}, {peer}").replace("protobuf", "pb"),
        shown(Some(ours.requested)),
        shown(Some(theirs.requested)),
        shown(ours.reserved),
        shown(theirs.reserved),
        reserved_ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}")),
        sample.bar,
        if held { "held" } else { "missed" }
    );
    json!({
        "object": sample.name,
        "count": sample.count,
        "format": format,
        "peer": peer,
        OURS: ours.json(),
        peer: theirs.json(),
        "ratio": ratio,
        "reserved_ratio": reserved_ratio,
        "bar": sample.bar,
        "held": held,
    })
}
