//! Releases of Helm: each file of them is put into a cluster, where helm tells what objects they have.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::object::{Object, objects};
use crate::clients::session::Session;

/// A cluster that keeps releases. What it serves does not matter.
pub struct Cluster {
    pub kubectl: Session,
    pub helm: Session,
}

impl Cluster {
    /// Puts the Secrets of a file into the cluster, calls a function with the objects that helm tells of the
    /// deployed releases, and takes the Secrets away.
    ///
    /// # Errors
    /// If the cluster does not take them, or helm cannot read one.
    pub fn with<T>(
        &self,
        file: &Path,
        work: impl FnOnce(Vec<Object>) -> Result<T, String>,
    ) -> Result<T, String> {
        let path = file.display();
        for namespace in self.namespaces(file)? {
            // It is there after the first file.
            self.kubectl.run(&format!("create namespace '{namespace}'"))?;
        }
        self.kubectl.ok(&format!("create -f '{path}'"))?;
        let done = self.deployed().map_err(|error| format!("{path}: {error}")).and_then(work);
        self.kubectl.ok(&format!("delete -f '{path}'"))?;
        done
    }

    fn namespaces(&self, file: &Path) -> Result<Vec<String>, String> {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let mut namespaces = Vec::new();
        for document in hubgen_yaml::documents(&text) {
            let document = document.map_err(|error| format!("{}: {error}", file.display()))?;
            let value: Value = serde_json::from_slice(&document.json).map_err(|error| error.to_string())?;
            let items =
                value["items"].as_array().map_or_else(|| vec![&value], |items| items.iter().collect());
            namespaces.extend(
                items.iter().filter_map(|item| item["metadata"]["namespace"].as_str().map(str::to_owned)),
            );
        }
        namespaces.sort();
        namespaces.dedup();
        Ok(namespaces)
    }

    /// The objects of all deployed releases, those of hooks too.
    fn deployed(&self) -> Result<Vec<Object>, String> {
        let list = self.helm.ok("list --all-namespaces --output json")?;
        let list: Value = serde_json::from_str(&list).map_err(|error| format!("helm list: {error}"))?;
        let mut all = Vec::new();
        for release in list.as_array().into_iter().flatten() {
            let text = |key: &str| release[key].as_str().unwrap_or_default();
            for what in ["manifest", "hooks"] {
                let line = format!("get {what} '{}' -n '{}'", text("name"), text("namespace"));
                all.extend(objects(&self.helm.ok(&line)?));
            }
        }
        if all.is_empty() { Err("expected deployed releases, found none".to_owned()) } else { Ok(all) }
    }
}

/// The files with releases: a file, or those of a folder.
///
/// # Errors
/// If the folder cannot be read.
pub fn files(path: &Path) -> Result<Vec<PathBuf>, String> {
    if path.is_dir() {
        crate::clients::files(path, &["yaml", "yml", "json"])
    } else {
        Ok(vec![path.to_owned()])
    }
}
