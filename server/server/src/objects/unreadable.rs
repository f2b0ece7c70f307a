//! Stored values that cannot be read: corrupt values, values of an unknown kind or version, and
//! values that cannot be converted to the requested version.
//!
//! Messages, reasons and limits follow upstream's `AllowUnsafeMalformedObjectDeletion`.

use std::borrow::Cow;
use std::fmt;

use hubgen_meta::v1::DeleteOptions;
use hubgen_validation::Reason;

use crate::store::KeyValue;
use crate::validation::{Violation, cut};

/// The option of a deletion that removes an unreadable value.
pub(crate) const OPTION: &str = "ignoreStoreReadErrorWithClusterBreakingPotential";

/// With what all keys begin.
const PREFIX: &str = "/registry";

/// The maximum number of keys in the error of a list.
const MOST_KEYS: usize = 100;

/// The maximum number of bytes of a reason in messages.
const MAX_REASON: usize = 2048;

/// A stored value that cannot be read, with the reason.
#[derive(Clone, Debug)]
pub(crate) struct Unreadable {
    /// The key of the value.
    pub(crate) key: String,
    revision: u64,
    why: String,
}

impl Unreadable {
    /// The stored value and the reason why it cannot be read.
    pub(crate) fn new(stored: &KeyValue, why: impl fmt::Display) -> Self {
        let key = String::from_utf8_lossy(&stored.key).into_owned();
        Self { key, revision: stored.mod_revision, why: why.to_string() }
    }

    /// Why it cannot be read.
    pub(crate) fn why(&self) -> Cow<'_, str> {
        cut(&self.why, MAX_REASON)
    }

    /// Which revision cannot be read, and why.
    pub(crate) fn at_revision(&self) -> String {
        format!("object not decodable revision={}: {}", self.revision, self.why())
    }

    /// The same value as requests for one object name it: without the prefix of all keys.
    pub(crate) fn without_prefix(mut self) -> Self {
        if let Some(key) = self.key.strip_prefix(PREFIX) {
            self.key = key.to_owned();
        }
        self
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (key, why) = (&self.key, self.at_revision());
        write!(
            f,
            "StorageError: corrupt object, Code: 7, Key: {key}, ResourceVersion: 0, AdditionalErrorMsg: {why}"
        )
    }
}

/// Why a list does not contain a stored value.
#[derive(Debug)]
pub(crate) enum Omitted {
    /// It cannot be read.
    Unreadable(Unreadable),
    /// It has values that the version asked for does not know.
    Unknown(Vec<Violation>),
}

impl From<Unreadable> for Omitted {
    fn from(unreadable: Unreadable) -> Self {
        Self::Unreadable(unreadable)
    }
}

impl fmt::Display for Omitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(unreadable) => unreadable.fmt(f),
            Self::Unknown(violations) => {
                let texts: Vec<String> = violations.iter().map(ToString::to_string).collect();
                f.write_str(&texts.join(", "))
            }
        }
    }
}

/// The values that a list cannot contain, at most [`MOST_KEYS`] of their causes.
#[derive(Debug, Default)]
pub(crate) struct Unlisted {
    values: Vec<Omitted>,
    /// The number of causes in `values`.
    causes: usize,
    /// Whether there are more.
    is_cut: bool,
}

impl Unlisted {
    /// Adds a value. Returns whether another one can be added.
    pub(crate) fn add(&mut self, omitted: Omitted) -> bool {
        if self.causes >= MOST_KEYS {
            self.is_cut = true;
            return false;
        }
        self.causes += match &omitted {
            Omitted::Unreadable(_) => 1,
            Omitted::Unknown(violations) => violations.len(),
        };
        self.values.push(omitted);
        true
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The values, in the order of the list.
    pub(crate) fn values(&self) -> &[Omitted] {
        &self.values
    }

    /// Whether there are more than [`values`](Self::values) contains.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Whether one of them cannot be read.
    pub(crate) fn is_unreadable(&self) -> bool {
        self.values.iter().any(|omitted| matches!(omitted, Omitted::Unreadable(_)))
    }
}

/// Whether the options of a deletion say that an unreadable value is to be removed.
pub(crate) fn ignores_unreadable(options: &DeleteOptions) -> bool {
    options.ignore_store_read_error_with_cluster_breaking_potential == Some(true)
}

/// The violation if [`OPTION`] is set where it is not allowed.
pub(crate) fn wrong_option(why: impl fmt::Display) -> Violation {
    let message = format!("Invalid value: true: {why}");
    Violation { reason: Reason::Invalid, field: OPTION.to_owned(), message }
}
