//! Slots of the standard library's types.
//!
//! Generic code here is compiled once for every type of an API. It therefore
//! calls few of the standard library's generic functions, and small ones.
//! Containers of leaves are not generic, so that they are compiled here, once
//! for all crates.

#![allow(
    unsafe_code,
    reason = "each access is that of the type that implements the trait, and nothing else is unsafe"
)]

use std::collections::BTreeMap;
use std::mem::{forget, take};

use super::access::{self, Access};
use super::owned::empty_box;
use super::{
    Descriptor, Empty, Lent, Map, Optional, OrArray, OrBool, OrStrings, Ref, Slot, SlotMut, Strings, Type,
    Value,
};
use crate::json::Raw;
use crate::scalar::{Duration, IntOrString, MicroTime, Quantity, Time};
use crate::{Str, StrMap};

macro_rules! plain {
    ($($rust:ty => $variant:ident, $access:expr);* $(;)?) => {$(
        unsafe impl Value for $rust {
            type Whole = Self;
            const TYPE: Type = Type::$variant;
            const ACCESS: &'static Access = &$access;

            fn slot(&self) -> Slot<'_> {
                Slot::$variant(*self)
            }

            fn slot_mut(&mut self) -> SlotMut<'_> {
                SlotMut::$variant(self)
            }
        }
    )*};
}

plain!(bool => Bool, Access::BOOL; i32 => Int32, Access::INT32; i64 => Int64, Access::INT64; f64 => Double, Access::of::<Self>());

unsafe impl Value for Vec<u8> {
    type Whole = Self;
    const TYPE: Type = Type::Bytes;

    fn slot(&self) -> Slot<'_> {
        Slot::Bytes(self)
    }

    fn slot_mut(&mut self) -> SlotMut<'_> {
        SlotMut::Bytes(self)
    }
}

/// An element of generic containers: a type of an API, or another container.
///
/// `#[derive(ApiType)]` implements it. Leaves such as `String` do not implement
/// it, because their containers are compiled here.
///
/// # Safety
/// `IS_BOX` is true for boxes only.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field of an API type",
    note = "add `#[derive(ApiType)]` to your own types",
    note = "declare a type of another crate that is a text in JSON as a leaf: `#[derive(ApiType)] #[leaf(text, \
            expects = \"a URL\", examples(\"https://example.com\"))] struct Endpoint(Leaf<url::Url>);`"
)]
#[allow(unsafe_code, reason = "safe code relies on what is a box")]
pub unsafe trait Element: Value {
    /// Whether an `Option` of it is a pointer that is null if it is `None`.
    #[doc(hidden)]
    const IS_BOX: bool = false;

    /// Makes the option, which is `None`, contain an empty value.
    #[doc(hidden)]
    fn make(option: &mut Option<Self>);
}

unsafe impl<T: Element + Empty> Element for Box<T> {
    const IS_BOX: bool = true;

    #[inline(never)]
    fn make(option: &mut Option<Self>) {
        fill(option, empty_box());
    }
}

/// Makes the option, which is `None`, contain a value. An assignment would compile code that drops
/// what was in the option.
#[inline(always)]
pub fn fill<T>(option: &mut Option<T>, value: T) {
    debug_assert!(option.is_none(), "a value would be leaked");
    forget(option.replace(value));
}

fn fill_with_empty<T: Empty>(option: &mut Option<T>) {
    fill(option, T::EMPTY);
}

macro_rules! elements {
    ($([$($generics:tt)*] $rust:ty),* $(,)?) => {$(
        unsafe impl<$($generics)*> Element for $rust
        where
            $rust: Value + Empty,
        {
            fn make(option: &mut Option<Self>) {
                fill_with_empty(option);
            }
        }
    )*};
}

elements!(
    [T] Option<T>,
    [T] Vec<T>,
    [T] StrMap<T>,
    [K, T] BTreeMap<K, T>,
    [T] OrBool<T>,
    [T] OrArray<T>,
    [T] OrStrings<T>,
);

unsafe impl<T: Element + Empty> Value for Box<T> {
    type Whole = T::Whole;
    const HAS_VIEW: bool = T::HAS_VIEW;
    const OBJECT: Option<&'static Descriptor> = T::OBJECT;
    const TYPE: Type = T::TYPE;
    const ACCESS: &'static Access = &Access::of_box::<T>();

    fn slot(&self) -> Slot<'_> {
        (**self).slot()
    }

    fn slot_mut(&mut self) -> SlotMut<'_> {
        (**self).slot_mut()
    }
}

/// Implements slots for a map to one type of values.
macro_rules! map {
    ([$($generics:tt)*] $map:ty, $element:ty, $access:expr) => {
        unsafe impl<$($generics)*> Value for $map {
            type Whole = StrMap<<$element as Value>::Whole>;
            const HAS_VIEW: bool = <$element>::HAS_VIEW;
            const TYPE: Type = Type::Map(Ref::Static(<$element>::NODE));
            const ACCESS: &'static Access = &$access;

            fn slot(&self) -> Slot<'_> {
                Slot::Map(Lent::new(self))
            }

            fn slot_mut(&mut self) -> SlotMut<'_> {
                SlotMut::Map(Lent::new_mut(self))
            }
        }

        impl<$($generics)*> Map for Lent<$map> {
            fn len(&self) -> usize {
                <$map>::len(self)
            }

            fn has_optional_values(&self) -> bool {
                <$element>::OPTIONAL
            }

            fn visit<'a>(&'a self, visit: &mut dyn FnMut(&'a str, Slot<'a>)) {
                for (key, value) in &**self {
                    visit(key, value.slot());
                }
            }

            fn visit_mut(&mut self, visit: &mut dyn FnMut(&str, SlotMut<'_>)) {
                for (key, value) in &mut **self {
                    visit(key, value.slot_mut());
                }
            }

            fn get(&self, key: &str) -> Option<Slot<'_>> {
                <$map>::get(self, key).map(Value::slot)
            }

            fn entry(&mut self, key: &str) -> SlotMut<'_> {
                <$map as Entries>::value_or_empty(self, key).slot_mut()
            }

            fn share_keys(&mut self, share: &mut dyn FnMut(&mut Str)) {
                <$map as Entries>::share_keys(self, share);
            }

            fn retain(&mut self, keep: &mut dyn FnMut(&str) -> bool) {
                <$map as Entries>::retain(self, keep);
            }

            fn fill(&mut self, keys: &[&str]) -> bool {
                <$map as Entries>::fill(self, keys)
            }

            fn shrink(&mut self) {
                <$map as Entries>::shrink(self);
            }

            fn clear(&mut self) {
                <$map>::clear(self);
            }
        }
    };
}

/// What maps do differently.
trait Entries {
    type Value;
    fn value_or_empty(&mut self, key: &str) -> &mut Self::Value;
    fn share_keys(&mut self, share: &mut dyn FnMut(&mut Str));
    fn retain(&mut self, keep: &mut dyn FnMut(&str) -> bool);
    fn fill(&mut self, keys: &[&str]) -> bool;
    fn shrink(&mut self);
}

impl<T: Empty> Entries for StrMap<T> {
    type Value = T;

    #[inline]
    fn value_or_empty(&mut self, key: &str) -> &mut T {
        Self::value_or_empty(self, key)
    }

    fn share_keys(&mut self, share: &mut dyn FnMut(&mut Str)) {
        Self::share_keys(self, share);
    }

    fn retain(&mut self, keep: &mut dyn FnMut(&str) -> bool) {
        Self::retain(self, |key, _| keep(key));
    }

    fn fill(&mut self, keys: &[&str]) -> bool {
        Self::fill(self, keys, || T::EMPTY)
    }

    fn shrink(&mut self) {
        self.shrink_to_fit();
    }
}

/// A type of keys in a `BTreeMap`.
trait Key: Ord + for<'a> From<&'a str> + AsRef<str> {
    /// The key, if it can share its text.
    fn as_shared(&mut self) -> Option<&mut Str>;
}

impl Key for Str {
    fn as_shared(&mut self) -> Option<&mut Str> {
        Some(self)
    }
}

impl Key for String {
    fn as_shared(&mut self) -> Option<&mut Str> {
        None
    }
}

impl<K: Key, T: Empty> Entries for BTreeMap<K, T> {
    type Value = T;

    #[inline]
    fn value_or_empty(&mut self, key: &str) -> &mut T {
        self.entry(key.into()).or_insert(T::EMPTY)
    }

    fn share_keys(&mut self, share: &mut dyn FnMut(&mut Str)) {
        // A key of a `BTreeMap` cannot be replaced. The loop compiles to what `retain` needs anyway; `collect`
        // would compile sorting for every type of values.
        for (mut key, value) in take(self) {
            if let Some(key) = key.as_shared() {
                share(key);
            }
            self.insert(key, value);
        }
    }

    fn retain(&mut self, keep: &mut dyn FnMut(&str) -> bool) {
        // `BTreeMap::retain` compiles to ten times the code of building a new map.
        for (key, value) in take(self) {
            if keep(key.as_ref()) {
                self.insert(key, value);
            }
        }
    }

    fn fill(&mut self, _: &[&str]) -> bool {
        false
    }

    fn shrink(&mut self) {}
}

/// Implements slots for an option of one type.
macro_rules! options {
    ([$($generics:tt)*] $element:ty, $access:expr, $make:expr) => {
        unsafe impl<$($generics)*> Value for Option<$element> {
            type Whole = Option<<$element as Value>::Whole>;
            const HAS_VIEW: bool = <$element>::HAS_VIEW;
            const OBJECT: Option<&'static Descriptor> = <$element>::OBJECT;
            const TYPE: Type = <$element>::TYPE;
            const OPTIONAL: bool = true;
            const NULLABLE: bool = <$element>::OPTIONAL;
            const ACCESS: &'static Access = &$access;

            fn slot(&self) -> Slot<'_> {
                match self {
                    Some(value) => match value.slot() {
                        Slot::Absent if <$element>::OPTIONAL => Slot::Null,
                        slot => slot,
                    },
                    None => Slot::Absent,
                }
            }

            fn slot_mut(&mut self) -> SlotMut<'_> {
                SlotMut::Optional(Lent::new_mut(self))
            }
        }

        impl<$($generics)*> Optional for Lent<Option<$element>> {
            fn is_present(&self) -> bool {
                self.is_some()
            }

            fn insert(&mut self) -> SlotMut<'_> {
                let option = &mut **self;
                if option.is_none() {
                    ($make)(option);
                }
                match option {
                    Some(value) => value.slot_mut(),
                    None => unreachable!("the value was created above"),
                }
            }

            fn clear(&mut self) {
                access::clear(&mut **self);
            }

            fn is_nullable(&self) -> bool {
                <$element>::OPTIONAL
            }
        }
    };
}

/// Implements slots for a list of one type.
macro_rules! lists {
    ([$($generics:tt)*] $element:ty, $access:expr) => {
        unsafe impl<$($generics)*> Value for Vec<$element> {
            type Whole = Vec<<$element as Value>::Whole>;
            const HAS_VIEW: bool = <$element>::HAS_VIEW;
            const TYPE: Type = Type::List(Ref::Static(<$element>::NODE));
            const ACCESS: &'static Access = &$access;

            fn slot(&self) -> Slot<'_> {
                Slot::List(Lent::new(self))
            }

            fn slot_mut(&mut self) -> SlotMut<'_> {
                SlotMut::List(Lent::new_mut(self))
            }
        }
    };
}

options!([T: Element] T, Access::of_option::<T>(), T::make);
lists!([T: Element + Empty] T, Access::of_list::<T>());
map!([T: Element + Empty] StrMap<T>, T, Access::of_collection::<Self>());
// No generated type has one, so they are compiled only where users' types do.
map!([T: Value + Empty] BTreeMap<Str, T>, T, Access::of_collection::<Self>());
map!([T: Value + Empty] BTreeMap<String, T>, T, Access::of_collection::<Self>());

macro_rules! leaves {
    ($($leaf:ty: $option:expr, $list:expr, $map:expr);* $(;)?) => {$(
        options!([] $leaf, $option, fill_with_empty);
        lists!([] $leaf, $list);
        map!([] StrMap<$leaf>, $leaf, $map);
    )*};
    ($($leaf:ty),* $(,)?) => {$(
        leaves!($leaf: Access::of_leaf_option::<$leaf>(), Access::of_collection::<Self>(), Access::of_collection::<Self>());
    )*};
}

leaves!(bool: Access::OPTION_BOOL, Access::of_collection::<Self>(), Access::of_collection::<Self>());
leaves!(i32: Access::OPTION_INT32, Access::of_collection::<Self>(), Access::of_collection::<Self>());
leaves!(i64: Access::OPTION_INT64, Access::of_collection::<Self>(), Access::of_collection::<Self>());
leaves!(Str: Access::OPTION_STR, Access::STRS, Access::STR_MAP);
leaves!(Time: Access::OPTION_TIME, Access::of_collection::<Self>(), Access::of_collection::<Self>());
leaves!(f32, f64, u16, u32, u64, String, MicroTime, Duration, Quantity, IntOrString, Raw, Strings);
