//! The only place where an error becomes a `Status`: the answer of every request that fails, with the codes, reasons
//! and messages by which clients of upstream tell errors apart.

mod access;
mod faults;
mod objects;
mod request;

use std::collections::HashSet;
use std::fmt::Display;

use hubgen_machinery::Str;
use hubgen_machinery::scheme::KindEntry;
use hubgen_meta::v1::{Status, StatusCause, StatusDetails};
use hubgen_serve::body;
use hubgen_serve::queue::{TooMany, WorkError};

use crate::kind_names::plural;
use crate::objects::ObjectName;
use crate::validation::{Violation, cut};

/// The maximum length of a name in the error about an invalid object. Valid names are shorter.
const MAX_NAME: usize = 1024;

/// A `Status`, boxed because every result reserves space for its error.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) Box<Status>);

impl Failure {
    fn new(code: u16, reason: &str, message: impl Into<Str>) -> Self {
        Self(Box::new(Status {
            status: "Failure".into(),
            message: message.into(),
            reason: reason.into(),
            code: i32::from(code),
            ..Status::default()
        }))
    }

    /// With details about an object.
    fn about(ObjectName { entry, name }: &ObjectName, code: u16, reason: &str, message: String) -> Self {
        Self::new(code, reason, message).with(details(entry, name))
    }

    fn with(mut self, details: StatusDetails) -> Self {
        self.0.details = Some(details);
        self
    }

    /// Tells the client to try again after some seconds.
    fn retried_after(mut self, seconds: u16) -> Self {
        self.0.details.get_or_insert_default().retry_after_seconds = i32::from(seconds);
        self
    }

    /// The HTTP code.
    pub(crate) fn code(&self) -> u16 {
        u16::try_from(self.0.code).unwrap_or(500)
    }

    /// What is wrong, in words.
    pub(crate) fn message(&self) -> &str {
        &self.0.message
    }

    /// The number of seconds after which the client should try again.
    pub(crate) fn retry_after(&self) -> Option<i32> {
        let seconds = self.0.details.as_ref().map_or(0, |details| details.retry_after_seconds);
        (seconds > 0).then_some(seconds)
    }

    fn malformed(message: impl Into<Str>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    fn no_such_path() -> Self {
        let message = "the server could not find the requested resource";
        Self::new(404, "NotFound", message).with(StatusDetails::default())
    }

    /// The request failed because of the server, not the client.
    pub(crate) fn internal(what: impl Display) -> Self {
        Self::new(500, "InternalError", format!("Internal error occurred: {what}"))
    }

    /// The subject `what` is invalid.
    fn invalid_as(what: &str, group: &str, kind: &str, name: &str, violations: &[Violation]) -> Self {
        let name = &*cut(name, MAX_NAME);
        let message = format!("{what} \"{name}\" is invalid: {}", listed(violations));
        Self::new(422, "Invalid", message).with(StatusDetails {
            name: name.into(),
            group: group.into(),
            kind: kind.into(),
            causes: violations.iter().map(cause).collect(),
            ..StatusDetails::default()
        })
    }
}

/// The answer of a deletion: the object of this uid was deleted.
pub(crate) fn deleted(entry: &KindEntry, name: &str, uid: &str) -> Status {
    let details = StatusDetails { uid: uid.into(), ..details(entry, name) };
    Status { status: "Success".into(), details: Some(details), ..Status::default() }
}

/// The answer to a request that was carried out, and has no object as its answer.
pub(crate) fn done() -> Status {
    Status { status: "Success".into(), code: 201, ..Status::default() }
}

/// The answer after a value that could not be read was removed.
pub(crate) fn deleted_unread(entry: &KindEntry, name: &str) -> Status {
    let details =
        StatusDetails { name: name.into(), kind: Str::from(&*entry.kind), ..StatusDetails::default() };
    Status { status: "Success".into(), code: 200, details: Some(details), ..Status::default() }
}

fn details(entry: &KindEntry, name: &str) -> StatusDetails {
    StatusDetails {
        name: name.into(),
        group: Str::from(&*entry.group),
        kind: plural(entry).into(),
        ..StatusDetails::default()
    }
}

fn cause(violation: &Violation) -> StatusCause {
    StatusCause {
        reason: violation.reason.as_str().into(),
        message: Str::from(&*violation.message),
        field: Str::from(&*violation.field),
    }
}

/// Violations in a message, each text once: `[one, another]`.
fn listed(violations: &[Violation]) -> String {
    let mut texts: Vec<String> = violations.iter().map(ToString::to_string).collect();
    let mut seen = HashSet::new();
    texts.retain(|text| seen.insert(text.clone()));
    if let [one] = texts.as_slice() { one.clone() } else { format!("[{}]", texts.join(", ")) }
}

impl From<body::Refusal> for Failure {
    fn from(refusal: body::Refusal) -> Self {
        match refusal {
            body::Refusal::TooLarge(most) => {
                let message = format!("Request entity too large: limit is {most}");
                Self::new(413, "RequestEntityTooLarge", message)
            }
            body::Refusal::TooSlow(limit) => {
                let message = format!("the body of the request did not arrive within {limit:?}");
                Self::new(408, "Timeout", message)
            }
            body::Refusal::Overload => TooMany.into(),
            body::Refusal::Incomplete(error) => Self::malformed(format!("cannot read the body: {error}")),
        }
    }
}

impl From<TooMany> for Failure {
    fn from(error: TooMany) -> Self {
        Self::new(429, "TooManyRequests", error.to_string()).retried_after(TooMany::RETRY_AFTER)
    }
}

impl From<WorkError> for Failure {
    fn from(error: WorkError) -> Self {
        match error {
            WorkError::TooMany(error) => error.into(),
            WorkError::Panicked => Self::internal(error),
        }
    }
}
