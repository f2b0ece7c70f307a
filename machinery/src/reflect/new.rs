//! Where empty objects come from.

use std::sync::Arc;

use super::Reflect;
use super::runtime::Types;

/// Makes empty objects of a type.
#[derive(Clone)]
pub enum NewObject {
    /// Of a compiled one.
    Compiled(fn() -> Box<dyn Reflect>),
    /// Of one that was made at run time, by its position.
    Runtime(Arc<Types>, usize),
}

impl NewObject {
    /// An empty object.
    #[inline]
    pub fn object(&self) -> Box<dyn Reflect> {
        match self {
            Self::Compiled(new) => new(),
            Self::Runtime(types, index) => types.object(*index),
        }
    }
}
