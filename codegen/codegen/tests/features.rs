//! Each version of a generated crate can be enabled alone: its feature enables all other versions,
//! in this crate and in others, that its code names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use toml::Table;

fn generated() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().join("generated")
}

/// A crate and a version.
type Feature = (String, String);

/// The features that each feature of each crate enables.
fn features() -> BTreeMap<Feature, Vec<Feature>> {
    let mut features = BTreeMap::new();
    let all = fs::read_dir(generated()).unwrap().map(|entry| entry.unwrap().path());
    for folder in all.filter(|path| path.is_dir()) {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let manifest: Table = manifest.parse().unwrap();
        let package = manifest["package"]["name"].as_str().unwrap().to_owned();
        for (name, targets) in manifest["features"].as_table().unwrap() {
            let targets = targets.as_array().unwrap().iter().map(|target| target.as_str().unwrap());
            let targets = targets.filter(|target| !target.starts_with("dep:")).map(|target| {
                let (package, version) = target.split_once('/').unwrap_or((&package, target));
                (package.to_owned(), version.to_owned())
            });
            features.insert((package.clone(), name.clone()), targets.collect());
        }
    }
    features
}

/// A feature, and all features that it enables.
fn closure(features: &BTreeMap<Feature, Vec<Feature>>, of: &Feature) -> BTreeSet<Feature> {
    let mut on = BTreeSet::new();
    let mut todo = vec![of.clone()];
    while let Some(feature) = todo.pop() {
        if on.insert(feature.clone()) {
            todo.extend(features[&feature].iter().cloned());
        }
    }
    on
}

/// The versions that code of `package` names: what follows `crate::` and `hubgen_…::`, in braces or
/// not.
fn named(package: &str, code: &str) -> BTreeSet<Feature> {
    let mut named = BTreeSet::new();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    for (at, _) in code.match_indices("::") {
        let before = code[..at].rsplit(|c| !is_word(c)).next().unwrap();
        let package = match before {
            "crate" => package.to_owned(),
            "hubgen_machinery" | "hubgen_kubernetes_functions" => continue,
            _ if before.starts_with("hubgen_") => before.replace('_', "-"),
            _ => continue,
        };
        let after = &code[at + 2..];
        let roots: Vec<&str> = match after.strip_prefix('{') {
            Some(group) => group[..group.find('}').unwrap()].split(',').map(str::trim).collect(),
            None => vec![after],
        };
        for root in roots.into_iter().filter(|root| !root.is_empty()) {
            let version = root.split(|c| !is_word(c)).next().unwrap();
            if !["families", "columns"].contains(&version) && !is_conditional(&code[..at], version) {
                named.insert((package.clone(), version.to_owned()));
            }
        }
    }
    named
}

/// Whether the expression at the end of the code is there only with the feature of a version: nothing else is named since its
/// attribute.
fn is_conditional(code: &str, version: &str) -> bool {
    let attribute = format!("#[cfg(feature = \"{version}\")]");
    let since = code.rsplit_once(&attribute).map(|(_, since)| since);
    since.is_some_and(|since| !["#[cfg(", "crate::", ";"].iter().any(|other| since.contains(other)))
}

#[test]
fn versions_can_be_had_one_by_one() {
    let features = features();
    let mut checked = 0;
    for (package, version) in features.keys() {
        let folder = generated().join(package.strip_prefix("hubgen-").unwrap()).join("src").join(version);
        if !folder.is_dir() {
            continue;
        }
        let on = closure(&features, &(package.clone(), version.clone()));
        let mut folders = vec![folder];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                for feature in named(package, &fs::read_to_string(&path).unwrap()) {
                    assert!(on.contains(&feature), "{} names {feature:?}: {on:?}", path.display());
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 0);
}
