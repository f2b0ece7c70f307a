//! Releases of Kubernetes.

use std::fmt;
use std::str::FromStr;

/// A release of Kubernetes: `1.37`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Release {
    /// 1.
    pub major: u32,
    /// 37.
    pub minor: u32,
}

impl FromStr for Release {
    type Err = InvalidRelease;

    fn from_str(text: &str) -> Result<Self, InvalidRelease> {
        let parsed = text
            .split_once('.')
            .and_then(|(major, minor)| Some(Self { major: major.parse().ok()?, minor: minor.parse().ok()? }));
        parsed.ok_or_else(|| InvalidRelease(text.to_owned()))
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
        write!(f, "{:?} is no release, such as 1.37", self.0)
    }
}

impl std::error::Error for InvalidRelease {}
