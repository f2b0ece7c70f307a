//! `Status`: how every error is told, in the words that clients know.

use std::collections::HashSet;
use std::fmt;
use std::time::Duration;

use hubgen_machinery::ApiType;
use hubgen_machinery::convert::ConvertError;
use hubgen_machinery::scheme::{KindEntry, SchemeError};

use super::meta::ListMeta;
use crate::store;
use crate::validation::{Violation, cut};

/// The longest name that an answer about an invalid object repeats whole. Names that are valid are
/// shorter.
const MAX_NAME: usize = 1024;

/// The outcome of a request that answers no object. As an error it carries the code, reason and
/// message by which clients of the reference server tell errors apart.
#[derive(ApiType)]
#[kind(version = "v1", kind = "Status")]
pub struct Status {
    /// Always written; it holds a token where a list in parts can go on. Boxed, as `details` is,
    /// because every result carries room for an error.
    #[field(number = 1)]
    pub metadata: Box<ListMeta>,
    /// `Success` or `Failure`.
    #[field(number = 2)]
    pub status: String,
    /// For people.
    #[field(number = 3)]
    pub message: String,
    /// For programs: `NotFound`.
    #[field(number = 4)]
    pub reason: String,
    /// What it is about.
    #[field(number = 5)]
    pub details: Option<Box<Details>>,
    /// The HTTP code; absent on success.
    #[field(number = 6)]
    pub code: i32,
}

/// What a [`Status`] is about.
#[derive(ApiType)]
pub struct Details {
    /// The name of the object.
    #[field(number = 1)]
    pub name: String,
    /// The group of the resource.
    #[field(number = 2)]
    pub group: String,
    /// The resource; the kind where an object is invalid.
    #[field(number = 3)]
    pub kind: String,
    /// The uid of the object.
    #[field(number = 6)]
    pub uid: String,
    /// What is wrong, one by one.
    #[field(number = 4)]
    pub causes: Vec<Cause>,
    /// When to try again.
    #[field(number = 5)]
    pub retry_after_seconds: i32,
}

/// One thing that is wrong.
#[derive(ApiType)]
pub struct Cause {
    /// `FieldValueRequired`.
    #[field(number = 1, name = "reason")]
    pub kind: String,
    /// For people.
    #[field(number = 2)]
    pub message: String,
    /// The path of the field, as in `spec.containers[0].name`.
    #[field(number = 3)]
    pub field: String,
}

impl Status {
    /// A failure about nothing in particular.
    pub fn failure(code: u16, reason: &str, message: impl Into<String>) -> Self {
        Self {
            status: "Failure".to_owned(),
            message: message.into(),
            reason: reason.to_owned(),
            code: i32::from(code),
            ..Self::default()
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
        Self { status: "Success".to_owned(), details: Some(Box::new(details)), ..Self::default() }
    }

    /// The request makes no sense.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::failure(400, "BadRequest", message)
    }

    /// The client may not do this.
    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::failure(403, "Forbidden", message)
    }

    /// There is more to do than the server takes on.
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

    /// The resource does not have that verb.
    pub fn method_not_allowed() -> Self {
        let message = "the server does not allow this method on the requested resource";
        let mut status = Self::failure(405, "MethodNotAllowed", message);
        status.details = Some(Box::default());
        status
    }

    /// An object of that name is there already; `is_going` says that it waits for its end.
    pub fn already_exists(entry: &KindEntry, name: &str, is_going: bool) -> Self {
        let why = if is_going { "object is being deleted: " } else { "" };
        let message = format!("{why}{} \"{name}\" already exists", resource(entry));
        Self::about(entry, name, 409, "AlreadyExists", message)
    }

    /// None of the names made from `generateName` was free.
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

    /// The object is not as the client thinks it is.
    pub fn conflict(entry: &KindEntry, name: &str, why: impl fmt::Display) -> Self {
        let message = format!("Operation cannot be fulfilled on {} \"{name}\": {why}", resource(entry));
        Self::about(entry, name, 409, "Conflict", message)
    }

    /// The object is not the one that the client wants to delete. Unlike any other conflict it is
    /// told of the kind, not of the resource.
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

    /// The object breaks the rules of its kind.
    pub fn invalid(entry: &KindEntry, name: &str, violations: &[Violation]) -> Self {
        Self::invalid_as(&kind(entry), &entry.group, &entry.kind, name, violations)
    }

    /// What the client asks along with an object breaks rules; `options` is the kind of that.
    pub fn invalid_options(options: &str, violations: &[Violation]) -> Self {
        Self::invalid_as(&format!("{options}.meta.k8s.io"), "meta.k8s.io", options, "", violations)
    }

    /// What is called `what` breaks rules.
    pub(crate) fn invalid_as(
        what: &str,
        group: &str,
        kind: &str,
        name: &str,
        violations: &[Violation],
    ) -> Self {
        let name = &*cut(name, MAX_NAME);
        let mut texts: Vec<String> = violations.iter().map(ToString::to_string).collect();
        let mut seen = HashSet::new();
        texts.retain(|text| seen.insert(text.clone()));
        let list = if let [one] = texts.as_slice() { one.clone() } else { format!("[{}]", texts.join(", ")) };
        let mut status = Self::failure(422, "Invalid", format!("{what} \"{name}\" is invalid: {list}"));
        status.details = Some(Box::new(Details {
            name: name.to_owned(),
            group: group.to_owned(),
            kind: kind.to_owned(),
            causes: violations.iter().map(Violation::cause).collect(),
            ..Details::default()
        }));
        status
    }

    /// What the client sent is no object of the API, whatever the kind.
    pub fn unrecognized(entry: &KindEntry, why: impl fmt::Display) -> Self {
        let kind = &entry.kind;
        Self::bad_request(format!("the object provided is unrecognized (must be of type {kind}): {why}"))
    }

    /// What the client sent is not what the path is for.
    pub fn unfit(entry: &KindEntry, why: impl fmt::Display) -> Self {
        let KindEntry { kind, version, .. } = entry;
        Self::bad_request(format!("{kind} in version {version:?} cannot be handled as a {kind}: {why}"))
    }

    /// What happened is no fault of the client.
    pub fn internal(what: impl fmt::Display) -> Self {
        Self::failure(500, "InternalError", format!("Internal error occurred: {what}"))
    }

    /// A store failed at an object, in no way that the caller expects.
    pub fn store(error: &store::Error) -> Self {
        match error {
            store::Error::Closed => Self::failure(503, "ServiceUnavailable", error.to_string()),
            store::Error::FutureRevision { requested, current } => {
                Self::too_large_resource_version(*requested, *current, 0)
            }
            error => Self::internal(error),
        }
    }

    /// The client has seen more than this server. Trying again after some seconds may help where
    /// anything newer will do; 0 says nothing of it.
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

    /// A stored object cannot be read at the version asked for: there is no way to it, or what it
    /// cannot say does not fit into annotations.
    pub fn unreadable(entry: &KindEntry, name: &str, error: &SchemeError) -> Self {
        Self::internal(format_args!("{} \"{name}\": {error}", resource(entry)))
    }

    /// An object cannot be written at the version that it is stored at, or that the client speaks.
    pub fn conversion(entry: &KindEntry, name: &str, error: &SchemeError) -> Self {
        match error {
            SchemeError::Convert(ConvertError::UnknownWord { path, word, known }) => {
                let known: Vec<&str> = known.iter().map(String::as_str).collect();
                Self::invalid(entry, name, &[Violation::not_supported(path, word, &known)])
            }
            SchemeError::Convert(error) => {
                Self::invalid(entry, name, &[Violation::too_long("metadata.annotations", error)])
            }
            error => Self::unreadable(entry, name, error),
        }
    }
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
