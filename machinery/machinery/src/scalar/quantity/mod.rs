//! Amounts of resources: `100m`, `1.5Gi`, `12e6`.

mod amount;
mod suffix;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::ParseError;
use crate::Str;
use amount::Amount;
use suffix::{Format, Suffix};

/// An amount of a resource, stored as its canonical text.
///
/// Parsing makes the text canonical by the reference server's rules:
///
/// - It has at most nine decimal places; more are rounded away from zero.
/// - Its suffix is the largest that leaves a whole number (`1500m`, `1536Mi`). A suffix is never
///   replaced with one of another family; the families are binary (`Ki`), decimal (`k`) and
///   exponents (`e3`).
/// - Amounts with binary suffixes are limited to 2⁶³−1.
/// - Texts that the reference server leaves unchanged are left unchanged, for example `1.500` and
///   `+5`.
///
/// One rule differs. The reference server writes amounts from 10²¹ on that have no exponent without
/// a suffix, which changes the number; here they keep the suffix `E`.
///
/// `==` compares texts: `1Ki` and `1024` differ. [`Quantity::compare`] compares amounts. The order
/// is by amount first and by text second. The default is `0`.
///
/// The pattern by which definitions describe quantities is upstream's, and allows texts that no quantity is: `1E.5`.
/// They are refused, as by upstream's type.
///
/// ```
/// use hubgen_machinery::scalar::Quantity;
///
/// let cpu: Quantity = "1500m".parse().unwrap();
/// assert_eq!((cpu.milli(), cpu.value()), (Some(1500), Some(2)));
/// let memory: Quantity = "1024Ki".parse().unwrap();
/// assert_eq!(memory.as_str(), "1Mi");
/// ```
#[derive(Default, PartialEq, Eq, Hash)]
pub struct Quantity {
    /// Empty for `0`, so that the default allocates nothing.
    text: Str,
}

const EXPECTED: &str =
    "a quantity such as 500m, 1.5, 128Mi or 12e6 (suffixes n u m k M G T P E, Ki Mi Gi Ti Pi Ei)";

/// Schemas describe quantities by a pattern of upstream, which allows `1E.5`. No parser accepts it, upstream's neither.
const EXPECTED_EXPONENT: &str = "a quantity with a whole number as its exponent, such as 12e6";

impl Quantity {
    /// The quantity `0`.
    pub const ZERO: Self = Self { text: Str::new() };

    /// The canonical text.
    pub fn as_str(&self) -> &str {
        if self.text.is_empty() { "0" } else { &self.text }
    }

    /// Compares the amounts, independent of their suffixes.
    pub fn compare(&self, other: &Quantity) -> Ordering {
        self.amount().cmp(&other.amount())
    }

    /// Whether the amount is zero.
    pub fn is_zero(&self) -> bool {
        self.amount().is_zero()
    }

    /// The amount, if it is a whole number that fits 64 bits.
    pub fn as_i64(&self) -> Option<i64> {
        let (value, exact) = self.amount().scaled(0)?;
        exact.then_some(value)
    }

    /// The amount as a whole number, rounded away from zero; `None` if it does not fit 64 bits.
    pub fn value(&self) -> Option<i64> {
        Some(self.amount().scaled(0)?.0)
    }

    /// The amount in thousandths, rounded away from zero; `None` if it does not fit 64 bits.
    pub fn milli(&self) -> Option<i64> {
        Some(self.amount().scaled(3)?.0)
    }

    /// The float nearest to the amount; infinite if the amount is too large for a float.
    pub fn as_f64(&self) -> f64 {
        self.amount().as_f64()
    }

    fn amount(&self) -> Amount {
        Parts::parse(self.as_str())
            .and_then(|parts| parts.amount())
            .expect("the text was checked when it was kept")
    }
}

/// The parts of a quantity's text.
struct Parts<'a> {
    negative: bool,
    /// Digits before the point, without leading zeros.
    whole: &'a str,
    /// Digits after the point.
    fraction: &'a str,
    suffix: Suffix,
    /// Whether the text contains a digit.
    has_digits: bool,
}

impl<'a> Parts<'a> {
    fn parse(text: &'a str) -> Option<Parts<'a>> {
        if text.is_empty() {
            return None;
        }
        let (negative, number) = match text.as_bytes()[0] {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let (whole, rest) = split_digits(number);
        let (fraction, suffix) = match rest.strip_prefix('.') {
            Some(rest) => split_digits(rest),
            None => ("", rest),
        };
        Some(Parts {
            negative,
            whole: whole.trim_start_matches('0'),
            fraction,
            suffix: Suffix::read(suffix)?,
            has_digits: !whole.is_empty() || !fraction.is_empty(),
        })
    }

    /// Whether the reference server computes this amount in 64 bits.
    fn is_short(&self) -> bool {
        let length = self.whole.len().max(1) + self.fraction.len();
        match self.suffix.format {
            Format::Binary => {
                let digits_of_factor = self.suffix.exponent as usize * 3 / 10;
                self.fraction.is_empty() && length + digits_of_factor <= 14
            }
            Format::Decimal | Format::Exponent => length <= 18 && self.scale() >= -9,
        }
    }

    /// The power of ten of the last digit.
    fn scale(&self) -> i64 {
        i64::from(self.suffix.decimal_exponent()) - self.fraction.len() as i64
    }

    /// Whether the reference server leaves this text unchanged, canonical or not.
    fn is_kept(&self) -> bool {
        if !self.is_short() {
            return false;
        }
        match self.suffix.format {
            Format::Binary => self.whole.parse::<u64>().is_ok_and(|value| value % 8 != 0),
            Format::Decimal | Format::Exponent => {
                let last = self.whole.bytes().chain(self.fraction.bytes()).rev();
                let thousands = last.take(3).filter(|b| *b == b'0').count() == 3;
                self.scale() % 3 == 0 && !self.whole.is_empty() && !thousands
            }
        }
    }

    /// The amount; `None` if a required number is missing. (The reference server reads a missing
    /// number as zero, but only where it computes in 64 bits.)
    fn amount(&self) -> Option<Amount> {
        if !self.has_digits && !self.is_short() {
            return None;
        }
        let exponent = self.suffix.decimal_exponent();
        let mut amount = Amount::new(self.negative, self.whole, self.fraction, exponent);
        if self.suffix.format == Format::Binary {
            amount.multiply(1 << self.suffix.exponent);
        }
        Some(amount)
    }
}

fn split_digits(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.split_at(end)
}

/// Whether a text is obviously canonical, as nearly all are: a few digits,
/// and a suffix that cannot be replaced with a larger one.
fn is_plain(text: &[u8]) -> bool {
    let digits = text.iter().take(7).take_while(|byte| byte.is_ascii_digit()).count();
    let (number, suffix) = text.split_at(digits);
    if !(1..=6).contains(&digits) || number[0] == b'0' {
        return false;
    }
    let value = number.iter().fold(0, |value, digit| 10 * value + u32::from(digit - b'0'));
    match suffix {
        b"" | b"m" | b"k" | b"M" | b"G" => value % 1000 != 0,
        b"Ki" | b"Mi" | b"Gi" => value % 1024 != 0,
        _ => false,
    }
}

/// The canonical form of a quantity's text; `None` if the text is not a quantity.
fn canonical(text: &str) -> Option<Cow<'_, str>> {
    if text == "0" {
        return Some(Cow::Borrowed(text));
    }
    let parts = Parts::parse(text)?;
    if parts.is_kept() {
        return Some(Cow::Borrowed(text));
    }
    let mut amount = parts.amount()?;
    amount.round_up_to_nano();
    if amount.is_zero() {
        return Some(Cow::Borrowed("0"));
    }
    let mut format = parts.suffix.format;
    if format == Format::Binary {
        amount.cap_at_i64();
        // Small amounts and fractions are written with decimal suffixes, which represent them exactly.
        match amount.scaled(0) {
            Some((value, true)) if value.unsigned_abs() >= 1024 => {
                return Some(Cow::Owned(suffix::binary(value)));
            }
            _ => format = Format::Decimal,
        }
    }
    suffix::decimal(&amount, format).map(Cow::Owned)
}

impl Clone for Quantity {
    fn clone(&self) -> Quantity {
        Quantity { text: self.text.clone() }
    }

    fn clone_from(&mut self, source: &Quantity) {
        self.text.clone_from(&source.text);
    }
}

impl FromStr for Quantity {
    type Err = ParseError;

    /// Parses a quantity. Spaces around it are allowed, as in the reference server.
    fn from_str(text: &str) -> Result<Quantity, ParseError> {
        if is_plain(text.as_bytes()) {
            return Ok(Quantity { text: text.into() });
        }
        match canonical(text.trim()) {
            Some(Cow::Borrowed("0")) => Ok(Quantity::default()),
            Some(canonical) => Ok(Quantity { text: canonical.into() }),
            None => Err(ParseError::new(expected(text.trim()), text)),
        }
    }
}

/// What was expected in place of a text that is no quantity.
#[cold]
fn expected(text: &str) -> &'static str {
    let is_fraction = |exponent: &str| {
        let digits = exponent.trim_start_matches(['+', '-']);
        digits.contains('.') && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
    };
    match text.split_once(['e', 'E']) {
        Some((_, exponent)) if is_fraction(exponent) => EXPECTED_EXPONENT,
        _ => EXPECTED,
    }
}

impl From<i64> for Quantity {
    fn from(value: i64) -> Quantity {
        value.to_string().parse().expect("an integer is a quantity")
    }
}

impl fmt::Debug for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Quantity").field(&self.as_str()).finish()
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Ord for Quantity {
    fn cmp(&self, other: &Quantity) -> Ordering {
        self.compare(other).then_with(|| self.as_str().cmp(other.as_str()))
    }
}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Quantity) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Quantity, D::Error> {
        if deserializer.is_human_readable() {
            deserializer.deserialize_any(QuantityVisitor)
        } else {
            deserializer.deserialize_str(QuantityVisitor)
        }
    }
}

/// Visits a string, or a number as in `cpu: 2`.
struct QuantityVisitor;

impl Visitor<'_> for QuantityVisitor {
    type Value = Quantity;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(EXPECTED)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Quantity, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Quantity, E> {
        Ok(Quantity::from(value))
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Quantity, E> {
        self.visit_str(&value.to_string())
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Quantity, E> {
        self.visit_str(&value.to_string())
    }
}
