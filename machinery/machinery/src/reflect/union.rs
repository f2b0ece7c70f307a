//! Unions: values that are one of two types in JSON.
//!
//! Upstream has three of them, all in the schemas of custom resources. The
//! value is boxed because these schemas contain themselves.

#![allow(
    unsafe_code,
    reason = "each access is that of the type that implements the trait, and nothing else is unsafe"
)]

use super::owned::empty_box;
use super::{DeepCopy, Element, Empty, Ref, Shape, Slot, SlotMut, Type, Union, Value};
use crate::Str;

/// A value or a boolean (`additionalProperties: false`).
#[derive(Clone, Debug, PartialEq)]
pub enum OrBool<T> {
    /// The value.
    Value(Box<T>),
    /// Everything (`true`) or nothing (`false`).
    Bool(bool),
}

/// A value or a list of values.
#[derive(Clone, Debug, PartialEq)]
pub enum OrArray<T> {
    /// The value.
    Value(Box<T>),
    /// The list.
    Array(Vec<T>),
}

/// A value or a list of names.
#[derive(Clone, Debug, PartialEq)]
pub enum OrStrings<T> {
    /// The value.
    Value(Box<T>),
    /// The names.
    Strings(Vec<Str>),
}

macro_rules! union {
    ($name:ident, $variant:ident($other:ty), $shape:ident, $expectation:literal) => {
        impl<T> Default for $name<T> {
            fn default() -> Self {
                Self::$variant(Default::default())
            }
        }

        unsafe impl<T: Element + Empty> Value for $name<T> {
            type Whole = $name<T::Whole>;
            const HAS_VIEW: bool = T::HAS_VIEW;
            const TYPE: Type = Type::Union(Ref::Static(&[T::TYPE, <$other>::TYPE]));

            fn slot(&self) -> Slot<'_> {
                Slot::Union(self)
            }

            fn slot_mut(&mut self) -> SlotMut<'_> {
                SlotMut::Union(self)
            }
        }

        impl<T: Element + Empty> Union for $name<T> {
            fn active(&self) -> Slot<'_> {
                match self {
                    Self::Value(value) => value.slot(),
                    Self::$variant(other) => other.slot(),
                }
            }

            fn select(&mut self, shape: Shape) -> Option<SlotMut<'_>> {
                match (shape, &*self) {
                    (Shape::Object, Self::Value(_)) | (Shape::$shape, Self::$variant(_)) => {}
                    (Shape::Object, _) => *self = Self::Value(empty_box()),
                    (Shape::$shape, _) => *self = Self::$variant(Default::default()),
                    _ => return None,
                }
                Some(self.active_mut())
            }

            fn active_mut(&mut self) -> SlotMut<'_> {
                match self {
                    Self::Value(value) => value.slot_mut(),
                    Self::$variant(other) => other.slot_mut(),
                }
            }

            fn clear(&mut self) {
                *self = Self::default();
            }

            fn expectation(&self) -> &'static str {
                $expectation
            }
        }

        impl<T: DeepCopy> DeepCopy for $name<T> {
            fn deep_copy(&self) -> Self {
                match self {
                    Self::Value(value) => Self::Value(value.deep_copy()),
                    Self::$variant(other) => Self::$variant(other.deep_copy()),
                }
            }
        }
    };
}

union!(OrBool, Bool(bool), Bool, "an object, true or false");
union!(OrArray, Array(Vec<T>), Array, "an object or an array of objects");
union!(OrStrings, Strings(Vec<Str>), Array, "an object or an array of strings");
