//! Live objects: manifests are applied where an old release is served, and the same objects are served as the
//! target does. Each object still has the manifest that it was applied with, in an annotation.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::object::Object;
use crate::clients::session::Session;

/// Where kubectl writes the manifest.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// An object of a cluster.
pub struct Live {
    /// As it was applied.
    pub applied: Object,
    /// As it is served.
    value: Value,
}

/// Applies manifests.
///
/// # Errors
/// If kubectl does not start.
pub fn apply(kubectl: &Session, files: &[PathBuf]) -> Result<(), String> {
    let files: Vec<String> = files.iter().map(|file| format!("-f '{}'", file.display())).collect();
    // Manifests of kinds that came later, and mistaken ones, are refused. The others are applied.
    kubectl.run(&format!("apply --validate=false {}", files.join(" "))).map(drop)
}

/// All objects that were applied.
///
/// # Errors
/// If one cannot be read.
pub fn read(kubectl: &Session) -> Result<Vec<Live>, String> {
    let names = kubectl.ok("api-resources --verbs=list,create -o name")?;
    let names: BTreeSet<&str> = names.lines().filter(|name| !name.starts_with("events")).collect();
    let mut all = Vec::new();
    for name in names {
        let list = kubectl.json(&format!("{name} --all-namespaces"))?;
        all.extend(list["items"].as_array().into_iter().flatten().filter_map(|value| {
            let manifest = value["metadata"]["annotations"][LAST_APPLIED].as_str()?;
            let applied = Object::of(&serde_json::from_str(manifest).ok()?)?;
            Some(Live { applied, value: value.clone() })
        }));
    }
    if all.is_empty() { Err("expected objects that were applied, found none".to_owned()) } else { Ok(all) }
}

/// Applies objects at the versions that are served, as a controller does that applies on the server's side.
/// It is not kubectl, so the annotation stays as it is.
///
/// # Errors
/// If an object is refused.
pub fn take_over<'a>(kubectl: &Session, objects: impl Iterator<Item = &'a Live>) -> Result<(), String> {
    let manifest = |Live { value, .. }: &Live| {
        let metadata = &value["metadata"];
        let mut manifest = value.clone();
        manifest["metadata"] = json!({"name": metadata["name"]});
        if let Some(namespace) = metadata.get("namespace") {
            manifest["metadata"]["namespace"] = namespace.clone();
        }
        if let Some(manifest) = manifest.as_object_mut() {
            manifest.remove("status");
        }
        manifest
    };
    let list =
        json!({"apiVersion": "v1", "kind": "List", "items": objects.map(manifest).collect::<Vec<_>>()});
    let line = "apply --server-side --force-conflicts --field-manager=gitops --validate=false -f -";
    kubectl.ok_with(line, &list.to_string()).map(drop)
}
