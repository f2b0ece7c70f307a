//! What has to hold for a default to be set.

use super::{is_unset, read};
use crate::reflect::{Literal, Reflect, Slot};
use crate::storage::{Compiled, Storage};

/// What another field of the struct has to be.
pub struct Condition<S: Storage = Compiled> {
    /// The path of the field in JSON; for readers only.
    pub field: S::Text,
    /// The positions on the way to the field, from descriptor to descriptor.
    pub path: S::List<usize>,
    /// What it has to be.
    pub is: Is<S::List<S::Text>>,
}

/// What a field has to be.
pub enum Is<L = &'static [&'static str]> {
    /// There: a pointer that is present, or a value that is not zero.
    Set,
    /// Not there.
    Unset,
    /// One of these words, numbers or booleans.
    OneOf(L),
    /// None of these.
    NoneOf(L),
}

impl Condition {
    /// The field has to be so.
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
            Some((Slot::String(value), _)) => is(value),
            Some((Slot::Scalar(value), _)) => {
                let mut found = false;
                value.show(&mut |literal| {
                    found = match literal {
                        Literal::Text(text) | Literal::Number(text) => is(text),
                        Literal::Integer(number) => is(&number.to_string()),
                    };
                });
                found
            }
            _ => false,
        }
    }
}
