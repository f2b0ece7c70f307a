//! Access to the metadata of an object of any type.
//!
//! Every stored kind has `metadata` of the same shape. These functions read and write it over
//! reflection, so that they work for compiled types and for types built at run time.

use std::any::Any;

use crate::reflect::{Map, Reflect, Slot, SlotMut, TextSlot};
use crate::scalar::Time;
use crate::{Str, StrMap};

/// Labels or annotations.
pub type StringMap = StrMap<Str>;

/// The `metadata` of an object, for reading; `None` if it has none.
pub fn metadata(object: &dyn Reflect) -> Option<&dyn Reflect> {
    match object.field("metadata")? {
        Slot::Struct(metadata) => Some(metadata),
        _ => None,
    }
}

/// The `metadata` of an object, for writing; `None` if it has none.
pub fn metadata_mut(object: &mut dyn Reflect) -> Option<&mut dyn Reflect> {
    match object.field_mut("metadata")?.present() {
        SlotMut::Struct(metadata) => Some(metadata),
        _ => None,
    }
}

/// A text field of the metadata such as `name`; empty if absent.
pub fn text<'a>(object: &'a dyn Reflect, field: &str) -> &'a str {
    match metadata(object).and_then(|metadata| metadata.field(field)) {
        Some(Slot::String(text)) => text.as_str(),
        _ => "",
    }
}

/// A text field of the metadata such as `name`, for writing.
pub fn text_mut<'a>(object: &'a mut dyn Reflect, field: &str) -> Option<&'a mut dyn TextSlot> {
    match metadata_mut(object)?.field_mut(field)?.present() {
        SlotMut::String(text) => Some(text),
        _ => None,
    }
}

/// `labels` or `annotations`; `None` if the object has no metadata.
///
/// ```
/// use hubgen_machinery::meta::{self, StringMap};
/// use hubgen_machinery::ApiType;
///
/// #[derive(ApiType)]
/// struct Metadata {
///     labels: StringMap,
/// }
///
/// #[derive(ApiType)]
/// struct Widget {
///     metadata: Metadata,
/// }
///
/// let widget = Widget { metadata: Metadata { labels: meta::string_map([("app", "web")]) } };
/// assert_eq!(meta::strings(&widget, "labels").and_then(|labels| labels.text("app")), Some("web"));
/// ```
pub fn strings<'a>(object: &'a dyn Reflect, field: &str) -> Option<&'a dyn Map> {
    match metadata(object)?.field(field)? {
        Slot::Map(map) => Some(map),
        _ => None,
    }
}

/// `labels` or `annotations`, for writing.
pub fn strings_mut<'a>(object: &'a mut dyn Reflect, field: &str) -> Option<&'a mut dyn Map> {
    match metadata_mut(object)?.field_mut(field)?.present() {
        SlotMut::Map(map) => Some(map),
        _ => None,
    }
}

/// Makes labels or annotations from texts of any type.
///
/// ```
/// use hubgen_machinery::meta::{StringMap, string_map};
///
/// let labels: StringMap = string_map([("app", "web"), ("tier", "front")]);
/// assert_eq!(labels["app"], "web");
/// ```
pub fn string_map(pairs: impl IntoIterator<Item = (impl Into<Str>, impl Into<Str>)>) -> StringMap {
    pairs.into_iter().map(|(key, value)| (key.into(), value.into())).collect()
}

/// `generation`; zero if absent.
pub fn generation(object: &dyn Reflect) -> i64 {
    match metadata(object).and_then(|metadata| metadata.field("generation")) {
        Some(Slot::Int64(generation)) => generation,
        _ => 0,
    }
}

/// Sets `generation`, if the object has this field.
pub fn set_generation(object: &mut dyn Reflect, generation: i64) {
    if let Some(SlotMut::Int64(slot)) =
        metadata_mut(object).and_then(|metadata| metadata.field_mut("generation")).map(SlotMut::present)
    {
        *slot = generation;
    }
}

/// A time of the metadata such as `creationTimestamp`.
pub fn time(object: &dyn Reflect, field: &str) -> Option<Time> {
    match metadata(object)?.field(field)? {
        Slot::Scalar(scalar) => (scalar as &dyn Any).downcast_ref().cloned(),
        _ => None,
    }
}

/// Sets a time of the metadata; `None` removes it.
pub fn set_time(object: &mut dyn Reflect, field: &str, time: Option<Time>) {
    let Some(slot) = metadata_mut(object).and_then(|metadata| metadata.field_mut(field)) else { return };
    match time {
        None => slot.clear(),
        Some(time) => {
            if let SlotMut::Scalar(scalar) = slot.present()
                && let Some(slot) = (scalar as &mut dyn Any).downcast_mut()
            {
                *slot = time;
            }
        }
    }
}
