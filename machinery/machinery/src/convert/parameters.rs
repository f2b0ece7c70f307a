//! The values that functions of rules take and return, and their types.

use std::fmt;

use crate::json::{self, Raw};
use crate::reflect::{ApiType, Descriptor, Lent, Reflect};
use crate::scalar::{IntOrString, Quantity};
use crate::{Str, StrMap};

/// A parameter or result of a function.
pub enum Plain {
    /// `true` or `false`.
    Bool(bool),
    /// A 32 bit integer.
    Int32(i32),
    /// A 64 bit integer.
    Int64(i64),
    /// A floating point number.
    Double(f64),
    /// A string, possibly empty.
    Text(Str),
    /// An integer or a string.
    IntOrString(IntOrString),
    /// A quantity.
    Quantity(Quantity),
    /// A value that may be absent.
    Optional(Option<Box<Self>>),
    /// A list of values.
    List(Vec<Self>),
    /// A map from strings to values.
    Map(StrMap<Self>),
    /// JSON of any form.
    Json(Raw),
    /// An object.
    Struct(Box<dyn Reflect>),
    /// An optional object.
    Object(Option<Box<dyn Reflect>>),
}

/// The type of a [`Plain`] value, and of the field that contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlainType {
    /// `bool`
    Bool,
    /// `i32`
    Int32,
    /// `i64`
    Int64,
    /// `f64`
    Double,
    /// [`Str`]
    Text,
    /// [`IntOrString`]
    IntOrString,
    /// [`Quantity`]
    Quantity,
    /// `Option`
    Optional(&'static Self),
    /// `Vec`
    List(&'static Self),
    /// [`StrMap`]
    Map(&'static Self),
    /// [`Raw`]
    Json,
    /// An object.
    Struct(ObjectType),
    /// An optional object, of the same type on both sides.
    Object,
}

/// The type of an object that a function takes or returns.
#[derive(Clone, Copy)]
pub struct ObjectType(&'static Descriptor);

impl ObjectType {
    /// Its name: `PodSpec`.
    pub fn name(self) -> &'static str {
        &self.0.name
    }

    /// An empty object.
    pub fn new_object(self) -> Box<dyn Reflect> {
        self.0.new_object()
    }
}

/// Types are the same if they have the same name: those of several versions are compared by the compiler.
impl PartialEq for ObjectType {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for ObjectType {}

impl fmt::Debug for ObjectType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Formats the type as in Rust: `Option<Str>`.
impl fmt::Display for PlainType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => f.write_str("bool"),
            Self::Int32 => f.write_str("i32"),
            Self::Int64 => f.write_str("i64"),
            Self::Double => f.write_str("f64"),
            Self::Text => f.write_str("Str"),
            Self::IntOrString => f.write_str("IntOrString"),
            Self::Quantity => f.write_str("Quantity"),
            Self::Optional(inner) => write!(f, "Option<{inner}>"),
            Self::List(inner) => write!(f, "Vec<{inner}>"),
            Self::Map(inner) => write!(f, "StrMap<{inner}>"),
            Self::Json => f.write_str("Raw"),
            Self::Struct(of) => f.write_str(of.name()),
            Self::Object => f.write_str("an object that may be absent"),
        }
    }
}

/// A Rust type that functions take and return.
pub trait PlainValue: Sized {
    /// The matching [`PlainType`].
    const TYPE: PlainType;
    /// Extracts the value; `None` if it has another type.
    fn from_plain(plain: Plain) -> Option<Self>;
    /// Wraps the value.
    fn into_plain(self) -> Plain;
}

macro_rules! plain_values {
    ($($name:ident: $ty:ty;)*) => {$(
        impl PlainValue for $ty {
            const TYPE: PlainType = PlainType::$name;

            fn from_plain(plain: Plain) -> Option<Self> {
                if let Plain::$name(value) = plain { Some(value) } else { None }
            }

            fn into_plain(self) -> Plain {
                Plain::$name(self)
            }
        }
    )*};
}

plain_values! {
    Bool: bool;
    Int32: i32;
    Int64: i64;
    Double: f64;
    Text: Str;
    IntOrString: IntOrString;
    Quantity: Quantity;
    Json: Raw;
}

/// Any type with `#[derive(ApiType)]`. An object of a type that is made at run time becomes one of this type through
/// JSON.
impl<T: ApiType> PlainValue for T {
    const TYPE: PlainType = PlainType::Struct(ObjectType(T::DESCRIPTOR));

    fn from_plain(plain: Plain) -> Option<Self> {
        let Plain::Struct(object) = plain else { return None };
        match object.downcast() {
            Ok(object) => Some(*object),
            Err(object) => {
                let mut out = Self::default();
                json::decode_into(&json::encode(&*object).ok()?, Lent::new_mut(&mut out)).ok()?;
                Some(out)
            }
        }
    }

    fn into_plain(self) -> Plain {
        Plain::Struct(Box::new(self))
    }
}

/// An optional object, whose type is known only at run time.
pub struct OptionalObject(pub Option<Box<dyn Reflect>>);

impl PlainValue for OptionalObject {
    const TYPE: PlainType = PlainType::Object;

    fn from_plain(plain: Plain) -> Option<Self> {
        if let Plain::Object(object) = plain { Some(Self(object)) } else { None }
    }

    fn into_plain(self) -> Plain {
        Plain::Object(self.0)
    }
}

impl<T: PlainValue> PlainValue for Option<T> {
    const TYPE: PlainType = PlainType::Optional(&T::TYPE);

    fn from_plain(plain: Plain) -> Option<Self> {
        match plain {
            Plain::Optional(None) => Some(None),
            Plain::Optional(Some(value)) => T::from_plain(*value).map(Some),
            _ => None,
        }
    }

    fn into_plain(self) -> Plain {
        Plain::Optional(self.map(|value| Box::new(value.into_plain())))
    }
}

impl<T: PlainValue> PlainValue for Vec<T> {
    const TYPE: PlainType = PlainType::List(&T::TYPE);

    fn from_plain(plain: Plain) -> Option<Self> {
        if let Plain::List(values) = plain { values.into_iter().map(T::from_plain).collect() } else { None }
    }

    fn into_plain(self) -> Plain {
        Plain::List(self.into_iter().map(T::into_plain).collect())
    }
}

impl<T: PlainValue> PlainValue for StrMap<T> {
    const TYPE: PlainType = PlainType::Map(&T::TYPE);

    fn from_plain(plain: Plain) -> Option<Self> {
        let Plain::Map(values) = plain else { return None };
        values.into_iter().map(|(key, value)| Some((key, T::from_plain(value)?))).collect()
    }

    fn into_plain(self) -> Plain {
        Plain::Map(self.into_iter().map(|(key, value)| (key, value.into_plain())).collect())
    }
}

/// All parameters of a direction, as a tuple.
pub trait Parameters: Sized {
    /// Their types, in order.
    const TYPES: &'static [PlainType];
    /// Extracts the values; `None` if one is missing or has another type.
    fn from_plains(values: Vec<Plain>) -> Option<Self>;
}

/// The results of a direction: one value, or several as a tuple.
pub trait Results {
    /// The parameters of the other direction.
    type Parameters: Parameters;
    /// The values in order.
    fn into_plains(self) -> Vec<Plain>;
}

impl<A: PlainValue> Results for A {
    type Parameters = (A,);

    fn into_plains(self) -> Vec<Plain> {
        vec![self.into_plain()]
    }
}

macro_rules! parameters {
    ($($name:ident)*) => {
        impl<$($name: PlainValue),*> Parameters for ($($name,)*) {
            const TYPES: &'static [PlainType] = &[$($name::TYPE),*];

            fn from_plains(values: Vec<Plain>) -> Option<Self> {
                let mut values = values.into_iter();
                Some(($($name::from_plain(values.next()?)?,)*))
            }
        }
    };
}

macro_rules! results {
    ($($name:ident)*) => {
        impl<$($name: PlainValue),*> Results for ($($name,)*) {
            type Parameters = Self;

            #[allow(non_snake_case, reason = "a type parameter is also the name of its value")]
            fn into_plains(self) -> Vec<Plain> {
                let ($($name,)*) = self;
                vec![$($name.into_plain()),*]
            }
        }
    };
}

parameters!(A);
parameters!(A B);
parameters!(A B C);
parameters!(A B C D);
parameters!(A B C D E);
parameters!(A B C D E F);
results!(A);
results!(A B);
results!(A B C);
results!(A B C D);
results!(A B C D E);
results!(A B C D E F);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_from_every_shape() {
        fn back<T: PlainValue + Clone + PartialEq>(value: T) -> bool {
            T::from_plain(value.clone().into_plain()) == Some(value)
        }
        assert!(back(true) && back(-1) && back(1i64 << 40) && back(0.5) && back(Str::from("a")));
        assert!(back(IntOrString::Int(3)) && back("500m".parse::<Quantity>().unwrap()));
        assert!(back(Some(3)) && back(None::<Str>) && back(vec![vec![1], vec![]]));
        assert!(back(StrMap::from_iter([("a", vec![Str::from("b")])])));
    }

    #[test]
    fn values_of_another_type_are_refused() {
        assert_eq!(i32::from_plain(Plain::Int64(1)), None);
        assert_eq!(<Option<i32>>::from_plain(Plain::Int32(1)), None);
        assert_eq!(<Vec<i32>>::from_plain(Plain::List(vec![Plain::Int32(1), Plain::Bool(true)])), None);
    }
}
