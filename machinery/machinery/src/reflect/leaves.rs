//! Leaves: scalars with their own text format, raw JSON, and lists of strings
//! around which protobuf has a message.

#![allow(
    unsafe_code,
    reason = "each access is that of the type that implements the trait, and nothing else is unsafe"
)]

use std::any::Any;
use std::ops::{Deref, DerefMut};

use super::{DeepCopy, Slot, SlotMut, Type, Value};
use crate::Str;
use crate::json::raw::Raw;
use crate::scalar::{Duration, IntOrString, MicroTime, Quantity, Time};

/// A scalar with its own text format. In JSON it is a string or a number.
pub trait Scalar: Any {
    /// Calls `visit` once with the value's JSON literal.
    fn show(&self, visit: &mut dyn FnMut(Literal<'_>));

    /// Sets the value from a JSON literal.
    ///
    /// # Errors
    /// What was expected, when the literal is not in the scalar's format. The
    /// value is then unchanged.
    fn set(&mut self, literal: Literal<'_>) -> Result<(), String>;

    /// Whether the value is the zero of its type.
    fn is_zero(&self) -> bool;

    /// Sets the value to the zero of its type.
    fn clear(&mut self);

    /// Sets the value to that of another scalar of the same type.
    fn copy_from(&mut self, source: &dyn Scalar) {
        // A scalar accepts every literal that it shows.
        source.show(&mut |literal| self.set(literal).unwrap_or_else(|_| self.clear()));
    }
}

/// [`Scalar::copy_from`] for scalars that implement [`Clone`]: of derived code, too.
#[doc(hidden)]
pub fn clone_scalar<T: Scalar + Clone>(target: &mut T, source: &dyn Scalar) {
    if let Some(source) = (source as &dyn Any).downcast_ref::<T>() {
        target.clone_from(source);
    }
}

/// A scalar in JSON.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Literal<'a> {
    /// A string, without quotes.
    Text(&'a str),
    /// An integer.
    Integer(i64),
    /// An integer that is too large for `i64`.
    Unsigned(u64),
    /// A number of 32 bits.
    Float(f32),
    /// Any other number, unchanged.
    Number(&'a str),
}

/// Implements the traits of scalars whose JSON is always a string.
macro_rules! text_scalar {
    ($($rust:ident: |$value:ident| $text:expr),* $(,)?) => {$(
        unsafe impl Value for $rust {
            type Whole = Self;
            const TYPE: Type = Type::$rust;

            fn slot(&self) -> Slot<'_> {
                Slot::Scalar(self)
            }

            fn slot_mut(&mut self) -> SlotMut<'_> {
                SlotMut::Scalar(self)
            }
        }

        impl Scalar for $rust {
            fn show(&self, visit: &mut dyn FnMut(Literal<'_>)) {
                let $value = self;
                visit(Literal::Text($text));
            }

            fn set(&mut self, literal: Literal<'_>) -> Result<(), String> {
                match literal {
                    Literal::Text(text) => *self = text.parse().map_err(|error| format!("{error}"))?,
                    Literal::Integer(_) | Literal::Unsigned(_) | Literal::Float(_) | Literal::Number(_) => {
                        return Err(format!("expected {}", Self::TYPE.expectation()));
                    }
                }
                Ok(())
            }

            fn is_zero(&self) -> bool {
                *self == Self::default()
            }

            fn clear(&mut self) {
                *self = Self::default();
            }

            fn copy_from(&mut self, source: &dyn Scalar) {
                clone_scalar(self, source);
            }
        }

        impl DeepCopy for $rust {
            fn deep_copy(&self) -> Self {
                self.clone()
            }
        }
    )*};
}

text_scalar! {
    Time: |time| time.text(&mut [0; 20]),
    MicroTime: |time| time.text(&mut [0; 27]),
    Duration: |duration| &duration.to_string(),
}

unsafe impl Value for Quantity {
    type Whole = Self;
    const TYPE: Type = Type::Quantity;

    fn slot(&self) -> Slot<'_> {
        Slot::Scalar(self)
    }

    fn slot_mut(&mut self) -> SlotMut<'_> {
        SlotMut::Scalar(self)
    }
}

impl Scalar for Quantity {
    fn show(&self, visit: &mut dyn FnMut(Literal<'_>)) {
        visit(Literal::Text(self.as_str()));
    }

    fn set(&mut self, literal: Literal<'_>) -> Result<(), String> {
        // A number is a quantity, too: `cpu: 2`.
        *self = match literal {
            Literal::Text(text) | Literal::Number(text) => text.parse(),
            Literal::Integer(number) => number.to_string().parse(),
            Literal::Unsigned(number) => number.to_string().parse(),
            Literal::Float(number) => number.to_string().parse(),
        }
        .map_err(|error| format!("{error}"))?;
        Ok(())
    }

    fn is_zero(&self) -> bool {
        *self == Self::default()
    }

    fn clear(&mut self) {
        *self = Self::default();
    }

    fn copy_from(&mut self, source: &dyn Scalar) {
        clone_scalar(self, source);
    }
}

impl DeepCopy for Quantity {
    fn deep_copy(&self) -> Self {
        self.clone()
    }

    fn deep_copy_into(&self, target: &mut Self) {
        target.clone_from(self);
    }
}

unsafe impl Value for IntOrString {
    type Whole = Self;
    const TYPE: Type = Type::IntOrString;

    fn slot(&self) -> Slot<'_> {
        Slot::Scalar(self)
    }

    fn slot_mut(&mut self) -> SlotMut<'_> {
        SlotMut::Scalar(self)
    }
}

impl Scalar for IntOrString {
    fn show(&self, visit: &mut dyn FnMut(Literal<'_>)) {
        match self {
            Self::Int(number) => visit(Literal::Integer((*number).into())),
            Self::String(text) => visit(Literal::Text(text)),
        }
    }

    fn set(&mut self, literal: Literal<'_>) -> Result<(), String> {
        *self = match literal {
            Literal::Text(text) => Self::String(text.into()),
            Literal::Integer(number) => Self::Int(
                number
                    .try_into()
                    .map_err(|_| format!("expected a 32-bit integer or a string, found {number}"))?,
            ),
            Literal::Unsigned(number) => {
                return Err(format!("expected a 32-bit integer or a string, found {number}"));
            }
            Literal::Float(number) => return Err(format!("expected an integer or a string, found {number}")),
            Literal::Number(text) => return Err(format!("expected an integer or a string, found {text}")),
        };
        Ok(())
    }

    fn is_zero(&self) -> bool {
        *self == Self::default()
    }

    fn clear(&mut self) {
        *self = Self::default();
    }

    fn copy_from(&mut self, source: &dyn Scalar) {
        clone_scalar(self, source);
    }
}

impl DeepCopy for IntOrString {
    fn deep_copy(&self) -> Self {
        self.clone()
    }

    fn deep_copy_into(&self, target: &mut Self) {
        target.clone_from(self);
    }
}

unsafe impl Value for Raw {
    type Whole = Self;
    const TYPE: Type = Type::Raw;

    fn slot(&self) -> Slot<'_> {
        Slot::Raw(self)
    }

    fn slot_mut(&mut self) -> SlotMut<'_> {
        SlotMut::Raw(self)
    }
}

impl DeepCopy for Raw {
    fn deep_copy(&self) -> Self {
        self.clone()
    }

    fn deep_copy_into(&self, target: &mut Self) {
        target.clone_from(self);
    }
}

/// A list of strings around which protobuf has a message (`message { 1 items }`),
/// as for upstream's named list types: `ExtraValue`, `Verbs`.
///
/// ```
/// use hubgen_machinery::reflect::Strings;
///
/// let scopes = Strings::from(["view"]);
/// assert_eq!(scopes.len(), 1);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Strings(pub Vec<Str>);

impl Deref for Strings {
    type Target = Vec<Str>;

    fn deref(&self) -> &Vec<Str> {
        &self.0
    }
}

impl DerefMut for Strings {
    fn deref_mut(&mut self) -> &mut Vec<Str> {
        &mut self.0
    }
}

impl<const N: usize, S: Into<Str>> From<[S; N]> for Strings {
    fn from(strings: [S; N]) -> Self {
        strings.into_iter().collect()
    }
}

impl From<Vec<Str>> for Strings {
    fn from(strings: Vec<Str>) -> Self {
        Self(strings)
    }
}

impl<S: Into<Str>> FromIterator<S> for Strings {
    fn from_iter<I: IntoIterator<Item = S>>(strings: I) -> Self {
        Self(strings.into_iter().map(Into::into).collect())
    }
}

unsafe impl Value for Strings {
    type Whole = Self;
    const TYPE: Type = Type::Strings;

    fn slot(&self) -> Slot<'_> {
        self.0.slot()
    }

    fn slot_mut(&mut self) -> SlotMut<'_> {
        self.0.slot_mut()
    }
}

impl DeepCopy for Strings {
    fn deep_copy(&self) -> Self {
        Self(self.0.deep_copy())
    }

    fn deep_copy_into(&self, target: &mut Self) {
        self.0.deep_copy_into(&mut target.0);
    }
}
