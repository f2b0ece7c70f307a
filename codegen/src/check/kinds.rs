//! Every kind and every resource has a name of its own.

use std::collections::{BTreeMap, BTreeSet};

use hubgen_model::{Api, GroupVersion, GroupVersionKind, Kind, Type, TypeId};

use super::{Faults, type_path};
use crate::emit::field_name;

pub fn check(api: &Api, is_whole: bool, faults: &mut Faults) {
    let mut registered: BTreeMap<&GroupVersionKind, &TypeId> = BTreeMap::new();
    let mut plurals: BTreeMap<(&GroupVersion, &str), &TypeId> = BTreeMap::new();
    // Families are told apart by constants, one for each kind of a group.
    let mut constants: BTreeMap<(&str, String), &str> = BTreeMap::new();
    let mut named: Vec<(&TypeId, &str, &GroupVersionKind)> = Vec::new();
    for (ty, kind) in api.types().filter_map(|ty| Some((ty, ty.kind.as_ref()?))) {
        if kind.registered.is_empty() {
            said(
                ty,
                "names no kind".to_owned(),
                "give it group, version and kind, or remove the list",
                faults,
            );
        }
        for name in &kind.registered {
            if let Some(other) = registered.insert(name, &ty.id) {
                let message = if *other == ty.id {
                    format!("names {name} twice")
                } else {
                    format!("names {name}, which {other} is already")
                };
                said(ty, message, "one type stands for each kind: remove one of the two", faults);
            }
            let constant = field_name(&name.kind);
            let known = constants.entry((&name.group_version.group, constant)).or_insert(&name.kind);
            if *known != name.kind {
                let message = format!("`{}` and `{known}` differ in capitals only", name.kind);
                said(ty, message, "write the kind the same in every version of its group", faults);
            }
        }
        if let Some(other) = plural(ty, kind, &mut plurals) {
            let path = resource_path(&ty.id, &["plural"]);
            let message = format!("{other} is served by that name already");
            faults.push(&ty.id.group_version, path, message, "give each resource a plural of its own");
        }
        named.extend(subresources(ty, kind));
    }
    let known: BTreeSet<&GroupVersionKind> = registered.into_keys().collect();
    for (id, subresource, kind) in named {
        // A document that could not be read has been told of.
        let is_unread = !api.versions.contains_key(&kind.group_version) && !is_whole;
        if !known.contains(kind) && !is_unread {
            let path = resource_path(id, &["subresources", subresource, "kind"]);
            let message = format!("there is no kind {kind}");
            faults.push(
                &id.group_version,
                path,
                message,
                "correct the name, or add the kind to its document",
            );
        }
    }
}

fn said(ty: &Type, message: String, help: &str, faults: &mut Faults) {
    let mut path = type_path(&ty.id);
    path.push("x-kubernetes-group-version-kind".to_owned());
    faults.push(&ty.id.group_version, path, message, help);
}

fn resource_path(id: &TypeId, below: &[&str]) -> Vec<String> {
    let mut path = type_path(id);
    path.push("x-resource".to_owned());
    path.extend(below.iter().map(|key| (*key).to_owned()));
    path
}

/// The type that is served by the same name.
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
