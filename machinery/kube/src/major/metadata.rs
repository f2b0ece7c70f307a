//! The metadata of an object as that of k8s-openapi, and back.
//!
//! Both have the same JSON. They are copied field by field all the same, because kube asks for the metadata of every
//! object that it watches.

use std::any::Any;
use std::collections::BTreeMap;

use hubgen_machinery::json::Raw;
use hubgen_machinery::meta;
use hubgen_machinery::reflect::{ApiType, Fields, Kind, Reflect, Slot, SlotMut};
use hubgen_machinery::scalar::Time;

use super::k8s_openapi::apimachinery::pkg::apis::meta::v1 as theirs;
use super::kube_core::ObjectMeta;

/// kube's metadata of an object.
///
/// # Panics
/// If the object's type has no `metadata`.
pub fn read<T: ApiType<Whole: Kind>>(object: &T) -> ObjectMeta {
    let mut out = ObjectMeta::default();
    let Some(metadata) = meta::metadata(object) else { no_metadata::<T>() };
    for (field, slot) in metadata.fields().iter() {
        match &*field.name {
            "name" => out.name = text(slot),
            "generateName" => out.generate_name = text(slot),
            "namespace" => out.namespace = text(slot),
            "selfLink" => out.self_link = text(slot),
            "uid" => out.uid = text(slot),
            "resourceVersion" => out.resource_version = text(slot),
            "generation" => out.generation = number(slot).filter(|generation| *generation != 0),
            "creationTimestamp" => out.creation_timestamp = time(slot),
            "deletionTimestamp" => out.deletion_timestamp = time(slot),
            "deletionGracePeriodSeconds" => out.deletion_grace_period_seconds = number(slot),
            "labels" => out.labels = texts(slot),
            "annotations" => out.annotations = texts(slot),
            "finalizers" => out.finalizers = list(slot, |item| text(item).unwrap_or_default()),
            "ownerReferences" => out.owner_references = list(slot, owner_reference),
            "managedFields" => out.managed_fields = list(slot, managed_fields),
            _ => {}
        }
    }
    out
}

/// Replaces what kube's metadata has in the metadata of an object. Fields that it does not have, such as those of old
/// releases, stay.
///
/// # Panics
/// If the object's type has no `metadata`.
pub fn write<T: ApiType<Whole: Kind>>(from: &ObjectMeta, object: &mut T) {
    let Some(metadata) = meta::metadata_mut(object) else { no_metadata::<T>() };
    each(metadata, |name, slot| match name {
        "name" => set_text(slot, from.name.as_deref()),
        "generateName" => set_text(slot, from.generate_name.as_deref()),
        "namespace" => set_text(slot, from.namespace.as_deref()),
        "selfLink" => set_text(slot, from.self_link.as_deref()),
        "uid" => set_text(slot, from.uid.as_deref()),
        "resourceVersion" => set_text(slot, from.resource_version.as_deref()),
        "generation" => set_number(slot, from.generation),
        "creationTimestamp" => set_time(slot, from.creation_timestamp.as_ref()),
        "deletionTimestamp" => set_time(slot, from.deletion_timestamp.as_ref()),
        "deletionGracePeriodSeconds" => set_number(slot, from.deletion_grace_period_seconds),
        "labels" => set_texts(slot, from.labels.as_ref()),
        "annotations" => set_texts(slot, from.annotations.as_ref()),
        "finalizers" => {
            set_list(slot, from.finalizers.as_deref(), |item, slot| set_text(slot, Some(item)));
        }
        "ownerReferences" => set_list(slot, from.owner_references.as_deref(), set_owner_reference),
        "managedFields" => set_list(slot, from.managed_fields.as_deref(), set_managed_fields),
        _ => {}
    });
}

fn no_metadata<T: ApiType>() -> ! {
    panic!("kube needs objects with metadata, and `{}` has no field `metadata`", T::describe().name)
}

/// `None` if the text is empty, which is absent in the JSON of metadata.
fn text(slot: Slot<'_>) -> Option<String> {
    match slot {
        Slot::String(text) if !text.is_empty() => Some(text.as_str().to_owned()),
        _ => None,
    }
}

fn number(slot: Slot<'_>) -> Option<i64> {
    match slot {
        Slot::Int64(number) => Some(number),
        _ => None,
    }
}

fn time(slot: Slot<'_>) -> Option<theirs::Time> {
    match slot {
        Slot::Scalar(scalar) => (scalar as &dyn Any).downcast_ref().map(|Time(time)| theirs::Time(*time)),
        _ => None,
    }
}

fn texts(slot: Slot<'_>) -> Option<BTreeMap<String, String>> {
    let Slot::Map(map) = slot else { return None };
    if map.is_empty() {
        return None;
    }
    let mut out = BTreeMap::new();
    map.visit(&mut |key, slot| {
        out.insert(key.to_owned(), text(slot).unwrap_or_default());
    });
    Some(out)
}

fn list<'a, I>(slot: Slot<'a>, item: impl Fn(Slot<'a>) -> I) -> Option<Vec<I>> {
    match slot {
        Slot::List(list) if !list.is_empty() => Some(list.iter().map(item).collect()),
        _ => None,
    }
}

/// The fields of an item of a list.
fn fields<'a>(slot: Slot<'a>) -> impl Iterator<Item = (&'a str, Slot<'a>)> {
    let fields: Option<Fields<'a>> = match slot {
        Slot::Struct(object) => Some(object.fields()),
        _ => None,
    };
    fields.into_iter().flat_map(|fields| fields.iter().map(|(field, slot)| (&*field.name, slot)))
}

fn owner_reference(slot: Slot<'_>) -> theirs::OwnerReference {
    let mut out = theirs::OwnerReference::default();
    for (name, slot) in fields(slot) {
        match (name, slot) {
            ("apiVersion", slot) => out.api_version = text(slot).unwrap_or_default(),
            ("kind", slot) => out.kind = text(slot).unwrap_or_default(),
            ("name", slot) => out.name = text(slot).unwrap_or_default(),
            ("uid", slot) => out.uid = text(slot).unwrap_or_default(),
            ("controller", Slot::Bool(value)) => out.controller = Some(value),
            ("blockOwnerDeletion", Slot::Bool(value)) => out.block_owner_deletion = Some(value),
            _ => {}
        }
    }
    out
}

fn managed_fields(slot: Slot<'_>) -> theirs::ManagedFieldsEntry {
    let mut out = theirs::ManagedFieldsEntry::default();
    for (name, slot) in fields(slot) {
        match (name, slot) {
            ("manager", slot) => out.manager = text(slot),
            ("operation", slot) => out.operation = text(slot),
            ("apiVersion", slot) => out.api_version = text(slot),
            ("time", slot) => out.time = time(slot),
            ("fieldsType", slot) => out.fields_type = text(slot),
            ("fieldsV1", Slot::Raw(raw)) if !raw.is_null() => {
                out.fields_v1 = raw.to_value().ok().map(theirs::FieldsV1);
            }
            ("subresource", slot) => out.subresource = text(slot),
            _ => {}
        }
    }
    out
}

/// Calls `set` with every field of an object, and with its name.
fn each(object: &mut dyn Reflect, mut set: impl FnMut(&str, SlotMut<'_>)) {
    for index in 0..object.descriptor().fields.len() {
        let name = object.descriptor().fields[index].name.to_owned();
        set(&name, object.write(index));
    }
}

/// Sets a field to a value, or clears it.
fn set<V>(slot: SlotMut<'_>, value: Option<V>, set: impl FnOnce(SlotMut<'_>, V)) {
    match value {
        Some(value) => set(slot.present(), value),
        None => slot.clear(),
    }
}

fn set_text(slot: SlotMut<'_>, value: Option<&str>) {
    set(slot, value, |slot, value| {
        if let SlotMut::String(slot) = slot {
            slot.set(value);
        }
    });
}

fn set_number(slot: SlotMut<'_>, value: Option<i64>) {
    set(slot, value, |slot, value| {
        if let SlotMut::Int64(slot) = slot {
            *slot = value;
        }
    });
}

fn set_bool(slot: SlotMut<'_>, value: Option<bool>) {
    set(slot, value, |slot, value| {
        if let SlotMut::Bool(slot) = slot {
            *slot = value;
        }
    });
}

fn set_time(slot: SlotMut<'_>, value: Option<&theirs::Time>) {
    set(slot, value, |slot, value| {
        if let SlotMut::Scalar(slot) = slot
            && let Some(slot) = (slot as &mut dyn Any).downcast_mut::<Time>()
        {
            *slot = value.0.into();
        }
    });
}

fn set_texts(slot: SlotMut<'_>, value: Option<&BTreeMap<String, String>>) {
    set(slot, value, |slot, value| {
        if let SlotMut::Map(map) = slot {
            map.clear();
            for (key, value) in value {
                set_text(map.entry(key), Some(value));
            }
        }
    });
}

fn set_list<I>(slot: SlotMut<'_>, value: Option<&[I]>, set_item: impl Fn(&I, SlotMut<'_>)) {
    set(slot, value, |slot, value| {
        if let SlotMut::List(list) = slot {
            list.clear();
            list.reserve(value.len());
            for item in value {
                set_item(item, list.push());
            }
        }
    });
}

fn set_owner_reference(from: &theirs::OwnerReference, slot: SlotMut<'_>) {
    let SlotMut::Struct(object) = slot.present() else { return };
    each(object, |name, slot| match name {
        "apiVersion" => set_text(slot, Some(&from.api_version)),
        "kind" => set_text(slot, Some(&from.kind)),
        "name" => set_text(slot, Some(&from.name)),
        "uid" => set_text(slot, Some(&from.uid)),
        "controller" => set_bool(slot, from.controller),
        "blockOwnerDeletion" => set_bool(slot, from.block_owner_deletion),
        _ => {}
    });
}

fn set_managed_fields(from: &theirs::ManagedFieldsEntry, slot: SlotMut<'_>) {
    let SlotMut::Struct(object) = slot.present() else { return };
    each(object, |name, slot| match name {
        "manager" => set_text(slot, from.manager.as_deref()),
        "operation" => set_text(slot, from.operation.as_deref()),
        "apiVersion" => set_text(slot, from.api_version.as_deref()),
        "time" => set_time(slot, from.time.as_ref()),
        "fieldsType" => set_text(slot, from.fields_type.as_deref()),
        "fieldsV1" => set(slot, from.fields_v1.as_ref(), |slot, theirs::FieldsV1(value)| {
            if let SlotMut::Raw(slot) = slot {
                *slot = Raw::from(value);
            }
        }),
        "subresource" => set_text(slot, from.subresource.as_deref()),
        _ => {}
    });
}
