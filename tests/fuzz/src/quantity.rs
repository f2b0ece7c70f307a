//! Quantities: the input is two of them, one on each line.

use std::cmp::Ordering;

use hubgen_machinery::json;
use hubgen_machinery::scalar::Quantity;

use crate::memory;
use crate::shapes::{Leaves, survives};

/// Bytes of memory per byte of text: the digits are stored once to round them and once to write them.
const MEMORY: u64 = 8;

pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (first, second) = text.split_once('\n').unwrap_or((text, "0"));
    let (Some(first), Some(second)) = (one(first), one(second)) else { return };
    let order = first.quantity.compare(&second.quantity);
    assert_eq!(second.quantity.compare(&first.quantity), order.reverse());
    assert_eq!(first.quantity == second.quantity, first.quantity.cmp(&second.quantity).is_eq());
    if let (Some(first), Some(second)) = (first.nanos, second.nanos) {
        assert_eq!(first.cmp(&second), order);
    }
}

struct Read {
    quantity: Quantity,
    /// The amount in units of 10⁻⁹, if it fits.
    nanos: Option<i128>,
}

fn one(text: &str) -> Option<Read> {
    let expected = Text::split(text.trim());
    let read = memory::bounded(text.len(), MEMORY, || text.parse::<Quantity>());
    let quantity = match read {
        Ok(quantity) => quantity,
        Err(error) => {
            // A text without digits is zero, but only with some suffixes. The exponent of the canonical form must fit
            // 32 bits, too.
            let is_beyond = |text: &Text<'_>| i64::from(text.ten) + text.whole.len() as i64 > i32::MAX.into();
            assert!(expected.is_none_or(|text| !text.has_digits || is_beyond(&text)), "{text:?}: {error}");
            return None;
        }
    };
    let expected = expected.unwrap_or_else(|| panic!("{text:?} was read as {quantity}"));
    let canonical = quantity.as_str();
    assert_eq!(canonical.parse().as_ref(), Ok(&quantity), "{text:?} is not canonical in one step");
    let shown = Text::split(canonical).unwrap_or_else(|| panic!("{text:?} is written as {canonical:?}"));
    let nanos = shown.nanos();
    if let (Some(found), Some(expected)) = (nanos, expected.capped_nanos()) {
        assert_eq!(found, expected, "{text:?} is written as {canonical:?}");
    }
    if let Some(nanos) = nanos {
        numbers(&quantity, nanos);
    }
    assert_eq!(quantity.cmp(&quantity), Ordering::Equal);
    // A JSON number is the same quantity as its text.
    let bare = format!("{{\"amount\":{text}}}");
    if serde_json::from_str::<serde_json::Number>(text).is_ok() {
        let amount = json::decode::<Leaves>(bare.as_bytes()).expect("a number is a quantity").amount;
        let expected = text.trim().parse::<i64>().map_or(quantity.clone(), Quantity::from);
        assert_eq!(amount, Some(expected), "{bare}");
    }
    survives(&Leaves { amount: Some(quantity.clone()), ..Leaves::default() });
    Some(Read { quantity, nanos })
}

/// Compares the numbers that a quantity returns with its amount.
fn numbers(quantity: &Quantity, nanos: i128) {
    let rounded = |unit: i128| {
        let whole = nanos / unit + (nanos % unit).signum();
        i64::try_from(whole).ok()
    };
    const ONE: i128 = 1_000_000_000;
    assert_eq!(quantity.is_zero(), nanos == 0, "{quantity}");
    assert_eq!(quantity.value(), rounded(ONE), "{quantity}");
    assert_eq!(quantity.milli(), rounded(ONE / 1000), "{quantity}");
    let exact = if nanos % ONE == 0 { rounded(ONE) } else { None };
    assert_eq!(quantity.as_i64(), exact, "{quantity}");
    let (float, near) = (quantity.as_f64(), nanos as f64 / 1e9);
    assert!((float - near).abs() <= near.abs() * 1e-12, "{quantity} is {float}, expected {near}");
}

/// A quantity's text, parsed by its grammar.
struct Text<'a> {
    negative: bool,
    whole: &'a str,
    fraction: &'a str,
    ten: i32,
    two: u32,
    has_digits: bool,
}

impl<'a> Text<'a> {
    fn split(text: &'a str) -> Option<Self> {
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let number_end = unsigned.find(|c: char| c != '.' && !c.is_ascii_digit()).unwrap_or(unsigned.len());
        let (number, suffix) = unsigned.split_at(number_end);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if fraction.contains('.') || text.is_empty() {
            return None;
        }
        let (ten, two) = match suffix {
            "n" => (-9, 0),
            "u" => (-6, 0),
            "m" => (-3, 0),
            "" => (0, 0),
            "k" => (3, 0),
            "M" => (6, 0),
            "G" => (9, 0),
            "T" => (12, 0),
            "P" => (15, 0),
            "E" => (18, 0),
            "Ki" => (0, 10),
            "Mi" => (0, 20),
            "Gi" => (0, 30),
            "Ti" => (0, 40),
            "Pi" => (0, 50),
            "Ei" => (0, 60),
            _ => (suffix.strip_prefix(['e', 'E'])?.parse().ok()?, 0),
        };
        let has_digits = !number.trim_start_matches('.').is_empty();
        Some(Self { negative: text.starts_with('-'), whole, fraction, ten, two, has_digits })
    }

    /// The amount in units of 10⁻⁹, rounded away from zero; `None` if it is too large.
    fn nanos(&self) -> Option<i128> {
        let digits = format!("{}{}", self.whole, self.fraction);
        let digits = digits.trim_start_matches('0');
        let digits: i128 = if digits.is_empty() { 0 } else { digits.parse().ok()? };
        let magnitude = digits.checked_mul(1 << self.two)?;
        let exponent = i64::from(self.ten) - i64::try_from(self.fraction.len()).ok()? + 9;
        let power = 10_i128.checked_pow(u32::try_from(exponent.unsigned_abs()).ok()?);
        let nanos = match (exponent >= 0, power) {
            _ if magnitude == 0 => 0,
            (true, power) => magnitude.checked_mul(power?)?,
            (false, Some(power)) => magnitude / power + (magnitude % power).signum(),
            // Less than one unit.
            (false, None) => 1,
        };
        Some(if self.negative { -nanos } else { nanos })
    }

    /// As [`Text::nanos`], but amounts with a binary suffix are limited to 64 bits.
    fn capped_nanos(&self) -> Option<i128> {
        const CAP: i128 = i64::MAX as i128 * 1_000_000_000;
        let nanos = self.nanos()?;
        Some(if self.two > 0 { nanos.clamp(-CAP, CAP) } else { nanos })
    }
}
