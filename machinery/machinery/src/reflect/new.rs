//! A constructor of empty objects.

use std::sync::Arc;

use super::Reflect;
use super::runtime::Types;

/// Makes empty objects of a type.
#[derive(Clone)]
pub enum NewObject {
    /// A compiled type.
    Compiled(fn() -> Box<dyn Reflect>),
    /// A run-time type: its snapshot, and its position there.
    Runtime(Arc<Types>, usize),
}

impl NewObject {
    /// Makes an empty object.
    #[inline]
    pub fn object(&self) -> Box<dyn Reflect> {
        match self {
            Self::Compiled(new) => new(),
            Self::Runtime(types, index) => types.object(*index),
        }
    }
}
