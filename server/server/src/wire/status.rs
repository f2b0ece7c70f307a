//! `Status`: the type of all error responses, with upstream's reasons and messages.

use std::collections::HashSet;
use std::fmt;
use std::time::Duration;

use hubgen_machinery::ApiType;
use hubgen_machinery::scheme::{KindEntry, SchemeError};

use super::meta::ListMeta;
use crate::store;
use crate::validation::{Violation, cut};

/// The maximum length of a name in the error about an invalid object. Valid names are shorter.
const MAX_NAME: usize = 1024;

/// The response of a request that returns no object. As an error it contains the code, reason and
/// message by which clients of upstream distinguish errors.
#[derive(ApiType)]
#[kind(version = "v1", kind = "Status")]
pub struct Status {
    /// Always present. Contains a token if a list in parts can continue. Boxed, like `details`,
    /// because every result reserves space for an error.
    #[field(number = 1)]
    pub metadata: Option<Box<ListMeta>>,
    /// `Success` or `Failure`.
    #[field(number = 2)]
    pub status: String,
    /// The message for people.
    #[field(number = 3)]
    pub message: String,
    /// The reason for programs, such as `NotFound`.
    #[field(number = 4)]
    pub reason: String,
    /// The subject of the status.
    #[field(number = 5)]
    pub details: Option<Box<Details>>,
    /// The HTTP code; absent on success.
    #[field(number = 6)]
    pub code: i32,
}

/// The subject of a [`Status`].
#[derive(ApiType)]
pub struct Details {
    /// The name of the object.
    #[field(number = 1)]
    pub name: String,
    /// The group of the resource.
    #[field(number = 2)]
    pub group: String,
    /// The plural name of the resource, or the kind if an object is invalid.
    #[field(number = 3)]
    pub kind: String,
    /// The uid of the object.
    #[field(number = 6)]
    pub uid: String,
    /// The individual errors.
    #[field(number = 4)]
    pub causes: Vec<Cause>,
    /// The number of seconds after which the client should retry.
    #[field(number = 5)]
    pub retry_after_seconds: i32,
}

/// One individual error.
#[derive(ApiType)]
pub struct Cause {
    /// The reason for programs, such as `FieldValueRequired`.
    #[field(number = 1, name = "reason")]
    pub kind: String,
    /// The message for people.
    #[field(number = 2)]
    pub message: String,
    /// The path of the field, as in `spec.containers[0].name`.
    #[field(number = 3)]
    pub field: String,
}

impl Status {
    fn new() -> Self {
        Self { metadata: Some(Box::default()), ..Self::default() }
    }

    /// A failure without details.
    pub fn failure(code: u16, reason: &str, message: impl Into<String>) -> Self {
        Self {
            status: "Failure".to_owned(),
            message: message.into(),
            reason: reason.to_owned(),
            code: i32::from(code),
            ..Self::new()
        }
    }

    /// A failure about an object of a resource.
    fn about(entry: &KindEntry, name: &str, code: u16, reason: &str, message: String) -> Self {
        let mut status = Self::failure(code, reason, message);
        status.details = Some(Box::new(Details {
            name: name.to_owned(),
            group: entry.group.to_string(),
            kind: plural(entry).to_owned(),
            ..Details::default()
        }));
        status
    }

    /// The object was deleted.
    pub fn deleted(entry: &KindEntry, name: &str, uid: &str) -> Self {
        let details = Details {
            name: name.to_owned(),
            group: entry.group.to_string(),
            kind: plural(entry).to_owned(),
            uid: uid.to_owned(),
            ..Details::default()
        };
        Self { status: "Success".to_owned(), details: Some(Box::new(details)), ..Self::new() }
    }

    /// The request is malformed.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::failure(400, "BadRequest", message)
    }

    /// The client may not do this.
    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::failure(403, "Forbidden", message)
    }

    /// The server has too many requests.
    pub fn too_many_requests() -> Self {
        let message = "Too many requests, please try again later.";
        let mut status = Self::failure(429, "TooManyRequests", message);
        status.details = Some(Box::new(Details { retry_after_seconds: 1, ..Details::default() }));
        status
    }

    /// The body of the request did not arrive in time.
    pub fn body_timeout(limit: Duration) -> Self {
        Self::failure(408, "Timeout", format!("the body of the request did not arrive within {limit:?}"))
    }

    /// There is no such object.
    pub fn not_found(entry: &KindEntry, name: &str) -> Self {
        let message = format!("{} \"{name}\" not found", resource(entry));
        Self::about(entry, name, 404, "NotFound", message)
    }

    /// There is no such path.
    pub fn no_such_path() -> Self {
        let mut status = Self::failure(404, "NotFound", "the server could not find the requested resource");
        status.details = Some(Box::default());
        status
    }

    /// The resource does not support the method.
    pub fn method_not_allowed() -> Self {
        let message = "the server does not allow this method on the requested resource";
        let mut status = Self::failure(405, "MethodNotAllowed", message);
        status.details = Some(Box::default());
        status
    }

    /// An object of that name exists; `is_being_deleted` is set if its deletion was requested.
    pub fn already_exists(entry: &KindEntry, name: &str, is_being_deleted: bool) -> Self {
        let why = if is_being_deleted { "object is being deleted: " } else { "" };
        let message = format!("{why}{} \"{name}\" already exists", resource(entry));
        Self::about(entry, name, 409, "AlreadyExists", message)
    }

    /// All names generated from `generateName` exist already.
    pub fn no_name_generated(entry: &KindEntry, name: &str) -> Self {
        let message = format!(
            "{} \"{name}\" already exists, the server was not able to generate a unique name for the object",
            resource(entry)
        );
        let mut status = Self::about(entry, name, 409, "AlreadyExists", message);
        if let Some(details) = &mut status.details {
            details.retry_after_seconds = 1;
        }
        status
    }

    /// The object does not have the state that the client expects.
    pub fn conflict(entry: &KindEntry, name: &str, why: impl fmt::Display) -> Self {
        let message = format!("Operation cannot be fulfilled on {} \"{name}\": {why}", resource(entry));
        Self::about(entry, name, 409, "Conflict", message)
    }

    /// The object does not meet the preconditions of a deletion. Unlike other conflicts, the
    /// message contains the kind, not the resource.
    pub fn precondition(entry: &KindEntry, name: &str, why: impl fmt::Display) -> Self {
        let kind = kind(entry);
        let message = format!("Operation cannot be fulfilled on {kind} \"{name}\": {why}");
        let mut status = Self::about(entry, name, 409, "Conflict", message);
        if let Some(details) = &mut status.details {
            details.kind = entry.kind.to_string();
        }
        status
    }

    /// The object changed since the client read it.
    pub fn modified(entry: &KindEntry, name: &str) -> Self {
        Self::conflict(
            entry,
            name,
            "the object has been modified; please apply your changes to the latest version and try again",
        )
    }

    /// The object is invalid.
    pub fn invalid(entry: &KindEntry, name: &str, violations: &[Violation]) -> Self {
        Self::invalid_as(&kind(entry), &entry.group, &entry.kind, name, violations)
    }

    /// The options of a request are invalid; `options` is their kind.
    pub fn invalid_options(options: &str, violations: &[Violation]) -> Self {
        Self::invalid_as(&format!("{options}.meta.k8s.io"), "meta.k8s.io", options, "", violations)
    }

    /// The subject `what` is invalid.
    pub(crate) fn invalid_as(
        what: &str,
        group: &str,
        kind: &str,
        name: &str,
        violations: &[Violation],
    ) -> Self {
        let name = &*cut(name, MAX_NAME);
        let message = format!("{what} \"{name}\" is invalid: {}", listed(violations));
        let mut status = Self::failure(422, "Invalid", message);
        status.details = Some(Box::new(Details {
            name: name.to_owned(),
            group: group.to_owned(),
            kind: kind.to_owned(),
            causes: violations.iter().map(Violation::cause).collect(),
            ..Details::default()
        }));
        status
    }

    /// The body is not an API object of any kind.
    pub fn unrecognized(entry: &KindEntry, why: impl fmt::Display) -> Self {
        let kind = &entry.kind;
        Self::bad_request(format!("the object provided is unrecognized (must be of type {kind}): {why}"))
    }

    /// The body is not an object of the kind and version of the path.
    pub fn wrong_type(entry: &KindEntry, why: impl fmt::Display) -> Self {
        let KindEntry { kind, version, .. } = entry;
        Self::bad_request(format!("{kind} in version {version:?} cannot be handled as a {kind}: {why}"))
    }

    /// The request failed because of the server, not the client.
    pub fn internal(what: impl fmt::Display) -> Self {
        Self::failure(500, "InternalError", format!("Internal error occurred: {what}"))
    }

    /// The store returned an error that the caller does not handle.
    pub fn store(error: &store::Error) -> Self {
        match error {
            store::Error::Closed => Self::failure(503, "ServiceUnavailable", error.to_string()),
            store::Error::FutureRevision { requested, current } => {
                Self::too_large_resource_version(*requested, *current, 0)
            }
            error => Self::internal(error),
        }
    }

    /// The requested revision is newer than the store. Retrying after some seconds may help if the
    /// client accepts any newer revision; 0 gives no advice.
    pub fn too_large_resource_version(requested: u64, current: u64, retry_after_seconds: i32) -> Self {
        let mut status = Self::failure(
            504,
            "Timeout",
            format!("Timeout: Too large resource version: {requested}, current: {current}"),
        );
        status.details = Some(Box::new(Details {
            causes: vec![Cause {
                kind: "ResourceVersionTooLarge".to_owned(),
                message: "Too large resource version".to_owned(),
                field: String::new(),
            }],
            retry_after_seconds,
            ..Details::default()
        }));
        status
    }

    /// A stored object has values that the requested version does not know.
    pub(crate) fn invalid_at_version(entry: &KindEntry, name: &str, violations: &[Violation]) -> Self {
        let mut status = Self::invalid(entry, name, violations);
        let (kind, version) = (kind(entry), &entry.version);
        let name = cut(name, MAX_NAME);
        status.message = format!("{kind} \"{name}\" is invalid at {version}: {}", listed(violations));
        status
    }

    /// An object cannot be converted to its storage version, or to the client's version.
    pub fn conversion(entry: &KindEntry, name: &str, error: &SchemeError) -> Self {
        let violations = Violation::of_conversion(error);
        match error {
            _ if !violations.is_empty() => Self::invalid(entry, name, &violations),
            SchemeError::Convert(error) => {
                Self::invalid(entry, name, &[Violation::too_long("metadata.annotations", error)])
            }
            error => Self::internal(format_args!("{} \"{name}\": {error}", resource(entry))),
        }
    }
}

/// Violations in a message, each text once: `[one, another]`.
fn listed(violations: &[Violation]) -> String {
    let mut texts: Vec<String> = violations.iter().map(ToString::to_string).collect();
    let mut seen = HashSet::new();
    texts.retain(|text| seen.insert(text.clone()));
    if let [one] = texts.as_slice() { one.clone() } else { format!("[{}]", texts.join(", ")) }
}

/// `deployments.apps`, or `pods` for the core group.
pub(crate) fn resource(entry: &KindEntry) -> String {
    let plural = plural(entry);
    if entry.group.is_empty() { plural.to_owned() } else { format!("{plural}.{}", entry.group) }
}

/// `Deployment.apps`, or `Pod` for the core group.
fn kind(entry: &KindEntry) -> String {
    let KindEntry { kind, group, .. } = entry;
    if group.is_empty() { kind.to_string() } else { format!("{kind}.{group}") }
}

/// `deployments`.
pub(crate) fn plural(entry: &KindEntry) -> &str {
    entry.resource.as_ref().map_or(&entry.kind, |resource| &resource.plural)
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Status {}
