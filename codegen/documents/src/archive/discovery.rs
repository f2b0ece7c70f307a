//! What servers' answers to discovery say beyond OpenAPI: short names, categories, and preferred versions.

use std::collections::BTreeMap;

use hubgen_model::{Api, GroupVersion, Release, Resource};

use super::report::Report;
use crate::upstream::{Discovered, DiscoveredResource, Document};

/// What the documents have of each release, oldest first.
pub fn collect(documents: &[Document]) -> BTreeMap<Release, Discovered> {
    let mut out: BTreeMap<Release, Discovered> = BTreeMap::new();
    for document in documents {
        if let Some(release) = document.release.filter(|_| !document.discovered.is_empty()) {
            let found = out.entry(release).or_default();
            found.resources.extend(document.discovered.resources.iter().cloned());
            found.preferred.extend(document.discovered.preferred.iter().cloned());
        }
    }
    out
}

/// Gives resources the short names and categories that the newest release with discovery has.
pub fn assign(api: &mut Api, discovered: &BTreeMap<Release, Discovered>) {
    let Some(newest) = discovered.values().next_back() else { return };
    for (group_version, version) in &mut api.versions {
        let resources = version.types.values_mut().filter_map(|ty| ty.kind.as_mut()?.resource.as_mut());
        resources.for_each(|resource| name(resource, group_version, newest));
    }
}

/// Gives a resource the short names and categories that an answer has, if it has the resource.
pub fn name(resource: &mut Resource, group_version: &GroupVersion, discovered: &Discovered) {
    let is_it = |found: &&DiscoveredResource| {
        found.plural == resource.plural && found.group_version == *group_version
    };
    if let Some(found) = discovered.resources.iter().find(is_it) {
        resource.short_names.clone_from(&found.short_names);
        resource.categories.clone_from(&found.categories);
    }
}

/// Records the preferred versions: for each group, the releases in which another one became the preferred one.
pub fn preferred(discovered: &BTreeMap<Release, Discovered>, report: &mut Report) {
    for (release, found) in discovered {
        for version in &found.preferred {
            let known = report.preferred.entry(version.group.clone()).or_default();
            if known.values().next_back() != Some(&version.version) {
                known.insert(*release, version.version.clone());
            }
        }
    }
}
