//! The three families of suffixes.

use super::amount::Amount;

/// The family of an amount's suffix. It is kept from the text that was parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// `k`, `M`, … and `m`, `u`, `n`, or no suffix.
    Decimal,
    /// `Ki`, `Mi`, …
    Binary,
    /// `e3`
    Exponent,
}

/// A suffix: a power of two for the binary format, of ten for the others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Suffix {
    pub(super) format: Format,
    pub(super) exponent: i32,
}

/// Suffixes of 10⁻⁹, 10⁻⁶, … 10¹⁸.
const DECIMAL: [&str; 10] = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
/// Suffixes of 2¹⁰, 2²⁰, … 2⁶⁰.
const BINARY: [&str; 6] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

impl Suffix {
    /// The suffix with this text.
    pub(super) fn read(text: &str) -> Option<Suffix> {
        if let Some(index) = DECIMAL.iter().position(|known| *known == text) {
            return Some(Suffix { format: Format::Decimal, exponent: 3 * index as i32 - 9 });
        }
        if let Some(index) = BINARY.iter().position(|known| *known == text) {
            return Some(Suffix { format: Format::Binary, exponent: 10 * (index as i32 + 1) });
        }
        Some(Suffix { format: Format::Exponent, exponent: text.strip_prefix(['e', 'E'])?.parse().ok()? })
    }

    /// The power of ten; 0 for binary ones.
    pub(super) fn decimal_exponent(self) -> i32 {
        match self.format {
            Format::Binary => 0,
            Format::Decimal | Format::Exponent => self.exponent,
        }
    }
}

/// Writes a whole number with the largest binary suffix that divides it.
pub(super) fn binary(mut value: i64) -> String {
    let mut suffix = "";
    for larger in BINARY {
        if value % 1024 != 0 {
            break;
        }
        value /= 1024;
        suffix = larger;
    }
    format!("{value}{suffix}")
}

/// Writes an amount that is not zero with the largest power of 1000 that divides it. `None` if the
/// exponent does not fit 32 bits and so could not be parsed.
pub(super) fn decimal(amount: &Amount, format: Format) -> Option<String> {
    let (mut digits, exponent) = amount.without_trailing_zeros();
    let mut power = exponent - exponent.rem_euclid(3);
    if format == Format::Decimal {
        power = power.min(18);
    }
    digits.extend((power..exponent).map(|_| '0'));
    match (format, power) {
        (_, 0) => {}
        (Format::Exponent, _) => digits.push_str(&format!("e{}", i32::try_from(power).ok()?)),
        _ => digits.push_str(DECIMAL[(power / 3 + 3) as usize]),
    }
    Some(digits)
}
