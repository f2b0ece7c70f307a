//! What a request must not change: it is carried over from the old object.

use hubgen_definitions::CustomObject;
use hubgen_machinery::reflect::Reflect;
use serde_json::Value;

use super::Collection;
use super::hub::Hub;
use crate::fields::{set_value, value_of};
use crate::objectmeta;
use crate::part::{self, Part, has_status};

/// Metadata that only the server sets.
const OF_SERVER: [&str; 5] =
    ["uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation"];
/// The lists of containers whose resources change while they run.
const RESIZED: [&str; 2] = ["containers", "initContainers"];

/// Copies what a request for a part must not change from the old object.
pub(super) fn carry_over(collection: &Collection, part: Part, old: &Hub, new: &mut Hub) {
    let entry = &collection.entry;
    match part {
        Part::Status => {
            let mut whole = old.clone();
            copy_status(&*new.value, &mut *whole.value);
            for field in entry.behaviour.status_metadata.iter() {
                objectmeta::copy_metadata_field(&*new.value, &mut *whole.value, field);
            }
            new.value = whole.value;
        }
        Part::Approval => take(old, new, "status", |old, new| set(old, "conditions", new.get("conditions"))),
        Part::EphemeralContainers => {
            let field = "ephemeralContainers";
            take(old, new, "spec", |old, new| set(old, field, new.get(field)));
        }
        Part::Resize => take(old, new, "spec", resize),
        // The number of replicas is in the spec, which the server itself has made.
        Part::Scale => objectmeta::copy_field(&*old.value, &mut *new.value, "status"),
        // These are made of the old object by the server itself.
        Part::Eviction | Part::Binding | Part::Token => {}
        Part::Main | Part::Finalize => {
            for field in OF_SERVER {
                objectmeta::copy_metadata_field(&*old.value, &mut *new.value, field);
            }
            if has_status(entry) {
                copy_status(&*old.value, &mut *new.value);
            }
            if part == Part::Main && part::has(entry, Part::Finalize) {
                keep_finalizers(&*old.value, &mut *new.value);
            }
        }
    }
}

/// Copies the status. That of what no type describes may be `null`, which is not the same as none.
fn copy_status(source: &dyn Reflect, target: &mut dyn Reflect) {
    match (source.downcast_ref::<CustomObject>(), target.downcast_mut::<CustomObject>()) {
        (Some(source), Some(target)) => target.status.clone_from(&source.status),
        _ => objectmeta::copy_field(source, target, "status"),
    }
}

/// Makes the new object of the old one, with what `change` takes from a field of the new one.
fn take(old: &Hub, new: &mut Hub, field: &str, change: impl FnOnce(&mut Value, &Value)) {
    let mut whole = old.clone();
    let mut value = value_of(&*old.value, field);
    change(&mut value, &value_of(&*new.value, field));
    set_value(&*old.value, &mut *whole.value, field, &value);
    new.value = whole.value;
}

/// Only requests for a subresource of their own change the finalizers in the spec.
fn keep_finalizers(old: &dyn Reflect, new: &mut dyn Reflect) {
    let mut spec = value_of(new, "spec");
    set(&mut spec, "finalizers", value_of(old, "spec").get("finalizers"));
    set_value(old, new, "spec", &spec);
}

/// Gives containers the resources that containers of the same name have.
fn resize(old: &mut Value, new: &Value) {
    for list in RESIZED {
        let Some(containers) = old.get_mut(list).and_then(Value::as_array_mut) else { continue };
        let resized = new.get(list).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        for container in containers {
            let name = container.get("name").cloned();
            if let Some(resized) = resized.iter().find(|resized| resized.get("name") == name.as_ref()) {
                set(container, "resources", resized.get("resources"));
            }
        }
    }
    // Those of the pod as a whole.
    set(old, "resources", new.get("resources"));
}

fn set(object: &mut Value, member: &str, value: Option<&Value>) {
    match (object, value) {
        (Value::Object(object), Some(value)) => {
            object.insert(member.to_owned(), value.clone());
        }
        (Value::Object(object), None) => {
            object.remove(member);
        }
        (object, Some(value)) => *object = serde_json::json!({ member: value }),
        (_, None) => {}
    }
}
