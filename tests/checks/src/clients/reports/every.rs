//! Documents of every version of every kind that a release ever served.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

/// Writes a file for each group version, with an object of each of its kinds: those of the archive, and
/// others that a tool knows. The objects have a name only. Returns the files.
///
/// # Errors
/// If a file cannot be written.
pub fn write(folder: &Path, others: &[(String, String)]) -> Result<Vec<PathBuf>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(folder).map_err(failed)?;
    let mut files = Vec::new();
    for (api_version, kinds) in kinds(others) {
        let file = folder.join(format!("{}.yaml", api_version.replace('/', "_")));
        let document = |kind: &String| {
            let name = format!("{}-{}", kind.to_lowercase(), api_version.replace('/', "-"));
            let object = json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name}});
            format!("---\n{}", hubgen_yaml::from_value(&object))
        };
        fs::write(&file, kinds.iter().map(document).collect::<String>()).map_err(failed)?;
        files.push(file);
    }
    Ok(files)
}

/// The kinds of each group version that have a path on a server, and those that are given.
fn kinds(others: &[(String, String)]) -> BTreeMap<String, BTreeSet<String>> {
    let scheme = hubgen_kubernetes::scheme();
    let entries = scheme.kinds().filter(|entry| entry.is_built_in && entry.resource.is_some());
    let known = entries.map(|entry| (entry.api_version(), entry.kind.to_string()));
    let mut kinds: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (api_version, kind) in known.chain(others.iter().cloned()) {
        kinds.entry(api_version).or_default().insert(kind);
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::super::object::objects;
    use super::*;

    #[test]
    fn each_file_has_all_kinds_of_a_version() {
        let folder = tempfile::tempdir().expect("a folder");
        let other = ("audit.k8s.io/v1beta1".to_owned(), "Policy".to_owned());
        let files = write(folder.path(), &[other]).expect("files");
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("a file");
        let kinds = |name: &str| objects(&read(name)).into_iter().map(|object| object.kind);
        assert_eq!(kinds("audit.k8s.io_v1beta1.yaml").collect::<Vec<_>>(), ["Policy"]);
        let apps = ["ControllerRevision", "Deployment", "StatefulSet"];
        assert_eq!(kinds("apps_v1beta1.yaml").collect::<Vec<_>>(), apps);
        assert!(files.len() > 60 && kinds("v1.yaml").any(|kind| kind == "Pod"), "{files:?}");
    }
}
