//! Slots of the standard library's types.
//!
//! Generic code here is compiled once for every type of an API. It therefore
//! calls few of the standard library's generic functions, and small ones.
//! Containers of leaves are not generic, so that they are compiled here, once
//! for all crates.

use std::collections::BTreeMap;
use std::mem::take;

use super::lent::{empty, swap};
use super::{Lent, List, Map, Optional, Ref, Slot, SlotMut, Strings, Type, Value};
use crate::json::Raw;
use crate::scalar::{Duration, IntOrString, MicroTime, Quantity, Time};
use crate::{Str, StrMap};

macro_rules! plain {
    ($($rust:ty => $variant:ident),* $(,)?) => {$(
        impl Value for $rust {
            const TYPE: Type = Type::$variant;

            fn slot(&self) -> Slot<'_> {
                Slot::$variant(*self)
            }

            fn slot_mut(&mut self) -> SlotMut<'_> {
                SlotMut::$variant(self)
            }
        }
    )*};
}

plain!(bool => Bool, i32 => Int32, i64 => Int64, f64 => Double);

impl Value for Vec<u8> {
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
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field of an API type",
    note = "add `#[derive(ApiType)]` to your own types"
)]
pub trait Element: Value + Default {}

impl<T: Element> Element for Box<T> {}
impl<T> Element for Option<T> where Option<T>: Value {}
impl<T> Element for Vec<T> where Vec<T>: Value {}
impl<T> Element for StrMap<T> where StrMap<T>: Value {}
impl<K, T> Element for BTreeMap<K, T> where BTreeMap<K, T>: Value {}

impl<T: Value> Value for Box<T> {
    const TYPE: Type = T::TYPE;

    fn slot(&self) -> Slot<'_> {
        (**self).slot()
    }

    fn slot_mut(&mut self) -> SlotMut<'_> {
        (**self).slot_mut()
    }
}

/// Implements slots for a map to one type of values.
macro_rules! map {
    ([$($generics:tt)*] $map:ty, $element:ty) => {
        impl<$($generics)*> Value for $map {
            const TYPE: Type = Type::Map(Ref::Static(<$element>::NODE));

            #[inline]
            fn slot(&self) -> Slot<'_> {
                Slot::Map(Lent::new(self))
            }

            #[inline]
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

impl<T: Default> Entries for StrMap<T> {
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
        Self::fill(self, keys, T::default)
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

impl<K: Key, T: Default> Entries for BTreeMap<K, T> {
    type Value = T;

    #[inline]
    fn value_or_empty(&mut self, key: &str) -> &mut T {
        self.entry(key.into()).or_default()
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

/// Implements slots for an option, a list and maps of one type.
macro_rules! containers {
    ([$($generics:tt)*] $element:ty) => {
        impl<$($generics)*> Value for Option<$element> {
            const TYPE: Type = <$element>::TYPE;
            const OPTIONAL: bool = true;

            #[inline]
            fn slot(&self) -> Slot<'_> {
                match self {
                    Some(value) => value.slot(),
                    None => Slot::Absent,
                }
            }

            #[inline]
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
                    *option = Some(empty());
                }
                match option {
                    Some(value) => value.slot_mut(),
                    None => unreachable!("the value was created above"),
                }
            }

            fn clear(&mut self) {
                **self = None;
            }
        }

        impl<$($generics)*> Value for Vec<$element> {
            const TYPE: Type = Type::List(Ref::Static(<$element>::NODE));

            #[inline]
            fn slot(&self) -> Slot<'_> {
                Slot::List(Lent::new(self))
            }

            #[inline]
            fn slot_mut(&mut self) -> SlotMut<'_> {
                SlotMut::List(Lent::new_mut(self))
            }
        }

        impl<$($generics)*> List for Lent<Vec<$element>> {
            fn len(&self) -> usize {
                Vec::len(self)
            }

            fn has_optional_values(&self) -> bool {
                <$element>::OPTIONAL
            }

            fn get(&self, index: usize) -> Slot<'_> {
                self.as_slice()[index].slot()
            }

            fn get_mut(&mut self, index: usize) -> SlotMut<'_> {
                self.as_mut_slice()[index].slot_mut()
            }

            fn reserve(&mut self, additional: usize) {
                self.reserve_exact(additional);
            }

            fn shrink(&mut self) {
                self.shrink_to_fit();
            }

            fn push(&mut self) -> SlotMut<'_> {
                self.push_mut(empty()).slot_mut()
            }

            fn swap(&mut self, a: usize, b: usize) {
                swap(self, a, b);
            }

            fn truncate(&mut self, len: usize) {
                Vec::truncate(self, len);
            }
        }

        map!([$($generics)*] StrMap<$element>, $element);
        map!([$($generics)*] BTreeMap<Str, $element>, $element);
        map!([$($generics)*] BTreeMap<String, $element>, $element);
    };
}

containers!([T: Element] T);
containers!([] bool);
containers!([] i32);
containers!([] i64);
containers!([] f64);
containers!([] Str);
containers!([] String);
containers!([] Time);
containers!([] MicroTime);
containers!([] Duration);
containers!([] Quantity);
containers!([] IntOrString);
containers!([] Raw);
containers!([] Strings);
