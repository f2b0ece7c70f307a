//! Decimal numbers of any length.

use std::cmp::Ordering;

/// `digits × 10^exponent`, exactly.
#[derive(Clone, Debug)]
pub(super) struct Amount {
    negative: bool,
    /// Values 0 to 9, the first one not 0; empty for zero.
    digits: Vec<u8>,
    exponent: i64,
}

impl Amount {
    /// The amount `±whole.fraction × 10^exponent`.
    pub(super) fn new(negative: bool, whole: &str, fraction: &str, exponent: i32) -> Amount {
        let digits: Vec<u8> = whole
            .bytes()
            .chain(fraction.bytes())
            .map(|digit| digit - b'0')
            .skip_while(|digit| *digit == 0)
            .collect();
        Amount {
            negative: negative && !digits.is_empty(),
            digits,
            exponent: i64::from(exponent) - fraction.len() as i64,
        }
    }

    pub(super) fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    pub(super) fn multiply(&mut self, factor: u64) {
        let mut carry = 0u128;
        for digit in self.digits.iter_mut().rev() {
            let product = u128::from(*digit) * u128::from(factor) + carry;
            *digit = (product % 10) as u8;
            carry = product / 10;
        }
        let mut front = Vec::new();
        while carry > 0 {
            front.insert(0, (carry % 10) as u8);
            carry /= 10;
        }
        self.digits.splice(0..0, front);
    }

    /// Rounds away from zero to nine decimal places.
    pub(super) fn round_up_to_nano(&mut self) {
        self.round_up_to(-9);
    }

    /// Rounds away from zero to a multiple of `10^exponent`. Returns whether the result is exact.
    fn round_up_to(&mut self, exponent: i64) -> bool {
        if self.is_zero() || self.exponent >= exponent {
            return true;
        }
        let dropped = usize::try_from(exponent - self.exponent).unwrap_or(usize::MAX);
        let kept = self.digits.len().saturating_sub(dropped);
        let exact = self.digits[kept..].iter().all(|digit| *digit == 0) && dropped <= self.digits.len();
        self.digits.truncate(kept);
        self.exponent = exponent;
        if !exact {
            self.increment();
        }
        exact
    }

    /// Adds one to the last digit.
    fn increment(&mut self) {
        for digit in self.digits.iter_mut().rev() {
            if *digit < 9 {
                *digit += 1;
                return;
            }
            *digit = 0;
        }
        self.digits.insert(0, 1);
    }

    /// Limits the magnitude to 2⁶³−1.
    pub(super) fn cap_at_i64(&mut self) {
        let largest = Amount::new(false, &i64::MAX.to_string(), "", 0);
        if self.compare_magnitude(&largest) == Ordering::Greater {
            *self = Amount { negative: self.negative, ..largest };
        }
    }

    /// The amount in units of `10^-places`, rounded away from zero, and whether that is exact.
    /// `None` if it does not fit 64 bits.
    pub(super) fn scaled(&self, places: i64) -> Option<(i64, bool)> {
        let mut rounded = self.clone();
        let exact = rounded.round_up_to(-places);
        if rounded.is_zero() {
            return Some((0, exact));
        }
        let zeros = rounded.exponent + places;
        if rounded.digits.len() as i64 + zeros > 20 {
            return None;
        }
        let mut value = 0i128;
        for digit in &rounded.digits {
            value = value * 10 + i128::from(*digit);
        }
        value *= 10i128.pow(zeros as u32);
        let signed = if self.negative { -value } else { value };
        Some((i64::try_from(signed).ok()?, exact))
    }

    pub(super) fn as_f64(&self) -> f64 {
        let (digits, exponent) = self.without_trailing_zeros();
        format!("{digits}e{exponent}").parse().expect("digits and an exponent are a float")
    }

    /// The digits with their sign and without trailing zeros, and their exponent; `0` for zero.
    pub(super) fn without_trailing_zeros(&self) -> (String, i64) {
        let kept = self.digits.iter().rposition(|digit| *digit != 0).map_or(0, |last| last + 1);
        if kept == 0 {
            return ("0".to_owned(), 0);
        }
        let sign = self.negative.then_some('-');
        let digits = self.digits[..kept].iter().map(|digit| char::from(b'0' + digit));
        let text = sign.into_iter().chain(digits).collect();
        (text, self.exponent + (self.digits.len() - kept) as i64)
    }

    fn compare_magnitude(&self, other: &Amount) -> Ordering {
        let size = |amount: &Amount| {
            // Zero is less than any other magnitude.
            (!amount.is_zero()).then_some(amount.digits.len() as i64 + amount.exponent)
        };
        size(self).cmp(&size(other)).then_with(|| {
            let length = self.digits.len().max(other.digits.len());
            let padded = |amount: &Amount, at: usize| amount.digits.get(at).copied().unwrap_or(0);
            (0..length)
                .map(|at| padded(self, at).cmp(&padded(other, at)))
                .find(|order| order.is_ne())
                .unwrap_or(Ordering::Equal)
        })
    }
}

impl Ord for Amount {
    fn cmp(&self, other: &Amount) -> Ordering {
        match (self.negative, other.negative) {
            (false, false) => self.compare_magnitude(other),
            (true, true) => other.compare_magnitude(self),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
}

impl PartialOrd for Amount {
    fn partial_cmp(&self, other: &Amount) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Amount {
    fn eq(&self, other: &Amount) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Amount {}
