//! A release of the reference server.

use std::fmt;
use std::str::FromStr;

/// A minor release such as `1.35`. Ordered by age, oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Release {
    /// The `1` of `1.35`.
    pub major: u16,
    /// The `35` of `1.35`.
    pub minor: u16,
}

impl Release {
    /// Creates a release from its two numbers.
    pub const fn new(major: u16, minor: u16) -> Self {
        Self { major, minor }
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// A text that is no release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidRelease(String);

impl fmt::Display for InvalidRelease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a release; expected one such as `1.35`", self.0)
    }
}

impl std::error::Error for InvalidRelease {}

impl FromStr for Release {
    type Err = InvalidRelease;

    /// Parses `1.35` or `v1.35`; ignores a patch level (`v1.7.13`).
    fn from_str(text: &str) -> Result<Self, InvalidRelease> {
        let wrong = || InvalidRelease(text.to_owned());
        let mut parts = text.strip_prefix('v').unwrap_or(text).split('.');
        let mut number = || parts.next().and_then(|part| part.parse().ok()).ok_or_else(wrong);
        Ok(Self::new(number()?, number()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_read_with_and_without_patch_level() {
        assert_eq!("v1.7.13".parse(), Ok(Release::new(1, 7)));
        assert_eq!("1.35".parse(), Ok(Release::new(1, 35)));
        assert!("one".parse::<Release>().is_err());
        assert!(Release::new(1, 9) < Release::new(1, 10));
    }
}
