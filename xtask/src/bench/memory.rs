//! How much memory an object of a cache takes.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::costs::{build, versions_text};
use super::objects::{self, GROUP, NUMBER, PODS, pods_folder, to_protobuf};
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

/// An object in a file, which contains [`NUMBER`] or [`GROUP`] where the objects of a cache differ.
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
         {:<34}{:<18}{:>10}{:>10}{:>7}{:>10}{:>7}{:>11}{:>10}{:>7}  bar of requested",
        args.objects,
        "",
        "from, beside",
        "requested",
        "peer",
        "ratio",
        "interned",
        "ratio",
        "reserved",
        "peer",
        "ratio"
    );
    let mut rows = Vec::new();
    for sample in samples(args.objects)? {
        for (format, peer, theirs) in &peers {
            let file = match *format {
                "json" => sample.json.clone(),
                _ => to_protobuf(&ours, sample.kind, &sample.json)?,
            };
            let kind = format!("{format}/{}", sample.kind);
            let bytes =
                |program: &Path, operation: &str| bytes(program, &kind, &file, operation, sample.count);
            let all = [bytes(&ours, "cache")?, bytes(&ours, "interned")?, bytes(theirs, "cache")?];
            rows.push(row(&sample, (format, peer), all, &mut text));
        }
    }
    let held = rows.iter().filter(|row| row["held"] == true).count();
    let _ = writeln!(text, "\n{held} of {} rows reach their bar", rows.len());
    let json =
        json!({"versions": versions, "objects": args.objects, "rows": rows, "held": held, "of": rows.len()});
    Ok(Report { text, json })
}

/// All samples. Names, uids, resource versions, addresses, ids of containers and the content of ConfigMaps differ
/// between objects. The Pods are those of 500 applications, each with its own images, labels and `managedFields`. The
/// rest is the same, which only matters to objects that share their texts.
fn samples(count: u32) -> Result<Vec<Sample>> {
    let mut samples = Vec::new();
    for (name, file) in PODS {
        let mut pod = objects::read(&pods_folder().join(format!("{file}.json")))?;
        // All texts with the name of the application differ between applications: images, labels, `managedFields`.
        // The address of the Pod is in `managedFields`, too.
        replace(&mut pod, "checkout", &format!("che{GROUP}"))?;
        if let Some(ip) = pod.pointer("/status/podIP").and_then(Value::as_str).map(str::to_owned) {
            let mut numbered = Value::from(ip.clone());
            mark(Some(&mut numbered), NUMBER);
            replace(&mut pod, &ip, numbered.as_str().unwrap_or_default())?;
        }
        for path in POD_NUMBERS {
            mark(pod.pointer_mut(path), NUMBER);
        }
        for path in POD_GROUPS {
            mark(pod.pointer_mut(path), GROUP);
        }
        let json = objects::write(&format!("cache-{file}"), &pod)?;
        samples.push(Sample { name, kind: "Pod", json, count, bar: POD_BAR });
    }
    let mut node = objects::node();
    node["metadata"]["name"] = format!("node-{NUMBER}.eu-central-1.example.com").into();
    node["metadata"]["uid"] = format!("8b6f3f4e-1d2a-4c7e-9f35-2a9d4e1{NUMBER}").into();
    node["metadata"]["resourceVersion"] = format!("482{NUMBER}").into();
    // Half of the images are on all nodes, the others on twenty.
    for image in node["status"]["images"].as_array_mut().into_iter().flatten().step_by(2) {
        replace(image, "application-", &format!("applic{GROUP}-"))?;
    }
    let mut large = objects::config_map();
    large["metadata"]["name"] = format!("large-{NUMBER}").into();
    large["data"]
        .as_object_mut()
        .into_iter()
        .flat_map(|data| data.values_mut())
        .for_each(|file| mark(Some(file), NUMBER));
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
const POD_NUMBERS: [&str; 4] = [
    "/metadata/name",
    "/metadata/uid",
    "/metadata/resourceVersion",
    "/status/containerStatuses/0/containerID",
];

/// What differs between Deployments.
const POD_GROUPS: [&str; 2] = ["/metadata/ownerReferences/0/uid", "/metadata/annotations/checksum~1config"];

/// Puts a mark at the end of a text, whose length stays the same.
fn mark(text: Option<&mut Value>, mark: &str) {
    if let Some(Value::String(text)) = text
        && let Some(start) = text.len().checked_sub(mark.len())
        && text.is_char_boundary(start)
    {
        text.replace_range(start.., mark);
    }
}

/// Replaces a text in all names and values of an object with one of the same length.
fn replace(object: &mut Value, from: &str, to: &str) -> Result<()> {
    debug_assert_eq!(from.len(), to.len());
    *object =
        serde_json::from_str(&object.to_string().replace(from, to)).map_err(|error| error.to_string())?;
    Ok(())
}

/// Decodes so many objects in a program, which tells how many bytes they take.
fn bytes(program: &Path, kind: &str, file: &Path, operation: &str, count: u32) -> Result<Bytes> {
    let mut command = Command::new(program);
    let (out, _) = run(command.arg(kind).arg(file).args([operation, &count.to_string()]))?;
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
    [ours, interned, theirs]: [Bytes; 3],
    text: &mut String,
) -> Value {
    let ratio = ours.requested / theirs.requested;
    let interned_ratio = interned.requested / theirs.requested;
    let held = ratio <= sample.bar;
    let reserved_ratio = ours.reserved.zip(theirs.reserved).map(|(ours, theirs)| ours / theirs);
    let shown = |bytes: Option<f64>| bytes.map_or_else(|| "-".to_owned(), |bytes| format!("{bytes:.0}"));
    let _ = writeln!(
        text,
        "{:<34}{:<18}{:>10}{:>10}{ratio:>7.2}{:>10}{interned_ratio:>7.2}{:>11}{:>10}{:>7}  {} {}",
        sample.name,
        format!("{format}, {peer}").replace("protobuf", "pb"),
        shown(Some(ours.requested)),
        shown(Some(theirs.requested)),
        shown(Some(interned.requested)),
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
        "interned": interned.json(),
        "interned_ratio": interned_ratio,
        "reserved_ratio": reserved_ratio,
        "bar": sample.bar,
        "held": held,
    })
}
