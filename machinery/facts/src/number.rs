//! How a text contains a number: what rules say about a number of one version that is a text in another one.

use std::fmt;

/// How a text contains a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NumberText {
    /// As decimal digits: `5`.
    Decimal,
    /// As a percentage: `5%`.
    Percent,
    /// As a duration in Go's syntax, of which the number counts this unit: `5m0s`.
    Duration(TimeUnit),
    /// As a quantity, of which the number counts this unit: `512Mi`.
    Quantity(Multiple),
}

impl NumberText {
    /// The text of zero.
    pub const fn zero(self) -> &'static str {
        match self {
            Self::Decimal | Self::Quantity(_) => "0",
            Self::Percent => "0%",
            Self::Duration(_) => "0s",
        }
    }
}

/// The size of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bits {
    /// A 32 bit integer.
    Short,
    /// A 64 bit integer.
    Long,
}

macro_rules! units {
    ($(#[$docs:meta])* $name:ident: $($(#[$own:meta])* $unit:ident = $text:literal,)*) => {
        $(#[$docs])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name {
            $($(#[$own])* $unit,)*
        }

        impl $name {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$unit),*];

            /// As it is written after a number.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$unit => $text,)*
                }
            }

            /// The one with this text.
            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|unit| unit.as_str() == text)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

units! {
    /// A unit of time.
    TimeUnit:
    /// Nanoseconds.
    Nanosecond = "ns",
    /// Microseconds.
    Microsecond = "us",
    /// Milliseconds.
    Millisecond = "ms",
    /// Seconds.
    Second = "s",
    /// Minutes.
    Minute = "m",
    /// Hours.
    Hour = "h",
}

units! {
    /// A suffix of quantities.
    Multiple:
    /// Thousandths.
    Milli = "m",
    /// No suffix.
    One = "",
    /// 10³.
    Kilo = "k",
    /// 10⁶.
    Mega = "M",
    /// 10⁹.
    Giga = "G",
    /// 2¹⁰.
    Kibi = "Ki",
    /// 2²⁰.
    Mebi = "Mi",
    /// 2³⁰.
    Gibi = "Gi",
}

impl TimeUnit {
    /// How many nanoseconds it has.
    pub const fn nanoseconds(self) -> i64 {
        match self {
            Self::Nanosecond => 1,
            Self::Microsecond => 1_000,
            Self::Millisecond => 1_000_000,
            Self::Second => 1_000_000_000,
            Self::Minute => 60 * Self::Second.nanoseconds(),
            Self::Hour => 60 * Self::Minute.nanoseconds(),
        }
    }
}

impl Multiple {
    /// How many thousandths it has.
    pub const fn thousandths(self) -> i64 {
        match self {
            Self::Milli => 1,
            Self::One => 1_000,
            Self::Kilo => 1_000_000,
            Self::Mega => 1_000_000_000,
            Self::Giga => 1_000_000_000_000,
            Self::Kibi => 1_000 << 10,
            Self::Mebi => 1_000 << 20,
            Self::Gibi => 1_000 << 30,
        }
    }
}

impl NumberText {
    /// The name of the form in rules and attributes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Decimal => "text",
            Self::Percent => "percent",
            Self::Duration(_) => "duration",
            Self::Quantity(_) => "quantity",
        }
    }

    /// What the number counts, if the form has units.
    pub const fn unit(self) -> Option<&'static str> {
        match self {
            Self::Decimal | Self::Percent => None,
            Self::Duration(unit) => Some(unit.as_str()),
            Self::Quantity(unit) => Some(unit.as_str()),
        }
    }

    /// Texts of this form: one as programs write it, one as people do, and one that no whole number of every unit stands
    /// for. Random generation would not produce them.
    pub const fn examples(self) -> [&'static str; 3] {
        match self {
            Self::Decimal => ["7", "007", "7.5"],
            Self::Percent => ["50%", "050%", "12.5%"],
            Self::Duration(_) => ["1h30m0s", "90m", "1.5ns"],
            Self::Quantity(_) => ["2Gi", "2048Mi", "1500u"],
        }
    }
}

/// Formats what the text is, for people: `a duration in s`.
impl fmt::Display for NumberText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Decimal => f.write_str("decimal digits"),
            Self::Percent => f.write_str("a percentage"),
            Self::Duration(unit) => write!(f, "a duration in {unit}"),
            Self::Quantity(Multiple::One) => f.write_str("a quantity"),
            Self::Quantity(unit) => write!(f, "a quantity in {unit}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_read_as_they_are_written() {
        for unit in TimeUnit::ALL {
            assert_eq!(TimeUnit::parse(unit.as_str()), Some(*unit));
        }
        for unit in Multiple::ALL {
            assert_eq!(Multiple::parse(unit.as_str()), Some(*unit));
        }
        assert_eq!((TimeUnit::parse("d"), Multiple::parse("Zi")), (None, None));
    }

    #[test]
    fn larger_units_come_later() {
        assert!(TimeUnit::ALL.is_sorted_by_key(|unit| unit.nanoseconds()));
        assert_eq!(TimeUnit::Hour.nanoseconds(), 3_600_000_000_000);
        assert_eq!(Multiple::Mebi.thousandths(), 1_048_576_000);
    }
}
