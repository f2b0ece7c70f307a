//! Checks whether a JSON value has the form of a type.

use serde_json::Value;

use crate::TypeExpr;

impl TypeExpr {
    /// Whether a JSON value can be read as this type. Does not check the members of objects.
    pub fn fits(&self, value: &Value) -> bool {
        match self {
            Self::Bool => value.is_boolean(),
            Self::Int32 => value.as_i64().is_some_and(|number| i32::try_from(number).is_ok()),
            Self::Int64 => value.is_i64(),
            Self::Uint16 => value.as_u64().is_some_and(|number| u16::try_from(number).is_ok()),
            Self::Uint32 => value.as_u64().is_some_and(|number| u32::try_from(number).is_ok()),
            Self::Uint64 => value.is_u64(),
            Self::Float => value.as_f64().is_some_and(|number| (number as f32).is_finite()),
            Self::Double => value.is_number(),
            Self::String | Self::Bytes | Self::Time | Self::MicroTime | Self::Duration => value.is_string(),
            Self::Quantity => value.is_string() || value.is_number(),
            Self::IntOrString => value.is_i64() || value.is_string(),
            Self::Raw(_) => true,
            Self::Strings => Self::List(Box::new(Self::String)).fits(value),
            Self::Ref(_) => value.is_object(),
            Self::List(element) => {
                value.as_array().is_some_and(|elements| elements.iter().all(|value| element.fits(value)))
            }
            Self::Map(element) => {
                value.as_object().is_some_and(|members| members.values().all(|value| element.fits(value)))
            }
            Self::OrBool(other) => value.is_boolean() || other.fits(value),
            Self::OrArray(other) => {
                other.fits(value)
                    || value.as_array().is_some_and(|list| list.iter().all(|value| other.fits(value)))
            }
            Self::OrStrings(other) => Self::Strings.fits(value) || other.fits(value),
        }
    }
}
