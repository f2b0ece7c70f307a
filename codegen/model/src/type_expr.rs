//! The types of fields, as expressions over the types of a version.

use std::fmt;

use crate::TypeId;

/// The type of a field, a list element or a map value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TypeExpr {
    /// `true` or `false`.
    Bool,
    /// A signed 32 bit integer.
    Int32,
    /// A signed 64 bit integer.
    Int64,
    /// A 32 bit floating point number, which only users' source has.
    Float,
    /// A 64 bit floating point number.
    Double,
    /// Text.
    String,
    /// An unsigned integer of 16 bits, which only users' source has.
    Uint16,
    /// An unsigned integer of 32 bits, which only users' source has.
    Uint32,
    /// An unsigned integer of 64 bits, which only users' source has.
    Uint64,
    /// Bytes; base64 in JSON.
    Bytes,
    /// A point in time, whole seconds (`metav1.Time`).
    Time,
    /// A point in time, microseconds (`metav1.MicroTime`).
    MicroTime,
    /// A duration, written as `1h30m0s` (`metav1.Duration`).
    Duration,
    /// A fixed-point number with a suffix (`resource.Quantity`).
    Quantity,
    /// An integer or a string (`intstr.IntOrString`).
    IntOrString,
    /// JSON that is stored as received.
    Raw(RawForm),
    /// Strings that are a message in protobuf: `message { 1 items }` (upstream's named list types
    /// such as `ExtraValue`).
    Strings,
    /// Another type.
    Ref(TypeId),
    /// A list.
    List(Box<TypeExpr>),
    /// A map from strings.
    Map(Box<TypeExpr>),
    /// A value or a bare boolean (`JSONSchemaPropsOrBool`).
    OrBool(Box<TypeExpr>),
    /// A value or a list of such values (`JSONSchemaPropsOrArray`).
    OrArray(Box<TypeExpr>),
    /// A value or a list of strings (`JSONSchemaPropsOrStringArray`).
    OrStrings(Box<TypeExpr>),
}

impl TypeExpr {
    /// Whether `omitempty` omits the zero value. Upstream represents the other types as structs,
    /// which are never empty.
    pub fn has_empty(&self) -> bool {
        matches!(
            self,
            Self::Bool
                | Self::Int32
                | Self::Int64
                | Self::Float
                | Self::Double
                | Self::Uint16
                | Self::Uint32
                | Self::Uint64
                | Self::String
                | Self::Bytes
                | Self::Strings
                | Self::List(_)
                | Self::Map(_)
        )
    }

    /// The same as [`TypeExpr::named`], but mutable.
    pub fn named_mut(&mut self) -> Option<&mut TypeId> {
        match self {
            Self::Ref(id) => Some(id),
            Self::List(inner)
            | Self::Map(inner)
            | Self::OrBool(inner)
            | Self::OrArray(inner)
            | Self::OrStrings(inner) => inner.named_mut(),
            _ => None,
        }
    }

    /// The named type inside lists, maps and alternatives, if any.
    pub fn named(&self) -> Option<&TypeId> {
        match self {
            Self::Ref(id) => Some(id),
            Self::List(inner)
            | Self::Map(inner)
            | Self::OrBool(inner)
            | Self::OrArray(inner)
            | Self::OrStrings(inner) => inner.named(),
            _ => None,
        }
    }
}

impl fmt::Display for TypeExpr {
    /// Formats the type for error messages: `a list of core/v1 Container`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => f.write_str("a boolean"),
            Self::Int32 => f.write_str("a 32 bit integer"),
            Self::Int64 => f.write_str("a 64 bit integer"),
            Self::Float => f.write_str("a 32 bit number"),
            Self::Double => f.write_str("a number"),
            Self::Uint16 => f.write_str("an unsigned 16 bit integer"),
            Self::Uint32 => f.write_str("an unsigned 32 bit integer"),
            Self::Uint64 => f.write_str("an unsigned 64 bit integer"),
            Self::String => f.write_str("a string"),
            Self::Bytes => f.write_str("bytes"),
            Self::Time => f.write_str("a time"),
            Self::MicroTime => f.write_str("a time in microseconds"),
            Self::Duration => f.write_str("a duration"),
            Self::Quantity => f.write_str("a quantity"),
            Self::IntOrString => f.write_str("an integer or a string"),
            Self::Raw(_) => f.write_str("raw JSON"),
            Self::Strings => f.write_str("a message of strings"),
            Self::Ref(id) => id.fmt(f),
            Self::List(inner) => write!(f, "a list of {inner}"),
            Self::Map(inner) => write!(f, "a map of {inner}"),
            Self::OrBool(inner) => write!(f, "{inner} or a boolean"),
            Self::OrArray(inner) => write!(f, "{inner} or a list of these"),
            Self::OrStrings(inner) => write!(f, "{inner} or a list of strings"),
        }
    }
}

/// Forms of raw JSON, which differ in protobuf only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RawForm {
    /// `runtime.RawExtension`: an object of any kind.
    Extension,
    /// `metav1.FieldsV1`: a set of field paths.
    Fields,
    /// `apiextensions JSON`: any JSON value.
    Json,
}
