//! What expressions cost: at most, before they run, and when they run. The numbers are those of cel-go and of
//! Kubernetes' libraries, because they decide which rules definitions may have.

mod calls;
mod estimate;

pub(crate) use self::calls::actual;
pub(crate) use self::estimate::estimate;

/// The cost of making a list.
pub(crate) const LIST: u64 = 10;
/// The cost of making a map.
pub(crate) const MAP: u64 = 30;
/// The cost of reading a character.
const TEXT: f64 = 0.1;
/// The cost of a character of a pattern, for each unit of text.
const PATTERN: f64 = 0.25;
/// The length of the pattern that estimates assume for formats.
const FORMAT_PATTERN: f64 = 128.0;

/// The smallest and the largest cost, or size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) min: u64,
    pub(crate) max: u64,
}

impl Range {
    const ZERO: Self = Self::of(0);
    const ONE: Self = Self::of(1);
    const UNKNOWN: Self = Self { min: 0, max: u64::MAX };
    /// The union of nothing.
    const NONE: Self = Self { min: u64::MAX, max: 0 };

    const fn of(value: u64) -> Self {
        Self { min: value, max: value }
    }

    fn plus(self, other: Self) -> Self {
        Self { min: self.min.saturating_add(other.min), max: self.max.saturating_add(other.max) }
    }

    fn times(self, other: Self) -> Self {
        Self { min: self.min.saturating_mul(other.min), max: self.max.saturating_mul(other.max) }
    }

    /// Multiplies and rounds up.
    fn scaled(self, factor: f64) -> Self {
        Self { min: scaled(self.min, factor), max: scaled(self.max, factor) }
    }

    fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }
}

/// Multiplies and rounds up; what is too large becomes the largest number.
fn scaled(value: u64, factor: f64) -> u64 {
    let product = (value as f64 * factor).ceil();
    if product >= u64::MAX as f64 { u64::MAX } else { product as u64 }
}
