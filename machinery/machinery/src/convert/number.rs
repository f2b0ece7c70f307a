//! Numbers that another version contains as texts: `timeoutSeconds: 300` and `timeout: 5m0s`.
//!
//! Every number has a text, and reading that text gives the number again. The reverse is not true: a text that no whole
//! number stands for becomes one that is close, and one that is no such text becomes zero. The stash of the object has
//! what is lost.

use std::borrow::Cow;

use hubgen_facts::{Multiple, NumberText, TimeUnit};

use crate::Str;
use crate::scalar::{Duration, IntOrString, Quantity};

/// A whole number of a field.
pub trait Number: Copy {
    /// The number, in 64 bits.
    fn wide(self) -> i64;
    /// The nearest number that the field can contain.
    fn nearest(wide: i64) -> Self;
}

impl Number for i64 {
    fn wide(self) -> i64 {
        self
    }

    fn nearest(wide: i64) -> Self {
        wide
    }
}

impl Number for i32 {
    fn wide(self) -> i64 {
        self.into()
    }

    fn nearest(wide: i64) -> Self {
        wide.clamp(Self::MIN.into(), Self::MAX.into()) as Self
    }
}

/// A value of a field that can contain a number as a text.
pub trait HoldsNumber {
    /// The value with a text that [`to_text`] has written.
    fn holding(text: String) -> Self;
    /// The text.
    fn text(&self) -> Cow<'_, str>;
}

impl HoldsNumber for Str {
    fn holding(text: String) -> Self {
        text.into()
    }

    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(self)
    }
}

impl HoldsNumber for IntOrString {
    fn holding(text: String) -> Self {
        Self::String(text.into())
    }

    fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Int(number) => Cow::Owned(number.to_string()),
            Self::String(text) => Cow::Borrowed(text),
        }
    }
}

impl HoldsNumber for Quantity {
    fn holding(text: String) -> Self {
        text.parse().unwrap_or_default()
    }

    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.as_str())
    }
}

impl HoldsNumber for Duration {
    fn holding(text: String) -> Self {
        text.parse().unwrap_or_default()
    }

    fn text(&self) -> Cow<'_, str> {
        Cow::Owned(self.to_string())
    }
}

/// Writes a number as a text.
///
/// ```
/// use hubgen_machinery::Str;
/// use hubgen_machinery::convert::{NumberText, TimeUnit, to_number, to_text};
///
/// let seconds = NumberText::Duration(TimeUnit::Second);
/// let timeout: Str = to_text(300, seconds);
/// assert_eq!(timeout, "5m0s");
/// assert_eq!(to_number::<i32, _>(timeout, seconds), 300);
/// ```
pub fn to_text<N: Number, T: HoldsNumber>(number: N, form: NumberText) -> T {
    T::holding(write(number.wide(), form))
}

/// Reads the number in a text: the nearest one towards zero for a duration, away from zero for a quantity, as Go's
/// types give it; zero if the text has another form.
pub fn to_number<N: Number, T: HoldsNumber>(text: T, form: NumberText) -> N {
    N::nearest(read(&text.text(), form))
}

/// The text of a number.
pub(crate) fn write(number: i64, form: NumberText) -> String {
    let canonical = match form {
        NumberText::Decimal | NumberText::Percent => None,
        NumberText::Duration(unit) => {
            number.checked_mul(unit.nanoseconds()).map(|total| Duration(total).to_string())
        }
        NumberText::Quantity(unit) => {
            let quantity: Option<Quantity> = format!("{number}{unit}").parse().ok();
            quantity.map(|quantity| quantity.to_string())
        }
    };
    // What is too large for the form of its type is written as it is.
    canonical.filter(|text| read(text, form) == number).unwrap_or_else(|| format!("{number}{}", suffix(form)))
}

/// The number in a text.
pub(crate) fn read(text: &str, form: NumberText) -> i64 {
    if let Some(number) = text.strip_suffix(suffix(form)).and_then(|number| number.parse().ok()) {
        return number;
    }
    match form {
        NumberText::Decimal | NumberText::Percent => 0,
        NumberText::Duration(unit) => in_unit(text, unit).unwrap_or_default(),
        NumberText::Quantity(unit) => counted(text, unit).unwrap_or_default(),
    }
}

/// What is written after a number that counts the unit of a form.
fn suffix(form: NumberText) -> &'static str {
    match form {
        NumberText::Percent => "%",
        form => form.unit().unwrap_or_default(),
    }
}

fn in_unit(text: &str, unit: TimeUnit) -> Option<i64> {
    let Duration(total) = text.parse().ok()?;
    Some(total / unit.nanoseconds())
}

fn counted(text: &str, unit: Multiple) -> Option<i64> {
    let quantity: Quantity = text.parse().ok()?;
    let (amount, size) = match unit {
        Multiple::Milli => (quantity.milli()?, 1),
        _ => (quantity.value()?, unit.thousandths() / 1_000),
    };
    let away_from_zero = i64::from(amount % size != 0) * amount.signum();
    Some(amount / size + away_from_zero)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn forms() -> Vec<NumberText> {
        let units = TimeUnit::ALL.iter().copied().map(NumberText::Duration);
        let multiples = Multiple::ALL.iter().copied().map(NumberText::Quantity);
        [NumberText::Decimal, NumberText::Percent].into_iter().chain(units).chain(multiples).collect()
    }

    proptest! {
        #[test]
        fn every_number_comes_back(number in any::<i64>()) {
            for form in forms() {
                // Small ones, too.
                for number in [number, number >> 32, number >> 56] {
                    prop_assert_eq!(read(&write(number, form), form), number, "{:?}", form);
                }
            }
        }

        #[test]
        fn any_text_is_read(text in "\\PC*") {
            for form in forms() {
                read(&text, form);
            }
        }
    }

    #[test]
    fn texts_are_those_of_the_types() {
        let seconds = NumberText::Duration(TimeUnit::Second);
        let minutes = NumberText::Duration(TimeUnit::Minute);
        let mebi = NumberText::Quantity(Multiple::Mebi);
        for (number, form, text) in [
            (-5, NumberText::Decimal, "-5"),
            (50, NumberText::Percent, "50%"),
            (0, seconds, "0s"),
            (90, seconds, "1m30s"),
            (90, minutes, "1h30m0s"),
            (i64::MAX, seconds, "9223372036854775807s"),
            (512, mebi, "512Mi"),
            (2048, mebi, "2Gi"),
            (1500, NumberText::Quantity(Multiple::Milli), "1500m"),
            (2000, NumberText::Quantity(Multiple::Milli), "2"),
        ] {
            assert_eq!(write(number, form), text);
        }
    }

    #[test]
    fn texts_that_are_no_whole_number_become_a_near_one() {
        let seconds = NumberText::Duration(TimeUnit::Second);
        for (text, form, number) in [
            ("1.9s", seconds, 1),
            ("-1.9s", seconds, -1),
            ("2h", seconds, 7200),
            ("soon", seconds, 0),
            ("", seconds, 0),
            ("1500m", NumberText::Quantity(Multiple::One), 2),
            ("1025", NumberText::Quantity(Multiple::Kibi), 2),
            ("-1025", NumberText::Quantity(Multiple::Kibi), -2),
            ("50", NumberText::Percent, 0),
            ("12.5%", NumberText::Percent, 0),
        ] {
            assert_eq!(read(text, form), number, "{text}");
        }
    }

    #[test]
    fn a_number_that_the_field_cannot_contain_becomes_the_nearest() {
        let hours = NumberText::Decimal;
        assert_eq!(to_number::<i32, _>(Str::from("9999999999"), hours), i32::MAX);
        assert_eq!(to_number::<i32, _>(Str::from("-9999999999"), hours), i32::MIN);
    }

    #[test]
    fn every_type_holds_numbers() {
        let percent: IntOrString = to_text(5, NumberText::Percent);
        assert_eq!(percent, IntOrString::String("5%".into()));
        assert_eq!(to_number::<i32, _>(percent, NumberText::Percent), 5);
        assert_eq!(to_number::<i64, _>(IntOrString::Int(5), NumberText::Decimal), 5);
        let duration: Duration = to_text(5, NumberText::Duration(TimeUnit::Minute));
        assert_eq!(to_number::<i64, _>(duration, NumberText::Duration(TimeUnit::Second)), 300);
        let memory: Quantity = to_text(1024, NumberText::Quantity(Multiple::Mebi));
        assert_eq!(
            (memory.as_str(), to_number(memory.clone(), NumberText::Quantity(Multiple::Gibi))),
            ("1Gi", 1i64)
        );
    }
}
