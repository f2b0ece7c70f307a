//! Defaults of custom resource definitions.

use super::access::{get_mut, is_true, list, objects, set_text, text};
use hubgen_machinery::defaults::Context;
use hubgen_machinery::reflect::{List, Reflect, SlotMut};

/// `spec.names`: the singular name is the kind in lower case, and the list kind is the kind with
/// the suffix `List`.
pub fn names(definition: &mut dyn Reflect, _: &Context) {
    let kind = text(definition, "spec.names.kind").to_owned();
    if kind.is_empty() {
        return;
    }
    if text(definition, "spec.names.singular").is_empty() {
        set_text(definition, "spec.names.singular", &kind.to_lowercase());
    }
    if text(definition, "spec.names.listKind").is_empty() {
        set_text(definition, "spec.names.listKind", &format!("{kind}List"));
    }
}

/// `spec.versions` and the older `spec.version` contain the same version: a definition with only
/// one of them gets the other.
pub fn versions(definition: &mut dyn Reflect, _: &Context) {
    let version = text(definition, "spec.version").to_owned();
    let first = objects(definition, "spec.versions").next().map(|first| text(first, "name").to_owned());
    match first {
        Some(first) if version.is_empty() => set_text(definition, "spec.version", &first),
        None if !version.is_empty() => {
            if let Some(SlotMut::List(versions)) = get_mut(definition, "spec.versions")
                && let SlotMut::Struct(only) = versions.push()
            {
                set_text(only, "name", &version);
                for flag in ["served", "storage"] {
                    if let Some(SlotMut::Bool(flag)) = get_mut(only, flag) {
                        *flag = true;
                    }
                }
            }
        }
        _ => {}
    }
}

/// `status.storedVersions`: the storage version, if no version is listed yet.
pub fn stored_versions(definition: &mut dyn Reflect, _: &Context) {
    if !list(definition, "status.storedVersions").is_none_or(<dyn List>::is_empty) {
        return;
    }
    let storage = objects(definition, "spec.versions").find(|version| is_true(*version, "storage"));
    let Some(name) = storage.map(|version| text(version, "name").to_owned()) else { return };
    if let Some(SlotMut::List(stored)) = get_mut(definition, "status.storedVersions")
        && let SlotMut::String(slot) = stored.push()
    {
        slot.set(&name);
    }
}
