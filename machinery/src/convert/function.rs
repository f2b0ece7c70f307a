//! Descriptions of the functions that rules can call: their parameters and results. The rule reader
//! checks rules against them, and the interpreter calls them at run time.

use std::fmt;

use crate::reflect::Reflect;
use crate::{Str, StrMap};

/// A parameter or result of a function.
pub enum Plain {
    /// A string, possibly empty.
    Text(Str),
    /// An optional string.
    OptionalText(Option<Str>),
    /// A list of strings.
    Texts(Vec<Str>),
    /// A map of strings.
    TextMap(StrMap<Str>),
    /// An optional object.
    Object(Option<Box<dyn Reflect>>),
}

/// The type of a [`Plain`] value, and of the field that contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlainType {
    /// A string, possibly empty.
    Text,
    /// An optional string.
    OptionalText,
    /// A list of strings.
    Texts,
    /// A map of strings.
    TextMap,
    /// An optional object, of the same type on both sides.
    Object,
}

impl fmt::Display for PlainType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => "a string",
            Self::OptionalText => "a string that may be absent",
            Self::Texts => "a list of strings",
            Self::TextMap => "a map of strings",
            Self::Object => "an object that may be absent",
        })
    }
}

/// One direction of a function. Returns `None` when the parameters have other types.
type Call = fn(Vec<Plain>) -> Option<Vec<Plain>>;

/// A function that rules can call, in both directions.
pub struct Function {
    /// Its name in rules.
    pub name: &'static str,
    /// The types of the version's fields: the parameters of `to_hub` and the results of `from_hub`.
    pub version: &'static [PlainType],
    /// The types of the hub's fields: the results of `to_hub` and the parameters of `from_hub`.
    pub hub: &'static [PlainType],
    /// Whether hub → version → hub is the identity, so that nothing has to be stashed.
    pub exact: bool,
    /// Converts to the hub.
    pub to_hub: Call,
    /// Converts from the hub.
    pub from_hub: Call,
}

/// A Rust type that functions take and return.
pub(super) trait PlainValue: Sized {
    /// The matching [`PlainType`].
    const TYPE: PlainType;
    /// Extracts the value; `None` if it has another type.
    fn of(plain: Plain) -> Option<Self>;
    /// Wraps the value.
    fn into_plain(self) -> Plain;
}

macro_rules! plain_values {
    ($($name:ident: $ty:ty;)*) => {$(
        impl PlainValue for $ty {
            const TYPE: PlainType = PlainType::$name;

            fn of(plain: Plain) -> Option<Self> {
                if let Plain::$name(value) = plain { Some(value) } else { None }
            }

            fn into_plain(self) -> Plain {
                Plain::$name(self)
            }
        }
    )*};
}

plain_values! {
    Text: Str;
    OptionalText: Option<Str>;
    Texts: Vec<Str>;
    TextMap: StrMap<Str>;
    Object: Option<Box<dyn Reflect>>;
}

/// The results of a function: one value or several.
pub(super) trait PlainValues {
    /// The values in order.
    fn into_plains(self) -> Vec<Plain>;
}

impl<A: PlainValue> PlainValues for A {
    fn into_plains(self) -> Vec<Plain> {
        vec![self.into_plain()]
    }
}

impl<A: PlainValue, B: PlainValue> PlainValues for (A, B) {
    fn into_plains(self) -> Vec<Plain> {
        vec![self.0.into_plain(), self.1.into_plain()]
    }
}

impl<A: PlainValue, B: PlainValue, C: PlainValue> PlainValues for (A, B, C) {
    fn into_plains(self) -> Vec<Plain> {
        vec![self.0.into_plain(), self.1.into_plain(), self.2.into_plain()]
    }
}

/// Builds the entry of a function. It compiles only if the listed types match both directions.
macro_rules! function {
    ($name:literal: ($($version:ty),*) <=> ($($hub:ty),*), $to_hub:expr, $from_hub:expr, exact: $exact:literal) => {
        Function {
            name: $name,
            version: &[$(<$version as PlainValue>::TYPE),*],
            hub: &[$(<$hub as PlainValue>::TYPE),*],
            exact: $exact,
            to_hub: |values| {
                let mut values = values.into_iter();
                Some($to_hub($(<$version as PlainValue>::of(values.next()?)?),*).into_plains())
            },
            from_hub: |values| {
                let mut values = values.into_iter();
                Some($from_hub($(<$hub as PlainValue>::of(values.next()?)?),*).into_plains())
            },
        }
    };
}
pub(super) use function;
