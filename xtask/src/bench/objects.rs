//! The objects that codecs and caches are measured with: the committed Pods, and
//! others that are built here.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Map, Value, json};

use super::Result;
use crate::programs::{root, scratch};

/// The committed Pods: a name and a file of `benches/codec/pods`. They differ
/// in how much of them is `managedFields`, which we keep as text and the peer
/// parses, so no single one of them stands for all.
pub const PODS: [(&str, &str); 3] = [
    ("Pod as a server sends it", "as-served"),
    ("Pod without managedFields", "without-managed-fields"),
    ("Pod measured first", "first"),
];

/// Where the committed Pods are.
pub fn pods_folder() -> PathBuf {
    root().join("benches/codec/pods")
}

/// Reads an object.
pub fn read(path: &Path) -> Result<Value> {
    let text = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", path.display()))
}

/// Writes an object to a file of the scratch folder, as compact JSON.
pub fn write(name: &str, object: &Value) -> Result<PathBuf> {
    let folder = scratch().join("objects");
    let path = folder.join(format!("{name}.json"));
    fs::create_dir_all(&folder)
        .and_then(|()| fs::write(&path, object.to_string()))
        .map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}

/// Writes the object of a JSON file in protobuf to the scratch folder. `program`: ours.
pub fn to_protobuf(program: &Path, kind: &str, json: &Path) -> Result<PathBuf> {
    let output = Command::new(program)
        .arg(format!("to-protobuf/{kind}"))
        .arg(json)
        .args(["show", "1"])
        .output()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    if !output.status.success() {
        return Err(format!("{}: {}", json.display(), String::from_utf8_lossy(&output.stderr)));
    }
    let name = json.file_stem().unwrap_or_default().to_string_lossy();
    let path = scratch().join("objects").join(format!("{name}.pb"));
    fs::create_dir_all(scratch().join("objects"))
        .and_then(|()| fs::write(&path, output.stdout))
        .map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}

/// A ConfigMap of 900 KB: 88 large texts with characters to escape.
pub fn config_map() -> Value {
    let text = |index: usize| format!("# a \"line\" of a file\nkey-{index} = value\n").repeat(250);
    let data: Map<String, Value> =
        (0..88).map(|index| (format!("file-{index}.conf"), text(index).into())).collect();
    json!({"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "large", "namespace": "default"}, "data": data})
}

/// A Node with 100 images.
pub fn node() -> Value {
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

/// What programs replace with a number of five digits, another one for each object of a cache.
pub const NUMBER: &str = "~~~~~";

/// What programs replace with a number of five digits that twenty objects of a cache share, such as the Pods of one
/// Deployment.
pub const GROUP: &str = "^^^^^";

/// A ConfigMap of about 1 KB: a file, and some settings.
pub fn small_config_map() -> Value {
    let line =
        |index: usize| format!("upstream.{index}.address = service-{index}.shop.svc.cluster.local:8080\n");
    let file: String = (0..10).map(line).chain([format!("# {NUMBER}\n")]).collect();
    json!({"kind": "ConfigMap", "apiVersion": "v1",
        "metadata": {"name": format!("checkout-config-{NUMBER}"), "namespace": "shop", "labels": labels(),
            "uid": format!("c2a6b6c4-8d5f-4b0e-9c11-6f1f5c2{NUMBER}"), "resourceVersion": format!("482{NUMBER}"),
            "creationTimestamp": "2025-11-03T08:14:52Z"},
        "data": {"application.conf": file, "LOG_LEVEL": "info", "REGION": "eu-central-1", "TIMEOUT": "30s"}})
}

/// An EndpointSlice with so many endpoints.
pub fn endpoint_slice(endpoints: usize) -> Value {
    let endpoint = |index: usize| {
        json!({"addresses": [format!("10.{index}.0.{NUMBER}")],
            "conditions": {"ready": true, "serving": true, "terminating": false},
            "targetRef": {"kind": "Pod", "namespace": "shop", "name": format!("checkout-7c9f5d6{index:03}-{NUMBER}"),
                "uid": format!("3f0a6a52-5b0e-4b0c-9a53-{index:07}{NUMBER}")},
            "nodeName": format!("node-{:03}.eu-central-1.example.com", index % 50),
            "zone": format!("eu-central-1{}", ["a", "b", "c"][index % 3])})
    };
    json!({"kind": "EndpointSlice", "apiVersion": "discovery.k8s.io/v1",
        "metadata": {"name": format!("checkout-{NUMBER}"), "generateName": "checkout-", "namespace": "shop",
            "uid": format!("d7f1b2a0-33c4-4c57-8a43-1b7c52a{NUMBER}"), "resourceVersion": format!("482{NUMBER}"),
            "generation": 3, "creationTimestamp": "2025-11-03T08:14:52Z", "labels": labels(),
            "ownerReferences": [{"apiVersion": "v1", "kind": "Service", "name": "checkout",
                "uid": format!("b6c1d0fe-7f26-4f4c-8f0b-51f0a1f{NUMBER}"), "controller": true, "blockOwnerDeletion": true}]},
        "addressType": "IPv4",
        "endpoints": (0..endpoints).map(endpoint).collect::<Vec<_>>(),
        "ports": [{"name": "http", "protocol": "TCP", "port": 8080}, {"name": "metrics", "protocol": "TCP", "port": 9090}]})
}

fn labels() -> Value {
    json!({"app.kubernetes.io/name": "checkout", "app.kubernetes.io/part-of": "shop",
        "app.kubernetes.io/managed-by": "deployer"})
}

/// A list of 500 pods like this one.
pub fn pods(pod: &Value) -> Value {
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

/// A CRD of 300 KB: two versions with large schemas.
pub fn definition() -> Value {
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
