//! Times of chrono as leaves.

use std::fmt::{self, Display};
use std::ops::Deref;
use std::str::FromStr;

use chrono::{DateTime, ParseError, SecondsFormat, Utc};

/// A time of chrono whose text is that of RFC 3339, as in JSON. That of `DateTime<Utc>` itself has spaces.
///
/// # Examples
///
/// ```
/// use chrono::{DateTime, Utc};
/// use hubgen_machinery::{ApiType, Leaf, Rfc3339, json};
///
/// #[derive(ApiType)]
/// #[leaf(text, format = "date-time", expects = "a time of RFC 3339", examples("2006-01-02T15:04:05.5Z"))]
/// pub struct Instant(Leaf<Rfc3339>);
///
/// #[derive(ApiType)]
/// struct Event {
///     at: Instant,
/// }
///
/// let mut event: Event = json::decode(br#"{"at": "2006-01-02T15:04:05.250+01:00"}"#).unwrap();
/// let at: DateTime<Utc> = event.at.get().unwrap().0;
/// assert_eq!(at.timestamp_millis(), 1_136_210_645_250);
/// assert_eq!(event.at.as_str(), "2006-01-02T15:04:05.250+01:00");
///
/// event.at = Rfc3339(at).into();
/// assert_eq!(event.at.as_str(), "2006-01-02T14:04:05.250Z");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rfc3339(pub DateTime<Utc>);

impl Deref for Rfc3339 {
    type Target = DateTime<Utc>;

    fn deref(&self) -> &DateTime<Utc> {
        &self.0
    }
}

impl From<DateTime<Utc>> for Rfc3339 {
    fn from(time: DateTime<Utc>) -> Self {
        Self(time)
    }
}

/// With as many digits of the second as the time has.
impl Display for Rfc3339 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0.to_rfc3339_opts(SecondsFormat::AutoSi, true))
    }
}

impl FromStr for Rfc3339 {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Ok(Self(DateTime::parse_from_rfc3339(text)?.to_utc()))
    }
}
