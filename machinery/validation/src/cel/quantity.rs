//! Quantities, as Kubernetes computes with them: exactly to a billionth.

use std::cmp::Ordering;

/// The largest amount with a binary suffix; larger ones are cut to it.
const MAX: i128 = i64::MAX as i128 * NANO;
const NANO: i128 = 1_000_000_000;

pub(crate) const WRONG_FORMAT: &str =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/// An amount in billionths. Amounts without a binary suffix above 10^29 are all equal here, and have no limit upstream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quantity {
    amount: i128,
    /// Whether upstream keeps it as an integer. Of other quantities it does not say that they are integers, even if they
    /// are, such as `1.5Ki`.
    is_int: bool,
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.amount == other.amount
    }
}

impl Eq for Quantity {}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> Ordering {
        self.amount.cmp(&other.amount)
    }
}

/// The most digits of an amount that upstream keeps as an integer.
const MAX_DIGITS: usize = 18;

impl Quantity {
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        const SUFFIX: &str = "unable to parse quantity's suffix";
        let (negative, rest) = match text.as_bytes().first() {
            Some(b'-') => (true, &text[1..]),
            Some(b'+') => (false, &text[1..]),
            _ => (false, text),
        };
        let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (whole, rest) = rest.split_at(digits(rest));
        let (fraction, suffix) = match rest.strip_prefix('.') {
            Some(rest) => rest.split_at(digits(rest)),
            None => ("", rest),
        };
        if whole.is_empty() && fraction.is_empty() && !rest.starts_with('.') {
            return Err(WRONG_FORMAT);
        }
        if whole.is_empty() && fraction.is_empty() {
            return Err("unable to parse numeric part of quantity");
        }
        let (binary, exponent): (usize, i32) = match suffix {
            "Ki" => (1, 0),
            "Mi" => (2, 0),
            "Gi" => (3, 0),
            "Ti" => (4, 0),
            "Pi" => (5, 0),
            "Ei" => (6, 0),
            "n" => (0, -9),
            "u" => (0, -6),
            "m" => (0, -3),
            "" => (0, 0),
            "k" => (0, 3),
            "M" => (0, 6),
            "G" => (0, 9),
            "T" => (0, 12),
            "P" => (0, 15),
            "E" => (0, 18),
            _ => {
                let is_form = suffix.bytes().all(|b| b"eEinumkKMGTP+-0123456789".contains(&b));
                if !is_form {
                    return Err(WRONG_FORMAT);
                }
                let exponent = suffix.strip_prefix(['e', 'E']).ok_or(SUFFIX)?;
                (0, exponent.parse::<i32>().map_err(|_| SUFFIX)?)
            }
        };
        // The decimal point moves over the digits, and what is below a billionth is rounded up.
        let all: Vec<u8> = whole.bytes().chain(fraction.bytes()).skip_while(|b| *b == b'0').collect();
        let places = i64::try_from(fraction.len()).unwrap_or(i64::MAX);
        let shift = i64::from(exponent) + 9 - places;
        let mut amount: i128 = 0;
        let kept = i64::try_from(all.len()).unwrap_or(i64::MAX).saturating_add(shift.min(0));
        let mut lost = false;
        for (at, digit) in all.iter().enumerate() {
            if (at as i64) < kept {
                amount = amount.saturating_mul(10).saturating_add(i128::from(digit - b'0'));
            } else {
                lost |= *digit != b'0';
            }
        }
        for _ in 0..shift.clamp(0, 60) {
            amount = amount.saturating_mul(10);
        }
        if binary > 0 && lost {
            // Billionths of a binary suffix: the digits that were cut count again.
            let scaled: f64 = format!("{whole}.{fraction}").parse().unwrap_or(f64::MAX);
            amount = (scaled * NANO as f64) as i128;
            lost = false;
        }
        amount = amount.saturating_mul(1_i128 << (10 * binary).min(60)).saturating_add(i128::from(lost));
        let digits = whole.trim_start_matches('0').len().max(1);
        let is_int = match binary {
            0 => digits + fraction.len() <= MAX_DIGITS && i64::from(exponent) >= places,
            _ => fraction.is_empty() && digits + 3 * binary < 15,
        };
        if binary > 0 {
            amount = amount.min(MAX);
        }
        Ok(Self { amount: if negative { -amount } else { amount }, is_int })
    }

    pub(crate) fn of_int(value: i64) -> Self {
        Self { amount: i128::from(value) * NANO, is_int: true }
    }

    pub(crate) fn add(self, other: Self) -> Self {
        Self { amount: self.amount.saturating_add(other.amount), is_int: self.is_int && other.is_int }
    }

    pub(crate) fn sub(self, other: Self) -> Self {
        Self { amount: self.amount.saturating_sub(other.amount), is_int: self.is_int && other.is_int }
    }

    pub(crate) fn sign(self) -> i64 {
        i64::try_from(self.amount.signum()).unwrap_or_default()
    }

    pub(crate) fn as_int(self) -> Option<i64> {
        let is_int = self.is_int && self.amount % NANO == 0;
        is_int.then(|| i64::try_from(self.amount / NANO).ok()).flatten()
    }

    pub(crate) fn as_float(self) -> f64 {
        self.amount as f64 / NANO as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_read() {
        let of = |text| Quantity::parse(text).map(|quantity| quantity.amount);
        assert_eq!(of("1.5"), Ok(1_500_000_000));
        assert_eq!(of("1Ki"), Ok(1024 * NANO));
        assert_eq!(of("0.5Mi"), Ok(512 * 1024 * NANO));
        assert_eq!(of("-200m"), Ok(-200_000_000));
        assert_eq!(of("1e3"), of("1k"));
        assert_eq!(of("0.1n"), Ok(1));
        assert_eq!(of("1e1000"), Ok(i128::MAX));
        assert_eq!(of("1000Ei"), Ok(MAX));
        let int = |text| Quantity::parse(text).unwrap().as_int();
        assert_eq!(
            (int("1Ki"), int("1.5Ki"), int("1k"), int("9999999999999999999G")),
            (Some(1024), None, Some(1000), None)
        );
        assert_eq!(of("Three"), Err(WRONG_FORMAT));
        assert_eq!(of("1.2.3"), Err(WRONG_FORMAT));
        assert_eq!(of(""), Err(WRONG_FORMAT));
        assert!(of("10Mo").is_err());
    }
}
