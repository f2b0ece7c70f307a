//! The objects that codecs are measured with: the committed Pods, and larger
//! ones that are built here.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::super::Result;
use crate::programs::{root, scratch};

/// The committed Pods: a name and a file of `benches/codec/pods`. They differ
/// in how much of them is `managedFields`, which we keep as text and the peer
/// parses, so no single one of them stands for all.
pub const PODS: [(&str, &str); 3] = [
    ("Pod as a server sends it", "as-served"),
    ("Pod without managedFields", "without-managed-fields"),
    ("Pod measured first", "first"),
];

/// An object in a file.
pub struct Sample {
    /// The name that people read.
    pub name: String,
    /// `PodList`.
    pub kind: &'static str,
    /// Its compact JSON.
    pub json: PathBuf,
    /// How often an operation is repeated to be counted.
    pub runs: u32,
}

/// Where the committed Pods are.
pub fn pods_folder() -> PathBuf {
    root().join("benches/codec/pods")
}

/// All samples: the committed Pods, or `pod` in place of them, and the larger
/// objects, which are written to the scratch folder.
pub fn samples(pod: Option<&Path>) -> Result<Vec<Sample>> {
    let sample = |name: &str, json| Sample { name: name.to_owned(), kind: "Pod", json, runs: 200 };
    let mut samples = match pod {
        Some(path) => vec![sample(&format!("Pod of {}", path.display()), path.to_owned())],
        None => PODS.map(|(name, file)| sample(name, pods_folder().join(format!("{file}.json")))).into(),
    };
    let in_list = &samples[0].json;
    let text = fs::read(in_list).map_err(|error| format!("{}: {error}", in_list.display()))?;
    let object: Value =
        serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", in_list.display()))?;
    let built = [
        ("ConfigMap of 900 KB", "ConfigMap", config_map(), 4),
        ("Node with 100 images", "Node", node(), 50),
        ("list of 500 pods", "PodList", pods(&object), 2),
        ("CRD of 300 KB", "CustomResourceDefinition", definition(), 4),
    ];
    let folder = scratch().join("objects");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for (name, kind, object, runs) in built {
        let json = folder.join(format!("{kind}.json"));
        fs::write(&json, object.to_string()).map_err(|error| format!("{}: {error}", json.display()))?;
        samples.push(Sample { name: name.to_owned(), kind, json, runs });
    }
    Ok(samples)
}

fn config_map() -> Value {
    let text = |index: usize| format!("# a \"line\" of a file\nkey-{index} = value\n").repeat(250);
    let data: Map<String, Value> =
        (0..88).map(|index| (format!("file-{index}.conf"), text(index).into())).collect();
    json!({"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "large", "namespace": "default"}, "data": data})
}

fn node() -> Value {
    let labels: Map<String, Value> = (0..20).map(|index| (format!("label-{index}"), "x".into())).collect();
    let image = |index: usize| {
        let repository = format!("registry.example.com/team/application-{index}");
        let names = [
            format!("{repository}@sha256:{}", "0123456789abcdef".repeat(4)),
            format!("{repository}:v1.{index}"),
        ];
        json!({"names": names, "sizeBytes": 10_000_000 + index})
    };
    let condition = |kind: &str| {
        let time = "2024-01-01T00:00:00Z";
        json!({"type": kind, "status": "False", "lastHeartbeatTime": time, "lastTransitionTime": time,
            "reason": "KubeletHasNoTrouble", "message": "kubelet has no trouble of that kind"})
    };
    let conditions = ["MemoryPressure", "DiskPressure", "PIDPressure", "Ready"].map(condition);
    let amounts = json!({"cpu": "8", "memory": "32Gi", "pods": "110", "ephemeral-storage": "100Gi"});
    json!({"kind": "Node", "apiVersion": "v1", "metadata": {"name": "node", "labels": labels},
        "spec": {"podCIDR": "10.0.0.0/24", "podCIDRs": ["10.0.0.0/24"]},
        "status": {"capacity": amounts.clone(), "allocatable": amounts, "conditions": conditions,
            "images": (0..100).map(image).collect::<Vec<_>>()}})
}

fn pods(pod: &Value) -> Value {
    let item = |index: usize| {
        let mut pod = pod.clone();
        if let Some(members) = pod.as_object_mut() {
            members.remove("kind");
            members.remove("apiVersion");
        }
        pod["metadata"]["name"] = format!("pod-{index}").into();
        pod
    };
    json!({"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": "1"},
        "items": (0..500).map(item).collect::<Vec<_>>()})
}

fn definition() -> Value {
    let versions = ["v1", "v2"].map(|name| {
        json!({"name": name, "served": true, "storage": name == "v1", "schema": {"openAPIV3Schema": schema(5)}})
    });
    let names = json!({"plural": "gears", "singular": "gear", "kind": "Gear"});
    json!({"kind": "CustomResourceDefinition", "apiVersion": "apiextensions.k8s.io/v1",
        "metadata": {"name": "gears.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": names.clone(), "versions": versions},
        "status": {"acceptedNames": names, "storedVersions": ["v1"], "conditions": []}})
}

/// A schema with four properties on each of so many levels.
fn schema(levels: u32) -> Value {
    if levels == 0 {
        return json!({"type": "string", "minLength": 1,
            "description": "What the field is for, in as many words as people write."});
    }
    let properties: Map<String, Value> =
        (0..4).map(|index| (format!("field{index}"), schema(levels - 1))).collect();
    json!({"type": "object", "description": "Some object.", "required": ["field0"], "properties": properties})
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The figures in docs/performance.md are those of these inputs. Whoever changes an input
    /// measures with the old and the new one and publishes both results; then this test changes too.
    #[test]
    fn the_measured_pods_are_the_published_ones() {
        // Bytes, those of managedFields, and a checksum.
        let facts = PODS.map(|(_, file)| {
            let text = fs::read_to_string(pods_folder().join(format!("{file}.json"))).unwrap();
            let pod: Value = serde_json::from_str(&text).unwrap();
            let managed = &pod["metadata"]["managedFields"];
            let managed = if managed.is_null() { 0 } else { managed.to_string().len() };
            assert_eq!(pod.to_string(), text, "{file}: expected compact JSON");
            (file, text.len(), managed, checksum(text.as_bytes()))
        });
        assert_eq!(
            facts,
            [
                ("as-served", 6184, 2536, 0x82cf6eb0bce8eef3),
                ("without-managed-fields", 3631, 0, 0x58cae98f1159439c),
                ("first", 5936, 1010, 0xae20e6e7a964ff4c),
            ]
        );
    }

    /// FNV-1a: enough to notice a change.
    fn checksum(bytes: &[u8]) -> u64 {
        bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        })
    }
}
