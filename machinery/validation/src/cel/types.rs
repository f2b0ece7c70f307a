//! Types of values and expressions.

use std::fmt;
use std::sync::Arc;

use crate::cel::ast::Name;

/// The type of an expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Type {
    /// Any type: what it is shows at run time.
    Dyn,
    /// The type of an expression with an error.
    Error,
    /// `null`.
    Null,
    /// `true` and `false`.
    Bool,
    /// Signed integers of 64 bits.
    Int,
    /// Unsigned integers of 64 bits.
    Uint,
    /// Floating-point numbers of 64 bits.
    Double,
    /// Texts.
    String,
    /// Bytes.
    Bytes,
    /// Durations in nanoseconds.
    Duration,
    /// Points in time.
    Timestamp,
    /// Lists of items of one type.
    List(Arc<Type>),
    /// Maps from keys to values of one type each.
    Map(Arc<Type>, Arc<Type>),
    /// A type as a value, perhaps of a known type.
    Meta(Option<Arc<Type>>),
    /// A value that may be absent.
    Optional(Arc<Type>),
    /// An object with declared fields, or a type of Kubernetes' libraries.
    Struct(Arc<str>),
    /// A type of Kubernetes' libraries that is no object.
    Opaque(&'static str),
    /// A type that is not known yet.
    Param(Arc<str>),
}

impl Type {
    pub(crate) fn list(item: Self) -> Self {
        Self::List(Arc::new(item))
    }

    pub(crate) fn map(key: Self, value: Self) -> Self {
        Self::Map(Arc::new(key), Arc::new(value))
    }

    pub(crate) fn optional(value: Self) -> Self {
        Self::Optional(Arc::new(value))
    }

    pub(crate) fn param(name: impl Into<Name>) -> Self {
        Self::Param(name.into())
    }

    /// Whether anything may be known of the type only at run time, or an error was reported.
    pub(crate) fn is_dyn_or_error(&self) -> bool {
        matches!(self, Self::Dyn | Self::Error)
    }

    /// The parameters of a type that has some.
    pub(crate) fn params(&self) -> Vec<&Self> {
        match self {
            Self::List(item) => vec![item],
            Self::Map(key, value) => vec![key, value],
            Self::Meta(Some(of)) => vec![of],
            Self::Optional(value) => vec![value],
            _ => vec![],
        }
    }

    /// The name without parameters, as errors at run time show it.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Dyn => "dyn",
            Self::Error => "!error!",
            Self::Null => "null_type",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Double => "double",
            Self::String => "string",
            Self::Bytes => "bytes",
            Self::Duration => "google.protobuf.Duration",
            Self::Timestamp => "google.protobuf.Timestamp",
            Self::List(_) => "list",
            Self::Map(..) => "map",
            Self::Meta(_) => "type",
            Self::Optional(_) => "optional_type",
            Self::Struct(name) | Self::Param(name) => name,
            Self::Opaque(name) => name,
        }
    }
}

impl fmt::Display for Type {
    /// The type as errors of the checker show it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Duration => f.write_str("duration"),
            Self::Timestamp => f.write_str("timestamp"),
            _ => {
                f.write_str(self.name())?;
                let params = self.params();
                for (at, param) in params.iter().enumerate() {
                    f.write_str(if at == 0 { "(" } else { ", " })?;
                    param.fmt(f)?;
                }
                if params.is_empty() { Ok(()) } else { f.write_str(")") }
            }
        }
    }
}
