//! Where objects are in the store.
//!
//! Objects of one family are under one key, whatever group and version they were written at:
//! `/registry/<plural>[/<namespace>]/<name>` for the built-in kinds, with a few names that have
//! grown with time, and `/registry/<group>/<plural>[/<namespace>]/<name>` for all others.

use std::collections::BTreeMap;

use hubgen_machinery::scheme::{KindEntry, Scheme};

/// Built-in resources that are stored under another name.
const IRREGULAR: &[(&str, &str, &str)] = &[
    ("", "replicationcontrollers", "controllers"),
    ("", "endpoints", "services/endpoints"),
    ("", "services", "services/specs"),
    ("", "nodes", "minions"),
    ("networking.k8s.io", "ingresses", "ingress"),
];

/// Built-in groups that began outside, with a server of their own: their resources are stored with
/// the group in the key, and in JSON.
pub(crate) const ONCE_OUTSIDE: &[&str] = &["apiextensions.k8s.io", "apiregistration.k8s.io"];

/// What the keys of all objects of a kind start with, up to and with the slash before the
/// namespace or, where it has none, the name.
pub(crate) fn prefix(scheme: &Scheme, entry: &KindEntry) -> String {
    let (group, version, kind) = entry.storage();
    let home = scheme.kind(group, version, kind);
    let plural = [home, Some(entry)].into_iter().flatten().find_map(|entry| entry.resource.as_ref());
    let plural = plural.map_or(entry.kind, |resource| resource.plural);
    match IRREGULAR.iter().find(|irregular| (irregular.0, irregular.1) == (group, plural)) {
        Some((_, _, name)) => format!("/registry/{name}/"),
        None if is_built_in(group) => format!("/registry/{plural}/"),
        None => format!("/registry/{group}/{plural}/"),
    }
}

/// The key of an object.
pub(crate) fn key(prefix: &str, namespace: &str, name: &str) -> Vec<u8> {
    match namespace {
        "" => format!("{prefix}{name}"),
        namespace => format!("{prefix}{namespace}/{name}"),
    }
    .into_bytes()
}

/// The groups of the reference server: those of its first years have no dot, all others are its
/// own by their ending.
fn is_built_in(group: &str) -> bool {
    !ONCE_OUTSIDE.contains(&group) && (!group.contains('.') || group.ends_with(".k8s.io"))
}

/// Two families under one prefix would overwrite each other's objects.
///
/// # Errors
/// Names the first two kinds that would.
pub(crate) fn check(scheme: &Scheme) -> Result<(), String> {
    let mut taken: BTreeMap<String, &'static KindEntry> = BTreeMap::new();
    for entry in scheme.kinds().filter(|entry| entry.resource.is_some()) {
        let prefix = prefix(scheme, entry);
        if let Some(other) = taken.get(&prefix)
            && !entry.is_family_of(other)
        {
            return Err(format!(
                "{other} and {entry} are different kinds and would both be stored under {prefix}: \
                 give one of them another plural name"
            ));
        }
        taken.insert(prefix, entry);
    }
    Ok(())
}
