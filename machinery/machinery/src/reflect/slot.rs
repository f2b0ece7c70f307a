//! Slots: untyped access to one value of an object.

use std::any::Any;

use super::{Fields, List, Reflect, Scalar, TextRef, TextSlot};
use crate::json::raw::Raw;
use crate::{Str, StrMap};

/// A value for reading.
#[derive(Clone, Copy)]
#[allow(missing_docs, reason = "the names are the meaning")]
pub enum Slot<'a> {
    /// An `Option` that is `None`.
    Absent,
    /// An `Option<Option<_>>` that is `Some(None)`: the `null` of a field that may also be absent.
    Null,
    Bool(bool),
    Int32(i32),
    Int64(i64),
    Double(f64),
    String(TextRef<'a>),
    Bytes(&'a [u8]),
    /// A scalar with its own text format, such as a time or a quantity.
    Scalar(&'a dyn Scalar),
    Raw(&'a Raw),
    Struct(&'a dyn Reflect),
    List(&'a dyn List),
    Map(&'a dyn Map),
    Union(&'a dyn Union),
}

impl Slot<'_> {
    /// Whether the value is absent or the zero of its type. A struct is zero if
    /// all its fields are.
    #[inline]
    pub fn is_zero(&self) -> bool {
        match self {
            Self::Absent => true,
            Self::Null => false,
            Self::Bool(value) => !value,
            Self::Int32(value) => *value == 0,
            Self::Int64(value) => *value == 0,
            Self::Double(value) => *value == 0.0,
            Self::String(value) => value.is_empty(),
            Self::Bytes(value) => value.is_empty(),
            Self::Scalar(value) => value.is_zero(),
            Self::Raw(value) => value.is_null(),
            Self::Struct(value) => has_zeros_only(*value),
            Self::List(value) => value.is_empty(),
            Self::Map(value) => value.is_empty(),
            Self::Union(_) => false,
        }
    }
}

fn has_zeros_only(object: &dyn Reflect) -> bool {
    object.fields().slots().all(|slot| slot.is_zero())
}

/// Whether a field is not set: it is absent or, if it cannot be absent
/// (`optional` is false), the zero of its type.
///
/// Unlike [`Slot::is_zero`], it distinguishes a present zero from an absent
/// value at any depth, as Go's `omitzero` does: a struct with a pointer to 0 is
/// set.
pub fn is_unset(optional: bool, slot: &Slot<'_>) -> bool {
    match slot {
        Slot::Absent => true,
        _ if optional => false,
        Slot::Struct(object) => !is_set(object.fields()),
        slot => slot.is_zero(),
    }
}

/// Whether any field of an object is set, as [`is_unset`] determines it.
pub(crate) fn is_set(object: Fields<'_>) -> bool {
    object.iter().any(|(field, slot)| !is_unset(field.optional, &slot))
}

/// A value for writing.
#[allow(missing_docs, reason = "the names are the meaning")]
pub enum SlotMut<'a> {
    Bool(&'a mut bool),
    Int32(&'a mut i32),
    Int64(&'a mut i64),
    Double(&'a mut f64),
    /// A [`Str`] or a `String`.
    String(&'a mut dyn TextSlot),
    Bytes(&'a mut Vec<u8>),
    /// A scalar with its own text format, such as a time or a quantity.
    Scalar(&'a mut dyn Scalar),
    Raw(&'a mut Raw),
    Struct(&'a mut dyn Reflect),
    List(&'a mut dyn List),
    Map(&'a mut dyn Map),
    Union(&'a mut dyn Union),
    /// An `Option`, present or absent.
    Optional(&'a mut dyn Optional),
    /// A variant of an enum, active or not, by its position.
    Member(&'a mut dyn OneOf, usize),
}

impl<'a> SlotMut<'a> {
    /// The value itself. If it is absent, it is created.
    pub fn present(self) -> SlotMut<'a> {
        match self {
            Self::Optional(value) => value.insert().present(),
            Self::Member(value, index) => value.activate(index).present(),
            other => other,
        }
    }

    /// Sets the value to the `null` of JSON, which means absent unless the field distinguishes the
    /// two.
    pub fn set_null(self) {
        match self {
            Self::Optional(value) => value.set_null(),
            other => other.clear(),
        }
    }

    /// Makes the value absent or, if it cannot be absent, the zero of its type.
    pub fn clear(self) {
        match self {
            Self::Bool(value) => *value = false,
            Self::Int32(value) => *value = 0,
            Self::Int64(value) => *value = 0,
            Self::Double(value) => *value = 0.0,
            Self::String(value) => value.set(""),
            Self::Bytes(value) => value.clear(),
            Self::Scalar(value) => value.clear(),
            Self::Raw(value) => *value = Raw::default(),
            Self::Struct(value) => {
                for index in 0..value.descriptor().fields.len() {
                    value.write(index).clear();
                }
            }
            Self::List(value) => value.clear(),
            Self::Map(value) => value.clear(),
            Self::Union(value) => value.clear(),
            Self::Optional(value) => value.clear(),
            Self::Member(value, index) => {
                if value.active() == index {
                    value.reset();
                }
            }
        }
    }
}

/// A map from strings, in the order of its keys.
#[allow(clippy::len_without_is_empty, reason = "`dyn Map` has it")]
pub trait Map: Any {
    /// The number of entries.
    fn len(&self) -> usize;
    /// Whether values may be absent (`StrMap<Option<…>>`).
    fn has_optional_values(&self) -> bool;
    /// Calls `visit` with every entry, in the order of the keys.
    fn visit<'a>(&'a self, visit: &mut dyn FnMut(&'a str, Slot<'a>));
    /// Calls `visit` with every entry, for writing.
    fn visit_mut(&mut self, visit: &mut dyn FnMut(&str, SlotMut<'_>));
    /// The value at `key`.
    fn get(&self, key: &str) -> Option<Slot<'_>>;
    /// The value at `key`. If there is none, it is created.
    fn entry(&mut self, key: &str) -> SlotMut<'_>;
    /// Calls `share` with each key, which it may replace with an equal one that shares an allocation. Only maps
    /// whose keys are [`Str`] can do this.
    fn share_keys(&mut self, share: &mut dyn FnMut(&mut Str));
    /// Removes every entry for whose key `keep` returns false.
    fn retain(&mut self, keep: &mut dyn FnMut(&str) -> bool);
    /// Inserts empty values for all keys at once. Does nothing, and returns false, unless the map is empty and the keys
    /// are in ascending order.
    fn fill(&mut self, keys: &[&str]) -> bool;
    /// Returns memory that is reserved for more entries.
    fn shrink(&mut self);
    /// Removes every entry.
    fn clear(&mut self);
}

impl dyn Map {
    /// The concrete map, if it is a [`StrMap`] whose values are of type `T`.
    pub fn downcast_ref<T: 'static>(&self) -> Option<&StrMap<T>> {
        super::lent::downcast_ref(self)
    }

    /// The concrete map, if it is a [`StrMap`] whose values are of type `T`.
    pub fn downcast_mut<T: 'static>(&mut self) -> Option<&mut StrMap<T>> {
        super::lent::downcast_mut(self)
    }
}

impl dyn Map + '_ {
    /// Whether the map has no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The text at `key`; `None` if there is none.
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.get(key) {
            Some(Slot::String(text)) => Some(text.as_str()),
            _ => None,
        }
    }

    /// All keys with their texts.
    pub fn texts(&self) -> Vec<(&str, &str)> {
        let mut all = Vec::with_capacity(self.len());
        self.visit(&mut |key, slot| {
            if let Slot::String(text) = slot {
                all.push((key, text.as_str()));
            }
        });
        all
    }

    /// The value at `key`. It is cleared if it exists and created if not.
    pub fn cleared_entry(&mut self, key: &str) -> SlotMut<'_> {
        if self.get(key).is_some() {
            self.entry(key).clear();
        }
        self.entry(key)
    }
}

/// A value that may be absent.
pub trait Optional {
    /// Whether the value is present.
    fn is_present(&self) -> bool;
    /// The value. If it is absent, it is created.
    fn insert(&mut self) -> SlotMut<'_>;
    /// Makes the value absent.
    fn clear(&mut self);
    /// Whether `null` is a value that differs from an absent one (`Option<Option<_>>`).
    fn is_nullable(&self) -> bool;
}

impl dyn Optional + '_ {
    /// Sets the value to the `null` of JSON: absent, unless `null` is a value of its own.
    pub fn set_null(&mut self) {
        if self.is_nullable() { self.insert().clear() } else { self.clear() }
    }
}

/// An enum whose variants are fields of a JSON object, of which one is present.
pub trait OneOf {
    /// The position of the active variant.
    fn active(&self) -> usize;
    /// The value of the active variant.
    fn value(&self) -> Slot<'_>;
    /// Switches to the variant at `index`. If another variant was active, the
    /// new one is empty.
    ///
    /// # Panics
    /// When the index is out of range.
    fn activate(&mut self, index: usize) -> SlotMut<'_>;
    /// Switches to the default variant, which is then empty.
    fn reset(&mut self);
}

/// A value of one of several member types. The shape of its JSON determines the
/// member.
pub trait Union {
    /// The value of the active member.
    fn active(&self) -> Slot<'_>;
    /// Switches to the member for JSON of that shape; `None` if there is none.
    /// If another member was active, the new one is empty.
    fn select(&mut self, shape: Shape) -> Option<SlotMut<'_>>;
    /// The value of the active member, for writing.
    fn active_mut(&mut self) -> SlotMut<'_>;
    /// Switches to the default member, which is then empty.
    fn clear(&mut self);
    /// The JSON that the union allows, for error messages: `an object or a
    /// boolean`.
    fn expectation(&self) -> &'static str;
}

/// The shape of a JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the meaning")]
pub enum Shape {
    Bool,
    Number,
    String,
    Array,
    Object,
}
