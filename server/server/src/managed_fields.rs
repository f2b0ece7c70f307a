//! Reads and writes `metadata.managedFields`: who owns which fields of an object.

use std::any::Any;

use hubgen_machinery::json::{encode_slot, writer};
use hubgen_machinery::meta;
use hubgen_machinery::reflect::{List, Reflect, Slot, slots_equal};
use hubgen_machinery::scalar::Time;
use hubgen_patch::owners::{EntryError, Manager, Managers};

use crate::objectmeta;

/// The name of the field.
pub(crate) const FIELD: &str = "managedFields";

/// The entries of an object.
fn entries(object: &dyn Reflect) -> Option<&dyn List> {
    match meta::metadata(object)?.field(FIELD)? {
        Slot::List(entries) => Some(entries),
        _ => None,
    }
}

fn text<'a>(entry: &'a dyn Reflect, field: &str) -> &'a str {
    match entry.field(field) {
        Some(Slot::String(text)) => text.as_str(),
        _ => "",
    }
}

/// Whether the type of an object has entries.
pub(crate) fn are_known(object: &dyn Reflect) -> bool {
    meta::metadata(object).is_some_and(|metadata| metadata.position(FIELD).is_some())
}

/// Whether an object has no entries.
pub(crate) fn are_none(object: &dyn Reflect) -> bool {
    entries(object).is_none_or(|entries| entries.is_empty())
}

/// Whether an object has one entry, and nothing is in it.
pub(crate) fn is_one_without_content(object: &dyn Reflect) -> bool {
    let mut entries = entries(object).into_iter().flat_map(|entries| entries.iter());
    matches!((entries.next(), entries.next()), (Some(entry), None) if entry.is_zero())
}

/// Whether both objects have the same entries.
pub(crate) fn are_equal(one: &dyn Reflect, other: &dyn Reflect) -> bool {
    match [one, other].map(|object| meta::metadata(object)?.field(FIELD)) {
        [Some(one), Some(other)] => slots_equal(&one, &other),
        _ => false,
    }
}

/// The versions of the entries.
pub(crate) fn versions(object: &dyn Reflect) -> impl Iterator<Item = &str> {
    let entries = entries(object).into_iter().flat_map(|entries| entries.iter());
    entries.filter_map(|entry| match entry {
        Slot::Struct(entry) => Some(text(entry, "apiVersion")),
        _ => None,
    })
}

/// The managers of the entries.
///
/// # Errors
/// If an entry is none.
pub(crate) fn read(object: &dyn Reflect) -> Result<Managers, EntryError> {
    let mut managers = Managers::default();
    for entry in entries(object).into_iter().flat_map(|entries| entries.iter()) {
        let Slot::Struct(entry) = entry else { continue };
        let fields = match entry.field("fieldsV1") {
            Some(Slot::Raw(fields)) => Some(fields.as_str()),
            _ => None,
        };
        let mut manager = Manager::of_entry(
            text(entry, "manager"),
            text(entry, "operation"),
            text(entry, "apiVersion"),
            text(entry, "subresource"),
            text(entry, "fieldsType"),
            fields,
        )?;
        if let Some(Slot::Scalar(time)) = entry.field("time") {
            manager.time = (time as &dyn Any).downcast_ref::<Time>().copied();
        }
        managers.add(manager);
    }
    Ok(managers)
}

/// The entries of an object in JSON.
pub(crate) fn in_json(object: &dyn Reflect) -> Vec<u8> {
    let mut json = Vec::new();
    if let Some(slot) = meta::metadata(object).and_then(|metadata| metadata.field(FIELD)) {
        encode_slot(&slot, &mut json);
    }
    json
}

/// Replaces the entries of an object by those that [`in_json`] has returned.
pub(crate) fn set_json(object: &mut dyn Reflect, json: &[u8]) {
    objectmeta::set_json(object, FIELD, json);
}

/// Removes the entries of an object.
pub(crate) fn clear(object: &mut dyn Reflect) {
    objectmeta::clear(object, FIELD);
}

/// Copies the entries of an object to another one of the same type.
pub(crate) fn copy(from: &dyn Reflect, to: &mut dyn Reflect) {
    objectmeta::copy_metadata_field(from, to, FIELD);
}

/// Replaces the entries of an object by those of managers.
pub(crate) fn write(object: &mut dyn Reflect, managers: Managers) {
    if managers.is_empty() {
        return clear(object);
    }
    let mut json = vec![b'['];
    for manager in managers.into_sorted() {
        if json.len() > 1 {
            json.push(b',');
        }
        write_entry(&manager, &mut json);
    }
    json.push(b']');
    objectmeta::set_json(object, FIELD, &json);
}

fn write_entry(manager: &Manager, out: &mut Vec<u8>) {
    let identity = &manager.identity;
    let time = manager.time.map(|time| time.to_string()).unwrap_or_default();
    let mut before = b'{';
    for (name, value) in [
        ("manager", &*identity.manager),
        ("operation", identity.operation.as_str()),
        ("apiVersion", &manager.api_version),
        ("time", &time),
        ("fieldsType", "FieldsV1"),
        ("subresource", &identity.subresource),
    ] {
        if !value.is_empty() {
            out.push(std::mem::replace(&mut before, b','));
            writer::string(out, name);
            out.push(b':');
            writer::string(out, value);
        }
    }
    out.extend_from_slice(b",\"fieldsV1\":");
    manager.fields.write(out);
    out.push(b'}');
}
