//! The objects that codecs are measured with: the committed Pod, and large
//! ones that are made of it or of nothing.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::super::Result;
use super::super::programs::scratch;

/// An object in a file.
pub struct Sample {
    /// What it is, for people.
    pub name: &'static str,
    /// `PodList`.
    pub kind: &'static str,
    /// Its compact JSON.
    pub json: PathBuf,
    /// How often an operation is repeated to be counted.
    pub runs: u32,
}

/// Writes all samples.
pub fn samples(pod: &Path) -> Result<Vec<Sample>> {
    let text = fs::read(pod).map_err(|error| format!("{}: {error}", pod.display()))?;
    let object: Value =
        serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", pod.display()))?;
    let mut samples = vec![Sample { name: "Pod", kind: "Pod", json: pod.to_owned(), runs: 200 }];
    let made = [
        ("ConfigMap of 900 KB", "ConfigMap", config_map(), 4),
        ("Node with 100 images", "Node", node(), 50),
        ("list of 500 pods", "PodList", pods(&object), 2),
        ("CRD of 300 KB", "CustomResourceDefinition", definition(), 4),
    ];
    let folder = scratch().join("objects");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for (name, kind, object, runs) in made {
        let json = folder.join(format!("{kind}.json"));
        fs::write(&json, object.to_string()).map_err(|error| format!("{}: {error}", json.display()))?;
        samples.push(Sample { name, kind, json, runs });
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
