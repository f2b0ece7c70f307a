//! Conditions under which a default is set.

use super::{is_unset, read};
use crate::reflect::{Literal, Reflect, Slot};
use crate::storage::{Compiled, Storage};

/// A condition on another field of the struct.
pub struct Condition<S: Storage = Compiled> {
    /// The field path in JSON; for readers only.
    pub field: S::Text,
    /// The path as positions in descriptors.
    pub path: S::List<usize>,
    /// What the field must be.
    pub is: Is<S::List<S::Text>>,
}

/// What a field must be.
pub enum Is<L = &'static [&'static str]> {
    /// Set: a present pointer, or a nonzero value.
    Set,
    /// Not set.
    Unset,
    /// One of these strings, numbers or booleans.
    OneOf(L),
    /// None of these.
    NoneOf(L),
}

impl Condition {
    /// Requires that the field is as `is` specifies.
    pub const fn new(field: &'static str, path: &'static [usize], is: Is) -> Self {
        Self { field, path, is }
    }
}

impl<S: Storage> Condition<S> {
    pub(super) fn holds(&self, object: &dyn Reflect) -> bool {
        match &self.is {
            Is::Set => !is_unset(object, &self.path),
            Is::Unset => is_unset(object, &self.path),
            Is::OneOf(words) => self.is_any(object, words),
            Is::NoneOf(words) => !self.is_any(object, words),
        }
    }

    fn is_any(&self, object: &dyn Reflect, words: &[S::Text]) -> bool {
        let is = |text: &str| words.iter().any(|word| **word == *text);
        match read(object, &self.path) {
            Some((Slot::Bool(value), _)) => is(if value { "true" } else { "false" }),
            Some((Slot::Int32(value), _)) => is(&value.to_string()),
            Some((Slot::Int64(value), _)) => is(&value.to_string()),
            Some((Slot::String(value), _)) => is(value.as_str()),
            Some((Slot::Scalar(value), _)) => {
                let mut found = false;
                value.show(&mut |literal| {
                    found = match literal {
                        Literal::Text(text) | Literal::Number(text) => is(text),
                        Literal::Integer(number) => is(&number.to_string()),
                        Literal::Unsigned(number) => is(&number.to_string()),
                        Literal::Float(number) => is(&number.to_string()),
                    };
                });
                found
            }
            _ => false,
        }
    }
}
