//! What writes make of definitions: their stored versions are noted, and their deletion removes the objects first.

use hubgen_machinery::meta;
use hubgen_machinery::reflect::{Reflect, Slot};
use serde_json::{Value, json};

use super::hub::Hub;
use super::{Collection, Objects};
use crate::fields::{set_value, value_of};
use crate::objectmeta;
use crate::validation::definitions;

/// What keeps a definition until all of its objects are removed.
pub(crate) const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";

/// Adds the storage version of a definition to those at which its objects may be stored.
pub(super) fn note_stored_version(definition: &mut dyn Reflect) {
    let Some(storage) = storage_version(definition) else { return };
    let mut status = value_of(definition, "status");
    let stored = status["storedVersions"].as_array().cloned().unwrap_or_default();
    if !stored.iter().any(|version| *version == storage) {
        status["storedVersions"] = stored.into_iter().chain([storage.into()]).collect();
        set(definition, "status", &status);
    }
}

/// The name of the first version at which a definition stores objects.
fn storage_version(definition: &dyn Reflect) -> Option<String> {
    let Slot::Struct(spec) = definition.field("spec")? else { return None };
    let Slot::List(versions) = spec.field("versions")? else { return None };
    (0..versions.len()).find_map(|index| {
        let Slot::Struct(version) = versions.get(index) else { return None };
        match (version.field("storage")?, version.field("name")?) {
            (Slot::Bool(true), Slot::String(name)) => Some(name.as_str().to_owned()),
            _ => None,
        }
    })
}

fn set(object: &mut dyn Reflect, field: &str, value: &Value) {
    let like = object.boxed_copy();
    set_value(&*like, object, field, value);
}

/// Sets a condition of a definition, at a time. Its own time changes only with its status.
pub(crate) fn set_condition(status: &mut Value, mut condition: Value, now: &str) {
    condition["lastTransitionTime"] = now.into();
    let mut all = status["conditions"].as_array().cloned().unwrap_or_default();
    match all.iter_mut().find(|old| old["type"] == condition["type"]) {
        None => all.push(condition),
        Some(old) => {
            if old["status"] == condition["status"] && old["lastTransitionTime"].is_string() {
                condition["lastTransitionTime"] = old["lastTransitionTime"].clone();
            }
            for (member, value) in condition.as_object().into_iter().flatten() {
                old[member] = value.clone();
            }
        }
    }
    status["conditions"] = all.into();
}

impl Objects {
    /// A definition whose deletion begins: something keeps it until its objects are removed. `None` for other objects, and
    /// if the deletion has begun.
    pub(super) fn terminating(&self, collection: &Collection, old: &Hub) -> Option<Hub> {
        if !definitions::are(&collection.entry) || objectmeta::is_being_deleted(&*old.value) {
            return None;
        }
        let mut new = old.clone();
        let object = &mut *new.value;
        let now = self.backing.environment.now();
        meta::set_time(object, "deletionTimestamp", Some(now));
        let finalizers = value_of(object, "metadata")["finalizers"].as_array().cloned().unwrap_or_default();
        if !finalizers.contains(&CLEANUP.into()) {
            let finalizers: Value = finalizers.into_iter().chain([CLEANUP.into()]).collect();
            objectmeta::set_json(object, "finalizers", finalizers.to_string().as_bytes());
        }
        let mut status = value_of(object, "status");
        let condition = json!({
            "type": "Terminating", "status": "True", "reason": "InstanceDeletionPending",
            "message": "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
        });
        set_condition(&mut status, condition, &now.to_string());
        set(object, "status", &status);
        Some(new)
    }
}
