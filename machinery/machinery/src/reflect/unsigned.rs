//! Unsigned numbers. Kubernetes' own types have none, and protobuf messages of this crate neither: a field with one has
//! no protobuf number.

#![allow(
    unsafe_code,
    reason = "each access is that of the type that implements the trait, and nothing else is unsafe"
)]

use super::leaves::clone_scalar;
use super::{DeepCopy, Literal, Scalar, Slot, SlotMut, Type, Value};

macro_rules! unsigned {
    ($($rust:ident: $ty:ident),*) => {$(
        unsafe impl Value for $rust {
            type Whole = Self;
            const TYPE: Type = Type::$ty;

            fn slot(&self) -> Slot<'_> {
                Slot::Scalar(self)
            }

            fn slot_mut(&mut self) -> SlotMut<'_> {
                SlotMut::Scalar(self)
            }
        }

        impl Scalar for $rust {
            fn show(&self, visit: &mut dyn FnMut(Literal<'_>)) {
                visit(i64::try_from(*self).map_or(Literal::Unsigned((*self).into()), Literal::Integer));
            }

            fn set(&mut self, literal: Literal<'_>) -> Result<(), String> {
                let (number, found): (Option<Self>, &dyn std::fmt::Display) = match &literal {
                    Literal::Integer(number) => ((*number).try_into().ok(), number),
                    Literal::Unsigned(number) => ((*number).try_into().ok(), number),
                    Literal::Float(number) => (None, number),
                    Literal::Number(text) => (None, text),
                    Literal::Text(_) => (None, &"a string"),
                };
                *self = number.ok_or_else(|| format!("expected {}, found {found}", Self::TYPE.expectation()))?;
                Ok(())
            }

            fn is_zero(&self) -> bool {
                *self == 0
            }

            fn clear(&mut self) {
                *self = 0;
            }

            fn copy_from(&mut self, source: &dyn Scalar) {
                clone_scalar(self, source);
            }
        }

        impl DeepCopy for $rust {
            fn deep_copy(&self) -> Self {
                *self
            }
        }
    )*};
}

unsigned!(u16: Uint16, u32: Uint32, u64: Uint64);
