//! Slots: a field as a codec sees it.

use std::any::Any;
use std::collections::BTreeMap;

use super::{Reflect, Scalar};
use crate::json::raw::Raw;

/// A value, for reading.
#[derive(Clone, Copy)]
#[allow(missing_docs, reason = "the names are the meaning")]
pub enum Slot<'a> {
    /// An `Option` that holds nothing.
    Absent,
    Bool(bool),
    Int32(i32),
    Int64(i64),
    Double(f64),
    String(&'a str),
    Bytes(&'a [u8]),
    /// A leaf with a form of its own, such as a time or a quantity.
    Scalar(&'a dyn Scalar),
    Raw(&'a Raw),
    Struct(&'a dyn Reflect),
    List(&'a dyn List),
    Map(&'a dyn Map),
    Union(&'a dyn Union),
}

impl Slot<'_> {
    /// Whether it is absent, or the zero of its type, all the way down.
    #[inline]
    pub fn is_zero(&self) -> bool {
        match self {
            Self::Absent => true,
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
    let mut zero = true;
    object.read(&mut |slots| zero = slots.iter().all(Slot::is_zero));
    zero
}

/// Whether a field holds nothing: it is absent, or the zero of its type where
/// absence is no state of the field (`optional` is false).
///
/// Unlike [`Slot::is_zero`] it tells a present zero from an absent one, at any
/// depth, as Go's `omitzero` does: a struct with a pointer to 0 is not zero.
pub fn is_unset(optional: bool, slot: &Slot<'_>) -> bool {
    match slot {
        Slot::Absent => true,
        _ if optional => false,
        Slot::Struct(object) => {
            let mut unset = true;
            object.read(&mut |slots| {
                let fields = &object.descriptor().fields;
                unset = fields.iter().zip(slots).all(|(field, slot)| is_unset(field.optional, slot));
            });
            unset
        }
        slot => slot.is_zero(),
    }
}

/// A value, for writing.
#[allow(missing_docs, reason = "the names are the meaning")]
pub enum SlotMut<'a> {
    Bool(&'a mut bool),
    Int32(&'a mut i32),
    Int64(&'a mut i64),
    Double(&'a mut f64),
    String(&'a mut String),
    Bytes(&'a mut Vec<u8>),
    /// A leaf with a form of its own, such as a time or a quantity.
    Scalar(&'a mut dyn Scalar),
    Raw(&'a mut Raw),
    Struct(&'a mut dyn Reflect),
    List(&'a mut dyn List),
    Map(&'a mut dyn Map),
    Union(&'a mut dyn Union),
    /// An `Option`, present or not.
    Optional(&'a mut dyn Optional),
    /// A member of an enum, the active one or not.
    Member(&'a mut dyn OneOf, usize),
}

impl<'a> SlotMut<'a> {
    /// The value itself, made present where it may be absent.
    pub fn present(self) -> SlotMut<'a> {
        match self {
            Self::Optional(value) => value.insert().present(),
            Self::Member(value, index) => value.activate(index).present(),
            other => other,
        }
    }

    /// Makes the value absent, or the zero of its type.
    pub fn clear(self) {
        match self {
            Self::Bool(value) => *value = false,
            Self::Int32(value) => *value = 0,
            Self::Int64(value) => *value = 0,
            Self::Double(value) => *value = 0.0,
            Self::String(value) => value.clear(),
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

/// A list of values.
#[allow(clippy::len_without_is_empty, reason = "`dyn List` has it")]
pub trait List {
    /// How many elements there are.
    fn len(&self) -> usize;
    /// Whether elements may be absent (`Vec<Option<…>>`).
    fn holds_options(&self) -> bool;
    /// The element at `index`.
    ///
    /// # Panics
    /// When there is no such element.
    fn get(&self, index: usize) -> Slot<'_>;
    /// The element at `index`, for writing.
    ///
    /// # Panics
    /// When there is no such element.
    fn get_mut(&mut self, index: usize) -> SlotMut<'_>;
    /// Makes room for exactly that many more elements.
    fn reserve(&mut self, additional: usize);
    /// Appends an empty element and gives its slot.
    fn push(&mut self) -> SlotMut<'_>;
    /// Swaps two elements.
    ///
    /// # Panics
    /// When one of them does not exist.
    fn swap(&mut self, a: usize, b: usize);
    /// Cuts the list down to `len` elements.
    fn truncate(&mut self, len: usize);
}

/// What can be said of any list: here it is compiled once.
impl dyn List + '_ {
    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes every element.
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    /// Moves the element at `from` to `to`; those between shift by one.
    ///
    /// # Panics
    /// When one of them does not exist.
    pub fn shift(&mut self, from: usize, to: usize) {
        for index in from..to {
            self.swap(index, index + 1);
        }
        for index in (to..from).rev() {
            self.swap(index, index + 1);
        }
    }
}

/// A map from strings, in the order of its keys.
#[allow(clippy::len_without_is_empty, reason = "`dyn Map` has it")]
pub trait Map: Any {
    /// How many entries there are.
    fn len(&self) -> usize;
    /// Whether values may be absent (`BTreeMap<String, Option<…>>`).
    fn holds_options(&self) -> bool;
    /// Calls `visit` with every entry, in the order of the keys.
    fn visit<'a>(&'a self, visit: &mut dyn FnMut(&'a str, Slot<'a>));
    /// Calls `visit` with every entry, for writing.
    fn visit_mut(&mut self, visit: &mut dyn FnMut(&str, SlotMut<'_>));
    /// The value at `key`.
    fn get(&self, key: &str) -> Option<Slot<'_>>;
    /// The value at `key`, made if there is none.
    fn entry(&mut self, key: String) -> SlotMut<'_>;
    /// Removes every entry whose key is not to be kept.
    fn retain(&mut self, keep: &mut dyn FnMut(&str) -> bool);
    /// Removes every entry.
    fn clear(&mut self);
}

impl dyn Map {
    /// The concrete map, where its values are of that type.
    pub fn downcast_ref<T: 'static>(&self) -> Option<&BTreeMap<String, T>> {
        super::lent::downcast_ref(self)
    }

    /// The concrete map, where its values are of that type.
    pub fn downcast_mut<T: 'static>(&mut self) -> Option<&mut BTreeMap<String, T>> {
        super::lent::downcast_mut(self)
    }
}

impl dyn Map + '_ {
    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value at `key`, which is empty, be it new or not.
    pub fn entry_anew(&mut self, key: String) -> SlotMut<'_> {
        if self.get(&key).is_some() {
            self.entry(key.clone()).clear();
        }
        self.entry(key)
    }
}

/// A value that may be absent.
pub trait Optional {
    /// Whether there is a value.
    fn is_present(&self) -> bool;
    /// The value, made if there is none.
    fn insert(&mut self) -> SlotMut<'_>;
    /// Makes it absent.
    fn clear(&mut self);
}

/// An enum whose variants are the members of an object.
pub trait OneOf {
    /// The position of the variant that it is.
    fn active(&self) -> usize;
    /// Makes it the variant at `index`, empty unless it is that already.
    ///
    /// # Panics
    /// When there is no such variant.
    fn activate(&mut self, index: usize) -> SlotMut<'_>;
    /// Makes it the default variant, empty.
    fn reset(&mut self);
}

/// One of several forms, told apart by the JSON they are written as.
pub trait Union {
    /// The form that it has now.
    fn active(&self) -> Slot<'_>;
    /// Switches to the form that JSON of that shape holds, keeping what is
    /// there when it has that form already; `None` where no form fits.
    fn select(&mut self, shape: Shape) -> Option<SlotMut<'_>>;
    /// Makes it the default form, empty.
    fn clear(&mut self);
    /// What JSON may hold, for error messages: `an object or a boolean`.
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
