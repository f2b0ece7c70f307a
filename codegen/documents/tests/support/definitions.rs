//! CustomResourceDefinitions for tests, and what they are compared with.

use std::path::{Path, PathBuf};

use hubgen_documents::{Source, schema};
use hubgen_model::Api;
use serde_json::Value;

/// The folder of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

/// Kubernetes' types.
pub fn kubernetes() -> Api {
    schema::read_dir(&root().join("schemas/kubernetes")).unwrap()
}

/// A file of `tests/crd`.
pub fn fixture(name: &str) -> Source {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/crd").join(name);
    Source::new(name, std::fs::read_to_string(path).unwrap())
}

/// Upstream's definitions of cert-manager and of gateway-api, where they are.
pub fn upstream() -> Vec<Vec<Source>> {
    let folder = root().join("../shared/upstream/crds");
    if !folder.exists() {
        eprintln!("left out: {} is not here", folder.display());
        return Vec::new();
    }
    ["cert-manager-v1.5", "gateway-api-v1.0"].map(|name| sources(&folder.join(name))).into()
}

/// A file, or the files in a folder.
pub fn sources(path: &Path) -> Vec<Source> {
    let mut files = vec![path.to_owned()];
    if path.is_dir() {
        files = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    }
    files.sort();
    files.into_iter().map(|file| Source::new(&file, std::fs::read_to_string(&file).unwrap())).collect()
}

/// The definitions in a document, and in the lists in it.
pub fn definitions(document: &Value) -> Vec<Value> {
    match document["kind"].as_str() {
        None if document.is_null() => Vec::new(),
        Some("CustomResourceDefinition") | None => vec![document.clone()],
        Some("List" | "CustomResourceDefinitionList") => {
            document["items"].as_array().unwrap().iter().flat_map(definitions).collect()
        }
        Some(_) => Vec::new(),
    }
}
