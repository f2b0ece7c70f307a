//! Validates the metadata of objects of every kind.

use std::collections::BTreeSet;

use hubgen_machinery::Str;
use hubgen_machinery::meta;
use hubgen_machinery::reflect::{List, Reflect, Slot};
use hubgen_machinery::scheme::{KindEntry, Scheme};
use hubgen_validation::names;

use super::{Violation, Violations, quoted};
use crate::objectmeta;

/// The maximum size of all annotations of an object, in bytes.
const MAX_ANNOTATIONS: usize = hubgen_machinery::convert::MAX_ANNOTATIONS;
/// Two finalizers that contradict each other: one orphans dependents, the other deletes them first.
const ORPHAN: &str = "orphan";
const FOREGROUND: &str = "foregroundDeletion";
/// The finalizers that Kubernetes itself uses.
const STANDARD: [&str; 3] = [ORPHAN, FOREGROUND, "kubernetes"];

/// Adds the violations of the metadata of an object to `found`; `old` is the current object, if
/// there is one. Names are checked separately.
pub(crate) fn metadata(
    scheme: &Scheme,
    object: &dyn Reflect,
    old: Option<&dyn Reflect>,
    found: &mut Violations,
) {
    labels(object, found);
    annotations(object, found);
    owners(scheme, object, found);
    let finalizers = finalizers_of(object);
    check_finalizers(object, &finalizers, found);
    if let Some(old) = old.filter(|old| objectmeta::is_being_deleted(*old)) {
        no_new_finalizers(&finalizers, &finalizers_of(old), found);
    }
}

/// What the writer of a custom resource is warned of: finalizers that come to it, and whose names tell no owner.
pub(crate) fn finalizer_warnings(object: &dyn Reflect, old: Option<&dyn Reflect>) -> Vec<String> {
    let before = old.map(finalizers_of).unwrap_or_default();
    let added: BTreeSet<&str> =
        finalizers_of(object).into_iter().filter(|name| !before.contains(name)).collect();
    let unowned = added.into_iter().filter(|name| !name.contains('/') && !STANDARD.contains(name));
    unowned
        .map(|name| {
            let path = if name.contains('.') { " including a path (/)" } else { "" };
            format!(
                "metadata.finalizers: {}: prefer a domain-qualified finalizer name{path} to avoid accidental conflicts \
                 with other finalizer writers",
                quoted(name)
            )
        })
        .collect()
}

fn labels(object: &dyn Reflect, found: &mut Violations) {
    let Some(labels) = meta::strings(object, "labels") else { return };
    for (key, value) in labels.texts() {
        let invalid = |text: &str, why| Violation::invalid("metadata.labels", text, why);
        found.extend(names::label_key_mistakes(key).into_iter().map(|why| invalid(key, why)));
        found.extend(names::label_value_mistakes(value).into_iter().map(|why| invalid(value, why)));
    }
}

fn annotations(object: &dyn Reflect, found: &mut Violations) {
    let Some(annotations) = meta::strings(object, "annotations") else { return };
    let annotations = annotations.texts();
    for (key, _) in &annotations {
        // Like label keys, but case-insensitive.
        let mistakes = names::label_key_mistakes(&key.to_lowercase());
        found.extend(mistakes.into_iter().map(|why| Violation::invalid("metadata.annotations", key, why)));
    }
    let size: usize = annotations.iter().map(|(key, value)| key.len() + value.len()).sum();
    if size > MAX_ANNOTATIONS {
        let why = format!("may not be more than {MAX_ANNOTATIONS} bytes");
        found.add(|| Violation::too_long("metadata.annotations", why));
    }
}

/// Whether a text is a group and a version, or the version of the core group.
fn is_group_version(text: &str) -> bool {
    let parts: Vec<&str> = text.split('/').collect();
    parts.len() <= 2 && parts.last().is_some_and(|version| !version.is_empty())
}

/// Checks that every owner reference is complete, and that at most one is the controller.
fn owners(scheme: &Scheme, object: &dyn Reflect, found: &mut Violations) {
    let Some(list) = list_of(object, "ownerReferences") else { return };
    let mut controller: Option<String> = None;
    for index in 0..list.len() {
        let Slot::Struct(owner) = list.get(index) else { return };
        let text = |field: &str| match owner.field(field) {
            Some(Slot::String(text)) => text.to_shared(),
            _ => Str::new(),
        };
        let (api_version, kind, name) = (text("apiVersion"), text("kind"), text("name"));
        let path = format!("metadata.ownerReferences[{index}]");
        let uid = text("uid");
        for (field, value) in [("apiVersion", &api_version), ("kind", &kind), ("name", &name), ("uid", &uid)]
        {
            if value.is_empty() {
                found.add(|| Violation::required(format!("{path}.{field}"), "must not be empty"));
            }
        }
        if !api_version.is_empty() && !is_group_version(&api_version) {
            let why = "must be <group>/<version> or <version>";
            found.add(|| Violation::invalid(format!("{path}.apiVersion"), &api_version, why));
        }
        if let Some(owned) = scheme.named(&api_version, &kind).filter(|entry| entry.behaviour.is_never_owner)
        {
            let KindEntry { group, version, kind, .. } = &**owned;
            let why = format!("{group}/{version}, Kind={kind} is disallowed from being an owner");
            found.add(|| Violation::invalid_value(path, &Slot::Struct(owner), &why));
        }
        if matches!(owner.field("controller"), Some(Slot::Bool(true))) {
            let this = format!("{kind}/{name}");
            match &controller {
                None => controller = Some(this),
                Some(first) => {
                    let why = format!(
                        "Only one reference can have Controller set to true. Found \"true\" in references \
                         for {first} and {this}"
                    );
                    found
                        .add(|| Violation::invalid_value("metadata.ownerReferences", &Slot::List(list), why));
                }
            }
        }
    }
}

fn check_finalizers(object: &dyn Reflect, finalizers: &[&str], found: &mut Violations) {
    for finalizer in finalizers {
        let mistakes = names::label_key_mistakes(finalizer);
        found.extend(
            mistakes.into_iter().map(|why| Violation::invalid("metadata.finalizers", finalizer, why)),
        );
    }
    if finalizers.contains(&ORPHAN)
        && finalizers.contains(&FOREGROUND)
        && let Some(list) = list_of(object, "finalizers")
    {
        let why = format!("finalizer {ORPHAN} and {FOREGROUND} cannot be both set");
        found.add(|| Violation::invalid_value("metadata.finalizers", &Slot::List(list), why));
    }
}

/// Checks that no finalizer is added to an object that is being deleted; removing is allowed.
fn no_new_finalizers(new: &[&str], old: &[&str], found: &mut Violations) {
    let set = |finalizers: &[&'_ str]| finalizers.iter().map(|finalizer| format!("{finalizer:?}")).collect();
    let (new, old): (BTreeSet<String>, BTreeSet<String>) = (set(new), set(old));
    let added: Vec<&str> = new.difference(&old).map(String::as_str).collect();
    if !added.is_empty() {
        let why = format!(
            "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
            added.join(", ")
        );
        found.add(|| Violation::forbidden("metadata.finalizers", &why));
    }
}

fn list_of<'a>(object: &'a dyn Reflect, field: &str) -> Option<&'a dyn List> {
    match meta::metadata(object)?.field(field)? {
        Slot::List(list) => Some(list),
        _ => None,
    }
}

fn finalizers_of(object: &dyn Reflect) -> Vec<&str> {
    let Some(list) = list_of(object, "finalizers") else { return Vec::new() };
    let texts = (0..list.len()).filter_map(|index| match list.get(index) {
        Slot::String(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}
