//! Durations in Go's syntax.

use std::fmt;
use std::str::FromStr;

use super::ParseError;

/// A duration in nanoseconds, written as Go writes it: `1h2m3.5s`, `100ms`, `0s`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(pub i64);

const EXPECTED: &str = "a duration such as 300ms, -1.5h or 2h45m, in the units ns, us, ms, s, m, h \
                        and within 292 years";

const SECOND: u64 = 1_000_000_000;

impl FromStr for Duration {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Duration, ParseError> {
        read(text).map(Duration).ok_or_else(|| ParseError::new(EXPECTED, text))
    }
}

fn read(text: &str) -> Option<i64> {
    let (negative, mut rest) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut total = 0u64;
    while !rest.is_empty() {
        let (part, after) = read_part(rest)?;
        total = total.checked_add(part).filter(|sum| *sum <= 1 << 63)?;
        rest = after;
    }
    if negative { 0i64.checked_sub_unsigned(total) } else { i64::try_from(total).ok() }
}

/// Reads one number with its unit. Returns nanoseconds and the rest of the text.
fn read_part(text: &str) -> Option<(u64, &str)> {
    let (whole, rest) = split_digits(text);
    let (fraction, rest) = match rest.strip_prefix('.') {
        Some(rest) => split_digits(rest),
        None => ("", rest),
    };
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let unit_length = rest.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(rest.len());
    let (unit, rest) = rest.split_at(unit_length);
    let unit = match unit {
        "ns" => 1,
        "us" | "µs" | "μs" => 1_000,
        "ms" => 1_000_000,
        "s" => SECOND,
        "m" => 60 * SECOND,
        "h" => 3600 * SECOND,
        _ => return None,
    };
    let mut value = match whole {
        "" => 0,
        digits => digits.parse::<u64>().ok()?.checked_mul(unit)?,
    };
    if !fraction.is_empty() {
        let (digits, scale) = leading_fraction(fraction);
        // In floating point, as Go computes it, so that the same text is the same nanosecond.
        let part = digits as f64 * (unit as f64 / scale);
        value = value.checked_add(part as u64)?;
    }
    (value <= 1 << 63).then_some((value, rest))
}

/// The value of as many digits of a fraction as fit 63 bits, and ten to the power of their count.
fn leading_fraction(digits: &str) -> (u64, f64) {
    let mut value = 0u64;
    let mut scale = 1.0;
    for digit in digits.bytes() {
        if value > i64::MAX as u64 / 10 {
            break;
        }
        // At most 2⁶³+1. Go stops just below; a float cannot represent the difference.
        value = value * 10 + u64::from(digit - b'0');
        scale *= 10.0;
    }
    (value, scale)
}

fn split_digits(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.split_at(end)
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.0.unsigned_abs();
        if self.0 < 0 {
            f.write_str("-")?;
        }
        match total {
            0 => f.write_str("0s"),
            1..1_000 => write!(f, "{total}ns"),
            1_000..1_000_000 => write_fraction(f, total, 1_000, "µs"),
            1_000_000..SECOND => write_fraction(f, total, 1_000_000, "ms"),
            _ => {
                let minutes = total / SECOND / 60;
                if minutes >= 60 {
                    write!(f, "{}h", minutes / 60)?;
                }
                if minutes > 0 {
                    write!(f, "{}m", minutes % 60)?;
                }
                write_fraction(f, total % (60 * SECOND), SECOND, "s")
            }
        }
    }
}

/// Writes `value / unit` without trailing zeros after the point.
fn write_fraction(f: &mut fmt::Formatter<'_>, value: u64, unit: u64, name: &str) -> fmt::Result {
    write!(f, "{}", value / unit)?;
    let mut rest = value % unit;
    if rest > 0 {
        let mut places = unit.ilog10() as usize;
        while rest.is_multiple_of(10) {
            rest /= 10;
            places -= 1;
        }
        write!(f, ".{rest:0places$}")?;
    }
    f.write_str(name)
}

super::serde_as_text!(Duration);
