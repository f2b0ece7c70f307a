//! Definitions of real projects, which must be accepted with the same conditions.

use std::fs;
use std::path::Path;

use hubgen_kubernetes::machinery::yaml;
use serde_json::{Value, json};

use super::kept;
use super::side::{PATH, Side};

/// Adds the definitions of a file, or of all files below a folder.
///
/// # Errors
/// If a file cannot be read. Files that are no YAML have no definitions.
pub fn read(path: &Path, lines: &mut Vec<Value>) -> Result<(), String> {
    let context = |error: std::io::Error| format!("{}: {error}", path.display());
    if path.is_dir() {
        let entries = fs::read_dir(path).map_err(context)?;
        let mut paths = entries
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<Vec<_>, _>>()
            .map_err(context)?;
        paths.sort();
        return paths.iter().try_for_each(|path| read(path, lines));
    }
    let is_yaml = path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
    if !is_yaml {
        return Ok(());
    }
    let text = fs::read_to_string(path).map_err(context)?;
    for text in text.split("\n---") {
        let Ok(json) = yaml::to_json(text) else { continue };
        let Ok(definition) = serde_json::from_slice::<Value>(&json) else { continue };
        if definition["kind"] == "CustomResourceDefinition"
            && definition["apiVersion"] == "apiextensions.k8s.io/v1"
        {
            let name = format!("{} {}", path.display(), definition["metadata"]["name"]);
            lines.push(json!({"part": "project", "name": name, "definition": definition}));
        }
    }
    Ok(())
}

/// Creates a definition, waits until it has become what it will be, and removes it.
///
/// # Errors
/// If the server does not answer, or the definition stays.
pub fn install(side: &Side, line: &Value, expected: Option<&Value>) -> Result<Value, String> {
    let definition = &line["definition"];
    let name = definition["metadata"]["name"].as_str().unwrap_or_default();
    let (code, body) = side.send("POST", PATH, Some(definition))?;
    if code != 201 {
        return Ok(kept(code, &body));
    }
    let settled = side.settled(name, expected)?;
    side.remove(name)?;
    Ok(settled)
}
