//! Which files are patches of kustomize: they have some fields of an object, and are no objects of their own.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::input::Origin;

/// The names of the files that name patches.
const NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// The patches that are known, by the folders in which their kustomizations are.
#[derive(Default)]
pub struct Patches(HashMap<PathBuf, HashSet<PathBuf>>);

impl Patches {
    /// Whether a kustomization in the folder of a file, or in one around it, names the file as a patch. One that cannot be
    /// read names none.
    pub fn has(&mut self, origin: &Origin) -> bool {
        let Origin::File(path) = origin else { return false };
        let Ok(path) = path.canonicalize() else { return false };
        path.ancestors().skip(1).any(|folder| {
            let named = self.0.entry(folder.to_owned()).or_insert_with(|| named_in(folder));
            named.contains(&path)
        })
    }
}

/// The patches that the kustomization of a folder names.
fn named_in(folder: &Path) -> HashSet<PathBuf> {
    let text = NAMES.iter().find_map(|name| fs::read_to_string(folder.join(name)).ok());
    let document = text.as_deref().and_then(|text| hubgen_yaml::documents(text).next()?.ok());
    let value = document.and_then(|document| serde_json::from_slice(&document.json).ok());
    let value: Value = value.unwrap_or_default();
    let items = |member: &str| value[member].as_array().cloned().unwrap_or_default();
    let of_objects = ["patches", "patchesJson6902"].into_iter().flat_map(items);
    let paths = of_objects.map(|patch| patch["path"].clone()).chain(items("patchesStrategicMerge"));
    // Those without a file are texts in their place.
    paths.filter_map(|path| folder.join(path.as_str()?).canonicalize().ok()).collect()
}
