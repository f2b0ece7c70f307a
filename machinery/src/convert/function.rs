//! What a function of the rules takes and gives, for those who read rules and
//! for those who carry them out at run time.

use std::collections::BTreeMap;
use std::fmt;

use crate::reflect::Reflect;

/// A value that a function takes or gives.
pub enum Plain {
    /// Text, which may be empty.
    Text(String),
    /// Text that may be absent.
    OptionalText(Option<String>),
    /// A list of texts.
    Texts(Vec<String>),
    /// A map of texts.
    TextMap(BTreeMap<String, String>),
    /// An object that may be absent.
    Object(Option<Box<dyn Reflect>>),
}

/// The type of a [`Plain`] value, and of the field that contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlainType {
    /// Text, which may be empty.
    Text,
    /// Text that may be absent.
    OptionalText,
    /// A list of texts.
    Texts,
    /// A map of texts.
    TextMap,
    /// An object that may be absent, of one type on both sides.
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

/// A function in one direction. `None` where it does not take these values.
type Call = fn(Vec<Plain>) -> Option<Vec<Plain>>;

/// A function that rules can name, with its two directions.
pub struct Function {
    /// As rules name it.
    pub name: &'static str,
    /// The fields of the version that it takes to the hub, and gives on the way back.
    pub version: &'static [PlainType],
    /// The fields of the hub that it gives, and takes on the way back.
    pub hub: &'static [PlainType],
    /// Whether hub → version → hub is the identity, so that nothing has to be
    /// kept.
    pub exact: bool,
    /// To the hub.
    pub to_hub: Call,
    /// From the hub.
    pub from_hub: Call,
}

/// A Rust type of values that functions take and give.
pub(super) trait PlainValue: Sized {
    /// Which values.
    const TYPE: PlainType;
    /// The value, if it is of this type.
    fn of(plain: Plain) -> Option<Self>;
    /// The value, for any function.
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
    Text: String;
    OptionalText: Option<String>;
    Texts: Vec<String>;
    TextMap: BTreeMap<String, String>;
    Object: Option<Box<dyn Reflect>>;
}

/// What a function gives: one value or several.
pub(super) trait PlainValues {
    /// The values, in their order.
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

/// The entry of a function: its types are those of its two directions, or the
/// entry does not compile.
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
