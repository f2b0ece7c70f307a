//! Checks that the names of kinds and resources are unique.

use std::collections::{BTreeMap, BTreeSet};

use hubgen_model::{Api, GroupVersion, GroupVersionKind, Kind, Origin, Type, TypeId};

use super::Faults;
use crate::naming::rust_name;

pub fn check(api: &Api, is_whole: bool, faults: &mut Faults) {
    let mut registered: BTreeMap<&GroupVersionKind, &TypeId> = BTreeMap::new();
    let mut plurals: BTreeMap<(&GroupVersion, &str), &TypeId> = BTreeMap::new();
    // Each family is a constant of its group's crate.
    let mut constants: BTreeMap<(&str, String), &str> = BTreeMap::new();
    let mut named: Vec<(&TypeId, &str, &GroupVersionKind)> = Vec::new();
    for (ty, kind) in api.types().filter_map(|ty| Some((ty, ty.kind.as_ref()?))) {
        if kind.registered.is_empty() {
            fault_in_kinds(
                ty,
                "the list of kinds is empty".to_owned(),
                "add an object with group, version and kind, or remove the list",
                faults,
            );
        }
        for name in &kind.registered {
            if let Some(other) = registered.insert(name, &ty.id) {
                let message = if *other == ty.id {
                    format!("contains {name} twice")
                } else {
                    format!("{name} is already the kind of {other}")
                };
                fault_in_kinds(ty, message, "remove one of the two: a kind has one type", faults);
            }
            let constant = rust_name(&name.kind);
            let known = constants.entry((&name.group_version.group, constant)).or_insert(&name.kind);
            if *known != name.kind {
                let message = format!("`{}` and `{known}` differ in upper and lower case only", name.kind);
                fault_in_kinds(
                    ty,
                    message,
                    "write the name of the kind in the same way in every version of its group",
                    faults,
                );
            }
        }
        if let Some(other) = plural(ty, kind, &mut plurals) {
            let message = format!("this is already the plural of {other}");
            let help = "give each resource of a version another plural";
            faults.below(&ty.id, &["x-resource", "plural"], message, help);
        }
        // Of another API, only what this one refers to was read.
        if api.versions[&ty.id.group_version].origin != Origin::Foreign {
            named.extend(subresources(ty, kind));
        }
    }
    let known: BTreeSet<&GroupVersionKind> = registered.into_keys().collect();
    for (id, subresource, kind) in named {
        // Errors in a document that could not be read were already reported.
        let is_unread = !api.versions.contains_key(&kind.group_version) && !is_whole;
        if !known.contains(kind) && !is_unread {
            let message = format!("there is no kind {kind}");
            let help = "correct the name, or add the kind to its document";
            faults.below(id, &["x-resource", "subresources", subresource, "kind"], message, help);
        }
    }
}

fn fault_in_kinds(ty: &Type, message: String, help: &str, faults: &mut Faults) {
    faults.below(&ty.id, &["x-kubernetes-group-version-kind"], message, help);
}

/// The type with the same plural.
fn plural<'a>(
    ty: &'a Type,
    kind: &'a Kind,
    plurals: &mut BTreeMap<(&'a GroupVersion, &'a str), &'a TypeId>,
) -> Option<&'a TypeId> {
    let resource = kind.resource.as_ref()?;
    let served_at = &kind.registered.first()?.group_version;
    plurals.insert((served_at, &resource.plural), &ty.id)
}

fn subresources<'a>(
    ty: &'a Type,
    kind: &'a Kind,
) -> impl Iterator<Item = (&'a TypeId, &'a str, &'a GroupVersionKind)> {
    let all = kind.resource.iter().flat_map(|resource| &resource.subresources);
    all.filter_map(|(name, subresource)| Some((&ty.id, name.as_str(), subresource.kind.as_ref()?)))
}
