//! Numbers of 32 bits. Kubernetes' own types have none: those of its schemas have 64 bits.

#![allow(
    unsafe_code,
    reason = "each access is that of the type that implements the trait, and nothing else is unsafe"
)]

use super::leaves::clone_scalar;
use super::{Literal, Scalar, Slot, SlotMut, Type, Value};

unsafe impl Value for f32 {
    type Whole = Self;
    const TYPE: Type = Type::Float;

    fn slot(&self) -> Slot<'_> {
        Slot::Scalar(self)
    }

    fn slot_mut(&mut self) -> SlotMut<'_> {
        SlotMut::Scalar(self)
    }
}

impl Scalar for f32 {
    fn show(&self, visit: &mut dyn FnMut(Literal<'_>)) {
        visit(Literal::Float(*self));
    }

    fn set(&mut self, literal: Literal<'_>) -> Result<(), String> {
        let number = match literal {
            Literal::Float(number) => Some(number),
            Literal::Integer(number) => Some(number as Self),
            Literal::Unsigned(number) => Some(number as Self),
            // A number that is too large is infinite.
            Literal::Number(text) => text.parse().ok().filter(|number: &Self| number.is_finite()),
            Literal::Text(_) => None,
        };
        let found: &dyn std::fmt::Display = match &literal {
            Literal::Number(text) => text,
            _ => &"a string",
        };
        *self = number.ok_or_else(|| format!("expected {}, found {found}", Self::TYPE.expectation()))?;
        Ok(())
    }

    fn is_zero(&self) -> bool {
        *self == 0.0
    }

    fn clear(&mut self) {
        *self = 0.0;
    }

    fn copy_from(&mut self, source: &dyn Scalar) {
        clone_scalar(self, source);
    }
}
