//! JSON numbers as the API server reads them: as an `int64` where one has neither a fraction nor an exponent and
//! fits, and as a `float64` otherwise.

use std::fmt;

use serde_json::Value;

/// A number of an object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Int(i64),
    Float(f64),
}

impl Number {
    pub(crate) fn of(number: &serde_json::Number) -> Self {
        match number.as_i64() {
            Some(int) => Self::Int(int),
            None => Self::Float(number.as_f64().unwrap_or(f64::NAN)),
        }
    }

    /// The shortest decimal digits that give the number, without an exponent.
    pub(crate) fn digits(self) -> String {
        match self {
            Self::Int(int) => int.to_string(),
            Self::Float(float) => float.to_string(),
        }
    }

    pub(crate) fn value(self) -> Value {
        match self {
            Self::Int(int) => Value::from(int),
            Self::Float(float) => Value::from(float),
        }
    }

    pub(crate) fn as_float(self) -> f64 {
        match self {
            Self::Int(int) => int as f64,
            Self::Float(float) => float,
        }
    }

    /// The number as Go's `encoding/json` writes it.
    pub(crate) fn json(self) -> String {
        match self {
            Self::Int(int) => int.to_string(),
            Self::Float(float) => {
                let size = float.abs();
                if size != 0.0 && !(1e-6..1e21).contains(&size) {
                    // Without the leading zero that `%v` writes before exponents of one digit, if negative.
                    let text = exponential(float);
                    match text.split_once("e-0") {
                        Some((digits, exponent)) => format!("{digits}e-{exponent}"),
                        None => text,
                    }
                } else {
                    float.to_string()
                }
            }
        }
    }
}

/// Go's `%v`.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Int(int) => int.fmt(f),
            Self::Float(float) => f.write_str(&float_text(float)),
        }
    }
}

/// Go's `%v` of a `float64`: with an exponent below 0.0001 and from one million on.
pub(crate) fn float_text(float: f64) -> String {
    if float == 0.0 || (-4..6).contains(&exponent(float)) { float.to_string() } else { exponential(float) }
}

fn exponent(float: f64) -> i32 {
    let text = format!("{float:e}");
    text.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0)
}

/// The shortest digits with an exponent of at least two digits and a sign.
fn exponential(float: f64) -> String {
    let text = format!("{float:e}");
    let Some((digits, exponent)) = text.split_once('e') else { return text };
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    format!("{digits}e{sign}{exponent:0>2}")
}

/// Go's conversion of a `float64` to an `int64` on x86-64: what does not fit becomes the least number.
pub(crate) fn truncate(float: f64) -> i64 {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if (-LIMIT..LIMIT).contains(&float) { float as i64 } else { i64::MIN }
}

/// Whether a number counts as an integer: whole, or so close to a whole number that rounding may be the reason, and
/// small enough to be exact.
pub(crate) fn is_whole(float: f64) -> bool {
    const MAX: f64 = 9_007_199_254_740_991.0;
    if !float.is_finite() || float.abs() > MAX {
        return false;
    }
    let truncated = float.trunc();
    if float == truncated {
        return true;
    }
    // Go converts to an unsigned integer here, which wraps negative numbers.
    let whole = (truncated as i64 as u64) as f64;
    if whole == 0.0 {
        return false;
    }
    (float - whole).abs() / (float.abs() + whole).min(f64::MAX) < 1e-9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_close_to_whole_ones_are_whole() {
        for whole in [0.0, 1.0, -3.0, 3.000_000_000_000_000_4, 9_007_199_254_740_991.0] {
            assert!(is_whole(whole), "{whole}");
        }
        for other in [0.5, -0.5, 1.5, 1e-20, 0.3 / 0.1, 9_007_199_254_740_992.0, f64::NAN, f64::INFINITY] {
            assert!(!is_whole(other), "{other}");
        }
    }

    #[test]
    fn what_does_not_fit_becomes_the_least_number() {
        assert_eq!([1.9, -1.9, 1e19, -1e19].map(truncate), [1, -1, i64::MIN, i64::MIN]);
    }
}
