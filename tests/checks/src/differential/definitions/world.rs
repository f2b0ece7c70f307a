//! The definitions that both servers get.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use hubgen_validation::definition::objects;
use serde_json::{Value, json};

/// The namespace of the objects.
pub(super) const NAMESPACE: &str = "checked-definitions";
/// What the groups begin with, so that no other program's kinds are touched.
const PREFIX: &str = "checked.";

/// The definitions in files and folders, for groups of their own, with the conversion strategy `None`.
///
/// # Errors
/// If a file cannot be read.
pub(super) fn definitions(paths: &[PathBuf], rules: bool) -> Result<Vec<Value>, String> {
    let mut out = Vec::new();
    for path in paths {
        let mut files = if path.is_dir() { files(path)? } else { vec![path.clone()] };
        files.sort();
        for file in files {
            let context = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
            let text = fs::read_to_string(&file).map_err(|error| context(&error))?;
            for document in hubgen_yaml::documents(&text) {
                let document = document.map_err(|error| context(&error))?;
                let json: Value = serde_json::from_slice(&document.json).map_err(|error| context(&error))?;
                out.extend(
                    objects(&json)
                        .iter()
                        .filter(|object| is_read(&object.json))
                        .map(|object| own(&object.json, rules)),
                );
            }
        }
    }
    let mut names = HashSet::new();
    out.retain(|definition| names.insert(definition["metadata"]["name"].to_string()));
    if out.is_empty() { Err("expected definitions, found none".to_owned()) } else { Ok(out) }
}

fn is_read(object: &Value) -> bool {
    object["apiVersion"] == "apiextensions.k8s.io/v1" && object["kind"] == "CustomResourceDefinition"
}

/// The YAML and JSON files below a folder.
fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let context = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut out = Vec::new();
    for entry in fs::read_dir(folder).map_err(context)? {
        let path = entry.map_err(context)?.path();
        let is_read = path.extension().is_some_and(|end| end == "yaml" || end == "yml" || end == "json");
        if path.is_dir() {
            out.append(&mut files(&path)?);
        } else if is_read {
            out.push(path);
        }
    }
    Ok(out)
}

/// A definition for a group of its own.
fn own(definition: &Value, rules: bool) -> Value {
    let mut out = definition.clone();
    let group = format!("{PREFIX}{}", group(definition));
    let plural = definition["spec"]["names"]["plural"].as_str().unwrap_or_default();
    out["metadata"] = json!({"name": format!("{plural}.{group}"), "annotations": {
        "api-approved.kubernetes.io": "https://github.com/kubernetes/kubernetes/pull/1"
    }});
    out["spec"]["group"] = group.into();
    if let Some(spec) = out["spec"].as_object_mut() {
        spec.shift_remove("conversion");
    }
    if let Some(members) = out.as_object_mut() {
        members.shift_remove("status");
    }
    if !rules {
        remove(&mut out["spec"]["versions"], "x-kubernetes-validations");
    }
    out
}

/// The definition with schemas that allow anything, so that objects can be stored that the definition itself would refuse.
pub(super) fn loose(definition: &Value) -> Value {
    let mut out = definition.clone();
    for version in out["spec"]["versions"].as_array_mut().into_iter().flatten() {
        version["schema"]["openAPIV3Schema"] =
            json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
        if let Some(members) = version.as_object_mut() {
            members.shift_remove("selectableFields");
        }
    }
    out
}

/// Removes all members of a name.
fn remove(value: &mut Value, name: &str) {
    match value {
        Value::Object(members) => {
            members.shift_remove(name);
            members.values_mut().for_each(|value| remove(value, name));
        }
        Value::Array(items) => items.iter_mut().for_each(|value| remove(value, name)),
        _ => {}
    }
}

pub(super) fn group(definition: &Value) -> &str {
    definition["spec"]["group"].as_str().unwrap_or_default()
}

/// The path of the objects of a definition at a version.
pub(super) fn collection(definition: &Value, version: &str) -> String {
    let within = if definition["spec"]["scope"] == "Namespaced" {
        format!("namespaces/{NAMESPACE}/")
    } else {
        String::new()
    };
    let plural = definition["spec"]["names"]["plural"].as_str().unwrap_or_default();
    format!("/apis/{}/{version}/{within}{plural}", group(definition))
}
