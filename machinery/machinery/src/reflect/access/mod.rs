//! Access to the values of compiled types by their addresses.
//!
//! The descriptor of a compiled struct contains the offset of each field, and how a value of the
//! field's type is read and written. Reading a struct therefore takes no code of its own: its
//! fields are data, for which the compiler generates nothing, and readers skip what is empty
//! without a call. `docs/performance.md` contains the figures.
//!
//! What makes this safe: [`ApiType`], [`Value`], `Element`, [`Empty`] and `Flattened` are unsafe traits. Outside
//! this crate only `#[derive(ApiType)]` implements them. It takes offset and type of a field from
//! the field itself. `ARCHITECTURE.md` lists the
//! modules with unsafe code. Miri runs their tests.

#![allow(unsafe_code, reason = "values are read and written by their addresses: measured")]

mod address;
mod copies;
mod drops;
mod fields;

use std::collections::BTreeMap;
use std::fmt;
use std::ptr::NonNull;

pub use self::address::{At, AtMut};
pub use self::copies::deep_copy;
use self::copies::{copy, copy_box, copy_list, copy_option, copy_struct};
pub(super) use self::drops::{clear, discard, drop_object};
use self::drops::{drop, drop_box, drop_list, drop_option, drop_struct};
pub(crate) use self::fields::Visitor;
pub use self::fields::{Fields, write_field};
use super::{ApiType, Descriptor, Element, Empty, OneOf, Slot, SlotMut, TextRef, Value};
use crate::scalar::Time;
use crate::{Str, StrMap};

/// How a value of one type is read and written.
#[derive(Clone, Copy)]
pub struct Access {
    quick: Quick,
    describe: fn() -> &'static Descriptor,
    is_empty: for<'a> unsafe fn(At<'a>) -> bool,
    read: for<'a> unsafe fn(At<'a>) -> Slot<'a>,
    write: for<'a> unsafe fn(AtMut<'a>) -> SlotMut<'a>,
    /// Copies the value to an address.
    copy: for<'a> unsafe fn(At<'a>, NonNull<u8>),
    /// Drops the value, whose bytes are then no value any more.
    drop: for<'a> unsafe fn(AtMut<'a>),
}

impl Access {
    /// Drops a value.
    ///
    /// # Safety
    /// The address is that of a value of the type, which nobody uses afterwards.
    #[inline]
    pub(super) unsafe fn drop(&self, at: AtMut<'_>) {
        // SAFETY: the caller's promise.
        unsafe { (self.drop)(at) }
    }

    /// Copies a value.
    ///
    /// # Safety
    /// The first address is that of a value of the type, and there is room for another at the second.
    #[inline]
    pub(super) unsafe fn copy(&self, at: At<'_>, copy: NonNull<u8>) {
        // SAFETY: the caller's promise.
        unsafe { (self.copy)(at, copy) }
    }

    /// Whether values of the type have nothing to drop, so that their bytes are a copy.
    #[inline]
    pub(super) fn needs_no_drop(&self) -> bool {
        matches!(self.quick, Quick::Bool | Quick::Int32 | Quick::Int64)
    }

    /// Whether the type is [`Str`].
    #[inline]
    pub(super) fn is_str(&self) -> bool {
        self.quick == Quick::Str
    }
}

/// Where the value of a field is, and what is known about its type.
#[derive(Clone, Copy)]
pub struct Place {
    offset: u32,
    quick: Quick,
    /// Whether an absent value is written nevertheless.
    writes_absent: bool,
    /// Whether the field is that of a flattened object.
    is_inside: bool,
    access: &'static Access,
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not the address, which is all that differs between a compiled type and the same type at run time.
        f.debug_struct("Place").field("writes_absent", &self.writes_absent).finish_non_exhaustive()
    }
}

impl Place {
    /// A field of a struct, at that offset.
    pub const fn of<T: Value>(offset: usize) -> Self {
        assert!(offset <= u32::MAX as usize);
        Self {
            offset: offset as u32,
            quick: T::ACCESS.quick,
            writes_absent: false,
            is_inside: false,
            access: T::ACCESS,
        }
    }

    /// The same field, of an object at an offset inside another one.
    pub(super) const fn inside(self, offset: usize) -> Self {
        let offset = offset + self.offset as usize;
        assert!(offset <= u32::MAX as usize);
        Self { offset: offset as u32, is_inside: true, ..self }
    }

    /// Whether it is a field of the struct itself, at that offset.
    pub(super) const fn is_at(&self, offset: usize) -> bool {
        self.offset as usize == offset && !self.is_inside && !matches!(self.quick, Quick::Elsewhere)
    }

    /// The same field, without a decision about when it is written.
    pub(super) const fn afresh(self) -> Self {
        Self { quick: self.access.quick, writes_absent: false, ..self }
    }

    /// A field of an enum or of a run-time type, which has no address.
    pub const ELSEWHERE: Self = Self {
        offset: 0,
        quick: Quick::Elsewhere,
        writes_absent: false,
        is_inside: false,
        access: <bool as Value>::ACCESS,
    };

    /// The same, for a field that is written, or not, when it is absent. For a list or map that is
    /// written, the writer determines how.
    pub const fn written(self, writes_absent: bool) -> Self {
        let quick = match self.quick {
            // These are never absent, or ask for themselves.
            Quick::Str | Quick::Bool | Quick::Int32 | Quick::Int64 | Quick::Object | Quick::Elsewhere => {
                self.quick
            }
            // Nothing may be skipped.
            _ if writes_absent => Quick::Call,
            _ => self.quick,
        };
        Self { writes_absent, quick, ..self }
    }
}

/// What is known about the type at an address, so that readers need no call.
#[derive(Clone, Copy, PartialEq)]
#[repr(u8)]
enum Quick {
    /// Nothing.
    Call,
    /// A list, a map or an `Option`: whether it is empty.
    Empty,
    /// An `Option<Box<_>>`, which is a null pointer if it is absent.
    Boxed,
    /// The same of an object, whose descriptor is known.
    BoxedObject,
    /// An object, whose descriptor is known.
    Object,
    Bool,
    Int32,
    Int64,
    Str,
    Strs,
    StrMap,
    OptionBool,
    OptionInt32,
    OptionInt64,
    OptionStr,
    OptionTime,
    /// The field has no address: its object is an enum or of a run-time type.
    Elsewhere,
}

impl Access {
    /// The access to values of a type.
    pub(super) const fn of<T: Value>() -> Self {
        Self {
            quick: Quick::Call,
            describe: no_object,
            is_empty: never,
            read: read::<T>,
            write: write::<T>,
            copy: copy::<T>,
            drop: drop::<T>,
        }
    }

    /// The access to objects of a struct, for derived code.
    pub const fn of_struct<T: ApiType>() -> Self {
        Self { copy: copy_struct::<T>, drop: drop_struct::<T>, ..Self::of_enum::<T>() }
    }

    /// The access to objects of an enum, for derived code.
    pub const fn of_enum<T: ApiType>() -> Self {
        Self { quick: Quick::Object, describe: T::describe, ..Self::of::<T>() }
    }

    /// The access to a box.
    pub(super) const fn of_box<T: Element + Empty>() -> Self {
        Self { copy: copy_box::<T>, drop: drop_box::<T>, ..Self::of::<Box<T>>() }
    }

    /// The access to an option of an element.
    pub(super) const fn of_option<T: Element>() -> Self
    where
        Option<T>: Value,
    {
        let access = Self { copy: copy_option::<T>, drop: drop_option::<T>, ..Self::of_leaf_option::<T>() };
        match (T::IS_BOX, T::ACCESS) {
            (true, &Self { quick: Quick::Object, describe, .. }) => {
                Self { quick: Quick::BoxedObject, describe, ..access }
            }
            (true, _) => Self { quick: Quick::Boxed, ..access },
            (false, _) => access,
        }
    }

    /// The access to an option of a leaf.
    pub(super) const fn of_leaf_option<T>() -> Self
    where
        Option<T>: Value,
    {
        Self { quick: Quick::Empty, is_empty: is_none::<T>, ..Self::of::<Option<T>>() }
    }

    /// The access to a list.
    pub(super) const fn of_list<T: Value + Empty>() -> Self
    where
        Vec<T>: Value,
    {
        Self { copy: copy_list::<T>, drop: drop_list::<T>, ..Self::of_collection::<Vec<T>>() }
    }

    /// The access to a list or map.
    pub(super) const fn of_collection<T: Value + Collection>() -> Self {
        Self { quick: Quick::Empty, is_empty: is_empty::<T>, ..Self::of::<T>() }
    }

    /// The slot for reading.
    ///
    /// # Safety
    /// The address is that of a value of the type.
    #[inline(always)]
    pub(super) unsafe fn slot<'a>(&self, at: At<'a>) -> Slot<'a> {
        // SAFETY: each variant belongs to the type that is read.
        unsafe {
            match self.quick {
                Quick::Str => Slot::String(TextRef::Str(at.get::<Str>())),
                Quick::Boxed | Quick::BoxedObject if at.is_null_box() => Slot::Absent,
                Quick::Bool => Slot::Bool(*at.get::<bool>()),
                Quick::Int32 => Slot::Int32(*at.get::<i32>()),
                Quick::Int64 => Slot::Int64(*at.get::<i64>()),
                _ => (self.read)(at),
            }
        }
    }

    /// The slot for writing.
    ///
    /// # Safety
    /// As [`slot`](Self::slot).
    #[inline]
    pub(super) unsafe fn slot_mut<'a>(&self, at: AtMut<'a>) -> SlotMut<'a> {
        // SAFETY: the caller's promise.
        unsafe { (self.write)(at) }
    }
}

/// Types whose values are read without a call.
macro_rules! quick {
    ($($name:ident: $rust:ty => $quick:ident),* $(,)?) => {
        impl Access {
            $(pub(super) const $name: Self = Self { quick: Quick::$quick, ..Self::of::<$rust>() };)*
        }
    };
}

quick! {
    BOOL: bool => Bool,
    INT32: i32 => Int32,
    INT64: i64 => Int64,
    STR: Str => Str,
    STRS: Vec<Str> => Strs,
    STR_MAP: StrMap<Str> => StrMap,
    OPTION_BOOL: Option<bool> => OptionBool,
    OPTION_INT32: Option<i32> => OptionInt32,
    OPTION_INT64: Option<i64> => OptionInt64,
    OPTION_STR: Option<Str> => OptionStr,
    OPTION_TIME: Option<Time> => OptionTime,
}

/// A list or map.
pub(super) trait Collection {
    fn has_no_elements(&self) -> bool;
}

impl<T> Collection for Vec<T> {
    #[inline(always)]
    fn has_no_elements(&self) -> bool {
        self.is_empty()
    }
}

impl<V> Collection for StrMap<V> {
    #[inline(always)]
    fn has_no_elements(&self) -> bool {
        self.is_empty()
    }
}

impl<K, V> Collection for BTreeMap<K, V> {
    #[inline(always)]
    fn has_no_elements(&self) -> bool {
        self.is_empty()
    }
}

/// # Safety
/// The address is that of a `T`.
unsafe fn is_empty<T: Collection>(at: At<'_>) -> bool {
    // SAFETY: the caller's promise.
    unsafe { at.get::<T>() }.has_no_elements()
}

/// For types that are no objects.
fn no_object() -> &'static Descriptor {
    unreachable!("only objects have a descriptor")
}

/// # Safety
/// The address is that of an `Option<T>`.
unsafe fn is_none<T>(at: At<'_>) -> bool {
    // SAFETY: the caller's promise.
    unsafe { at.get::<Option<T>>() }.is_none()
}

/// For other types.
unsafe fn never(_: At<'_>) -> bool {
    false
}

/// # Safety
/// The address is that of a `T`.
unsafe fn read<T: Value>(at: At<'_>) -> Slot<'_> {
    // SAFETY: the caller's promise.
    unsafe { at.get::<T>() }.slot()
}

/// # Safety
/// As [`read`].
unsafe fn write<T: Value>(at: AtMut<'_>) -> SlotMut<'_> {
    // SAFETY: the caller's promise.
    unsafe { at.get::<T>() }.slot_mut()
}

/// Refers to an enum by its address.
///
/// # Safety
/// The address is that of a `T`.
pub(super) unsafe fn one_of<T: OneOf + 'static>(at: At<'_>) -> &dyn OneOf {
    // SAFETY: the caller's promise.
    unsafe { at.get::<T>() }
}
