//! The ranges of numbers: integers have 64 bits, and the format of a number can limit it further. The API server checks
//! this from 1.37 on, of values as well as of the limits in a schema.

use crate::number::Number;
use crate::value_type::Type;

/// A format of numbers. The API server ignores `int32` and `int64` where the type is not `integer`, and `float` and
/// `double` where it is not `number`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberFormat {
    Int32,
    Int64,
    Float,
    Double,
}

impl NumberFormat {
    /// The format with this name, if numbers of the type can have it.
    pub(crate) fn named(name: &str, ty: Type) -> Option<Self> {
        Some(match (ty, name) {
            (Type::Integer, "int32") => Self::Int32,
            (Type::Integer, "int64") => Self::Int64,
            (Type::Number, "float") => Self::Float,
            (Type::Number, "double") => Self::Double,
            _ => return None,
        })
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Int32 => "int32",
            Self::Int64 => "int64",
            Self::Float => "float",
            Self::Double => "double",
        }
    }
}

/// The numbers that fit into a type with its format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    pub(crate) ty: Option<Type>,
    pub(crate) format: Option<NumberFormat>,
}

impl Range {
    /// Whether a number is in the range. The API server parses the shortest decimal digits of the number, so the least
    /// `int64` is in the range as an integer, and is not as a float.
    pub(crate) fn contains(self, number: Number) -> bool {
        match (self.ty, self.format) {
            (Some(Type::Integer), Some(NumberFormat::Int32)) => number.digits().parse::<i32>().is_ok(),
            (Some(Type::Integer), _) => number.digits().parse::<i64>().is_ok(),
            (_, Some(NumberFormat::Float)) => {
                number.digits().parse::<f32>().is_ok_and(|float| float.is_finite())
            }
            _ => true,
        }
    }

    /// The range as messages contain it.
    pub(crate) fn text(self) -> String {
        // Only these two types have limits.
        let ty = if self.ty == Some(Type::Integer) { "integer" } else { "number" };
        match self.format {
            Some(format) => format!("{ty} with format {}", format.name()),
            None => format!("{ty} (default format)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_neither_fractions_nor_more_than_64_bits() {
        let range = Range { ty: Some(Type::Integer), format: None };
        for good in [Number::Int(i64::MIN), Number::Float(-0.0), Number::Float(3e9)] {
            assert!(range.contains(good), "{good:?}");
        }
        for bad in [0.5, 1e19, -9_223_372_036_854_775_808.0] {
            assert!(!range.contains(Number::Float(bad)), "{bad}");
        }
        assert_eq!(range.text(), "integer (default format)");
    }

    #[test]
    fn formats_limit_numbers_of_their_type() {
        assert_eq!(NumberFormat::named("int32", Type::Number), None);
        let range = |name: &str, ty| Range { ty: Some(ty), format: NumberFormat::named(name, ty) };
        let int = range("int32", Type::Integer);
        assert!(int.contains(Number::Int(2_147_483_647)));
        assert!(!int.contains(Number::Int(2_147_483_648)));
        assert_eq!(int.text(), "integer with format int32");
        let float = range("float", Type::Number);
        assert!(float.contains(Number::Float(3.4e38)));
        assert!(!float.contains(Number::Float(3.5e38)));
        assert!(range("double", Type::Number).contains(Number::Float(1e308)));
    }
}
