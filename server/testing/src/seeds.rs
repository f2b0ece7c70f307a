//! Objects that a server begins with, from YAML and JSON.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::error::Error;

/// The objects of a text of YAML or JSON, which may have several documents, and lists of objects.
///
/// # Errors
/// If it is neither, or has something else than objects.
pub(crate) fn read(origin: &str, text: &str) -> Result<Vec<Value>, Error> {
    let wrong = |message: String| Error::Manifest { origin: origin.to_owned(), message };
    let mut objects = Vec::new();
    for document in hubgen_yaml::documents(text) {
        let document = document.map_err(|error| wrong(error.to_string()))?;
        let value: Value =
            serde_json::from_slice(&document.json).map_err(|error| wrong(error.to_string()))?;
        add(value, &mut objects).map_err(wrong)?;
    }
    Ok(objects)
}

/// Adds an object, or those of a list.
fn add(value: Value, objects: &mut Vec<Value>) -> Result<(), String> {
    match value {
        Value::Null => Ok(()),
        Value::Array(items) => items.into_iter().try_for_each(|item| add(item, objects)),
        mut list @ Value::Object(_) if is_list(&list) => add(list["items"].take(), objects),
        object @ Value::Object(_) => {
            if ["apiVersion", "kind"].iter().any(|key| !object[*key].is_string()) {
                return Err(format!("expected an object with apiVersion and kind, found {object}"));
            }
            objects.push(object);
            Ok(())
        }
        other => Err(format!("expected an object with apiVersion and kind, found {other}")),
    }
}

/// Whether an object is a list of objects: it has items, and a kind that says so.
fn is_list(object: &Value) -> bool {
    object["items"].is_array() && object["kind"].as_str().is_some_and(|kind| kind.ends_with("List"))
}

/// The objects of a file, or of all files of a folder that end with `.yaml`, `.yml` or `.json`, in the order of their names.
///
/// # Errors
/// If one cannot be read, or as [`read`].
pub(crate) fn files(path: &Path) -> Result<Vec<Value>, Error> {
    let failed = |error| Error::File { path: path.to_owned(), error };
    if !fs::metadata(path).map_err(failed)?.is_dir() {
        let text = fs::read_to_string(path).map_err(failed)?;
        return read(&path.display().to_string(), &text);
    }
    let entries = fs::read_dir(path).map_err(failed)?;
    let paths =
        entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>, _>>().map_err(failed)?;
    let is_manifest = |path: &PathBuf| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        matches!(extension, Some("yaml" | "yml" | "json")) && path.is_file()
    };
    let mut paths: Vec<_> = paths.into_iter().filter(is_manifest).collect();
    paths.sort();
    let mut objects = Vec::new();
    for path in paths {
        objects.extend(files(&path)?);
    }
    Ok(objects)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(objects: &[Value]) -> Vec<&str> {
        objects.iter().map(|object| object["metadata"]["name"].as_str().unwrap()).collect()
    }

    #[test]
    fn documents_and_lists_are_read() {
        let text = "
apiVersion: v1
kind: Secret
metadata: {name: a}
---
# Nothing.
---
{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Secret, metadata: {name: b}}]}
";
        assert_eq!(names(&read("manifests", text).unwrap()), ["a", "b"]);
    }

    #[test]
    fn what_is_no_object_is_refused() {
        let error = |text: &str| read("manifests", text).unwrap_err().to_string();
        assert_eq!(
            error("{kind: Secret}"),
            "manifests: expected an object with apiVersion and kind, found {\"kind\":\"Secret\"}"
        );
        assert!(error("a: [").starts_with("manifests: line 2, column 1: "), "{}", error("a: ["));
        assert!(error("text").ends_with("found \"text\""), "{}", error("text"));
    }

    #[test]
    fn files_of_a_folder_are_read_in_the_order_of_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let secret = |name: &str| format!("{{apiVersion: v1, kind: Secret, metadata: {{name: {name}}}}}");
        for (file, name) in [("2.yaml", "b"), ("1.json", "a"), ("notes.txt", "c")] {
            let text = secret(name).replace("{apiVersion", "{\"apiVersion\"");
            fs::write(folder.path().join(file), if file.ends_with("json") { secret(name) } else { text })
                .unwrap();
        }
        assert_eq!(names(&files(folder.path()).unwrap()), ["a", "b"]);
        let error = files(&folder.path().join("none")).unwrap_err();
        assert!(error.to_string().contains("none: "), "{error}");
    }
}
