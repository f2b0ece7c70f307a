//! Stored values that cannot be read: they are corrupt, of a kind or version that the server does
//! not know, or cannot be given at the version asked for.
//!
//! Texts, reasons and limits are those of upstream's `AllowUnsafeMalformedObjectDeletion`.

use std::fmt;

use hubgen_machinery::scheme::KindEntry;

use crate::store::KeyValue;
use crate::validation::{Rule, Violation, cut};
use crate::wire::{Cause, Details, Status, plural, resource};

/// The option of a deletion that removes such a value.
pub(crate) const OPTION: &str = "ignoreStoreReadErrorWithClusterBreakingPotential";

/// The most keys that a failed list names.
const MOST_KEYS: usize = 100;

/// The bytes of a reason that are shown.
const MAX_REASON: usize = 2048;

/// A stored value that cannot be read, and why.
#[derive(Debug)]
pub(crate) struct Unreadable {
    /// The key of the value.
    pub(crate) key: String,
    why: String,
}

impl Unreadable {
    /// The value, with what stands against reading it.
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

/// What is asked about one object fails with an internal error.
impl From<Unreadable> for Status {
    fn from(unreadable: Unreadable) -> Self {
        Self::internal(unreadable)
    }
}

/// What a list could not read.
#[derive(Default)]
pub(crate) struct Found(Vec<Cause>);

impl Found {
    /// Adds a value; says whether there is room for another one.
    pub(crate) fn add(&mut self, unreadable: Unreadable) -> bool {
        if self.0.len() == MOST_KEYS {
            self.0.push(Cause {
                kind: "FieldValueTooMany".to_owned(),
                message: "too many errors, the list is truncated".to_owned(),
                field: String::new(),
            });
            return false;
        }
        self.0.push(Cause {
            kind: "UnexpectedServerResponse".to_owned(),
            message: unreadable.to_string(),
            field: unreadable.key,
        });
        true
    }

    /// The list, if all of it could be read.
    ///
    /// # Errors
    /// What could not be read.
    pub(crate) fn or<T>(self, entry: &KindEntry, list: T) -> Result<T, Status> {
        if self.0.is_empty() { Ok(list) } else { Err(self.into_status(entry)) }
    }

    /// The answer to a list of a resource.
    pub(crate) fn into_status(self, entry: &KindEntry) -> Status {
        let message = format!("failed to read one or more {} from the storage", resource(entry));
        let mut status = Status::failure(500, "StorageReadError", message);
        status.details = Some(Box::new(Details {
            name: "list".to_owned(),
            group: entry.group.to_string(),
            kind: plural(entry).to_owned(),
            causes: self.0,
            ..Details::default()
        }));
        status
    }
}

/// The answer when [`OPTION`] names an object that can be read.
pub(crate) fn is_readable(entry: &KindEntry, name: &str) -> Status {
    let why = "is exclusively used to delete corrupt object(s), try again by removing this option";
    Status::invalid_as(&resource(entry), &entry.group, plural(entry), name, &[wrong_option(why)])
}

/// The answer when [`OPTION`] has removed a value.
pub(crate) fn removed(entry: &KindEntry, name: &str) -> Status {
    let details = Details { name: name.to_owned(), kind: entry.kind.to_string(), ..Details::default() };
    Status { status: "Success".to_owned(), code: 200, details: Some(Box::new(details)), ..Status::default() }
}

/// [`OPTION`] was given where it may not be.
pub(crate) fn wrong_option(why: impl fmt::Display) -> Violation {
    let message = format!("Invalid value: true: {why}");
    Violation { rule: Rule::Invalid, field: OPTION.to_owned(), message }
}
