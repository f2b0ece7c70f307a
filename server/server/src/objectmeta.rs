//! Reads and writes metadata that the server manages, beyond `hubgen_machinery::meta`.

use hubgen_machinery::json;
use hubgen_machinery::meta;
use hubgen_machinery::reflect::{self, Reflect, Slot, SlotMut};

/// Sets a string field of the metadata, if the object has this field.
pub(crate) fn set_text(object: &mut dyn Reflect, field: &str, text: &str) {
    if let Some(slot) = meta::text_mut(object, field) {
        slot.set(text);
    }
}

/// Removes a field of the metadata.
pub(crate) fn clear(object: &mut dyn Reflect, field: &str) {
    if let Some(slot) = meta::metadata_mut(object).and_then(|metadata| metadata.field_mut(field)) {
        slot.clear();
    }
}

/// Whether the object has finalizers, which must be removed before it can be deleted.
pub(crate) fn has_finalizers(object: &dyn Reflect) -> bool {
    let finalizers = meta::metadata(object).and_then(|metadata| metadata.field("finalizers"));
    finalizers.is_some_and(|slot| !slot.is_zero())
}

/// Whether a deletion of the object was requested.
pub(crate) fn is_being_deleted(object: &dyn Reflect) -> bool {
    meta::time(object, "deletionTimestamp").is_some()
}

/// Sets `deletionGracePeriodSeconds`.
pub(crate) fn set_grace_period(object: &mut dyn Reflect, seconds: i64) {
    let slot =
        meta::metadata_mut(object).and_then(|metadata| metadata.field_mut("deletionGracePeriodSeconds"));
    if let Some(SlotMut::Int64(slot)) = slot.map(SlotMut::present) {
        *slot = seconds;
    }
}

/// Copies a field from `source` to `target`, an object of the same type.
pub(crate) fn copy_field(source: &dyn Reflect, target: &mut dyn Reflect, field: &str) {
    let Some(index) = source.position(field) else { return };
    let mut text = Vec::new();
    let value = source.fields().slot(index);
    target.write(index).clear();
    if !matches!(value, Slot::Absent) {
        json::encode_slot(&value, &mut text);
        let ty = &source.descriptor().fields[index].ty;
        json::decode_slot(&text, ty, target.write(index))
            .unwrap_or_else(|error| panic!("cannot copy {field} between two objects of one type: {error}"));
    }
}

/// Sets a field of the metadata to a value in JSON.
pub(crate) fn set_json(object: &mut dyn Reflect, field: &str, json: &[u8]) {
    let Some(metadata) = meta::metadata_mut(object) else { return };
    let Some(index) = metadata.position(field) else { return };
    let of = metadata.descriptor().share();
    json::decode_slot(json, &of.fields[index].ty, metadata.write(index))
        .unwrap_or_else(|error| panic!("cannot set {field}: {error}"));
}

/// Copies a field of the metadata from `source` to `target`.
pub(crate) fn copy_metadata_field(source: &dyn Reflect, target: &mut dyn Reflect, field: &str) {
    if let (Some(source), Some(target)) = (meta::metadata(source), meta::metadata_mut(target)) {
        copy_field(source, target, field);
    }
}

/// Whether two objects of one type differ in a field.
pub(crate) fn differ_in(a: &dyn Reflect, b: &dyn Reflect, field: &str) -> bool {
    match [a, b].map(|object| object.field(field)) {
        [Some(a), Some(b)] => !reflect::slots_equal(&a, &b),
        _ => false,
    }
}

/// Whether two objects differ in anything but metadata and status.
pub(crate) fn differs_in_spec(a: &dyn Reflect, b: &dyn Reflect) -> bool {
    let spec = |object: &dyn Reflect| {
        let mut copy = object.boxed_copy();
        for field in ["metadata", "status"] {
            if let Some(slot) = copy.field_mut(field) {
                slot.clear();
            }
        }
        copy
    };
    !reflect::equal(&*spec(a), &*spec(b))
}
