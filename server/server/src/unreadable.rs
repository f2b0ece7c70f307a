//! Stored values that cannot be read: corrupt values, values of an unknown kind or version, and
//! values that cannot be converted to the requested version.
//!
//! Messages, reasons and limits follow upstream's `AllowUnsafeMalformedObjectDeletion`.

use std::fmt;

use hubgen_machinery::scheme::KindEntry;
use hubgen_validation::Reason;

use crate::store::KeyValue;
use crate::validation::{Violation, cut};
use crate::wire::{Cause, Details, Status, plural, resource};

/// The option of a deletion that removes an unreadable value.
pub(crate) const OPTION: &str = "ignoreStoreReadErrorWithClusterBreakingPotential";

/// The maximum number of keys in the error of a list.
const MOST_KEYS: usize = 100;

/// The maximum number of bytes of a reason in messages.
const MAX_REASON: usize = 2048;

/// A stored value that cannot be read, with the reason.
#[derive(Debug)]
pub(crate) struct Unreadable {
    /// The key of the value.
    pub(crate) key: String,
    why: String,
}

impl Unreadable {
    /// The stored value and the reason why it cannot be read.
    pub(crate) fn new(stored: &KeyValue, why: impl fmt::Display) -> Self {
        let why = format!("object not decodable revision={}: {why}", stored.mod_revision);
        Self { key: String::from_utf8_lossy(&stored.key).into_owned(), why }
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (key, why) = (&self.key, cut(&self.why, MAX_REASON));
        write!(
            f,
            "StorageError: corrupt object, Code: 7, Key: {key}, ResourceVersion: 0, AdditionalErrorMsg: {why}"
        )
    }
}

/// A request for one unreadable object fails with an internal error.
impl From<Unreadable> for Status {
    fn from(unreadable: Unreadable) -> Self {
        Self::internal(unreadable)
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

/// The values that a list does not contain.
#[derive(Default)]
pub(crate) struct Found {
    causes: Vec<Cause>,
    /// Whether one of them cannot be read.
    is_unreadable: bool,
}

impl Found {
    /// Adds a value. Returns whether another one can be added.
    pub(crate) fn add(&mut self, omitted: Omitted) -> bool {
        if self.causes.len() >= MOST_KEYS {
            self.causes.push(Cause {
                kind: "FieldValueTooMany".to_owned(),
                message: "too many errors, the list is truncated".to_owned(),
                field: String::new(),
            });
            return false;
        }
        match omitted {
            Omitted::Unreadable(unreadable) => {
                self.is_unreadable = true;
                self.causes.push(Cause {
                    kind: "UnexpectedServerResponse".to_owned(),
                    message: unreadable.to_string(),
                    field: unreadable.key,
                });
            }
            Omitted::Unknown(violations) => self.causes.extend(violations.iter().map(Violation::cause)),
        }
        true
    }

    /// Returns the list if all of its values could be read.
    ///
    /// # Errors
    /// The unreadable values.
    pub(crate) fn or<T>(self, entry: &KindEntry, list: T) -> Result<T, Status> {
        if self.causes.is_empty() { Ok(list) } else { Err(self.into_status(entry)) }
    }

    /// The error of a list of a resource: of the server if a value cannot be read, else of the version asked for.
    pub(crate) fn into_status(self, entry: &KindEntry) -> Status {
        let mut status = if self.is_unreadable {
            let message = format!("failed to read one or more {} from the storage", resource(entry));
            Status::failure(500, "StorageReadError", message)
        } else {
            Status::failure(422, "Invalid", self.first(entry))
        };
        status.details = Some(Box::new(Details {
            name: "list".to_owned(),
            group: entry.group.to_string(),
            kind: plural(entry).to_owned(),
            causes: self.causes,
            ..Details::default()
        }));
        status
    }

    /// The first value that the version asked for does not know, and the number of others.
    fn first(&self, entry: &KindEntry) -> String {
        let mut message = format!("{} cannot be listed at {}", resource(entry), entry.version);
        if let Some(Cause { field, message: why, .. }) = self.causes.first() {
            message += &format!(": {field}: {why}");
        }
        if self.causes.len() > 1 {
            message += &format!(", and {} more; see the causes", self.causes.len() - 1);
        }
        message
    }
}

/// The error if [`OPTION`] is set for an object that can be read.
pub(crate) fn is_readable(entry: &KindEntry, name: &str) -> Status {
    let why = "is exclusively used to delete corrupt object(s), try again by removing this option";
    Status::invalid_as(&resource(entry), &entry.group, plural(entry), name, &[wrong_option(why)])
}

/// The response after [`OPTION`] has removed a value.
pub(crate) fn removed(entry: &KindEntry, name: &str) -> Status {
    let details = Details { name: name.to_owned(), kind: entry.kind.to_string(), ..Details::default() };
    Status { status: "Success".to_owned(), code: 200, details: Some(Box::new(details)), ..Status::default() }
}

/// The violation if [`OPTION`] is set where it is not allowed.
pub(crate) fn wrong_option(why: impl fmt::Display) -> Violation {
    let message = format!("Invalid value: true: {why}");
    Violation { reason: Reason::Invalid, field: OPTION.to_owned(), message }
}
