//! The only place where an error becomes a `Status`: the answer of every request that fails, with the codes, reasons and
//! messages by which clients of upstream tell errors apart.

use std::collections::HashSet;
use std::fmt::Display;
use std::time::Duration;

use hubgen_machinery::Str;
use hubgen_machinery::convert::ConvertError;
use hubgen_machinery::scheme::{KindEntry, SchemeError};
use hubgen_meta::v1::{ListMeta, Status, StatusCause, StatusDetails};
use hubgen_serve::body;
use hubgen_serve::queue::{TooMany, WorkError};

use crate::access::{Asked, Denied, Forbidden};
use crate::kind_names::{kind, plural, resource};
use crate::media::Media;
use crate::objects::{Conflict, Error, ObjectName, Omitted, Unlisted};
use crate::validation::{Violation, cut};
use crate::{request, store};

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

    /// The object does not have the state that the client expects.
    fn conflict(object: &ObjectName, why: impl Display) -> Self {
        let message = format!(
            "Operation cannot be fulfilled on {} \"{}\": {why}",
            resource(&object.entry),
            object.name
        );
        Self::about(object, 409, "Conflict", message)
    }

    /// The object is invalid.
    fn invalid(ObjectName { entry, name }: &ObjectName, violations: &[Violation]) -> Self {
        Self::invalid_as(&kind(entry), &entry.group, &entry.kind, name, violations)
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

    /// The object of a client does not convert.
    fn conversion(object: &ObjectName, error: &SchemeError) -> Self {
        let violations = Violation::of_conversion(error);
        match error {
            _ if !violations.is_empty() => Self::invalid(object, &violations),
            SchemeError::Convert(error) if !matches!(error, ConvertError::Unfit { .. }) => {
                Self::invalid(object, &[Violation::too_long("metadata.annotations", error)])
            }
            error => Self::internal(format_args!("{} \"{}\": {error}", resource(&object.entry), object.name)),
        }
    }

    /// A list contains values that cannot be listed: an error of the server if one cannot be read, else of the version
    /// asked for.
    fn unlisted(entry: &KindEntry, values: &Unlisted) -> Self {
        let causes = unlisted_causes(values);
        let failure = if values.is_unreadable() {
            let message = format!("failed to read one or more {} from the storage", resource(entry));
            Self::new(500, "StorageReadError", message)
        } else {
            let mut message = format!("{} cannot be listed at {}", resource(entry), entry.version);
            if let Some(StatusCause { field, message: why, .. }) = causes.first() {
                message += &format!(": {field}: {why}");
            }
            if causes.len() > 1 {
                message += &format!(", and {} more; see the causes", causes.len() - 1);
            }
            Self::new(422, "Invalid", message)
        };
        failure.with(StatusDetails { causes, ..details(entry, "list") })
    }

    /// The requested revision is newer than the store.
    fn future_revision(requested: u64, current: u64, may_come: bool) -> Self {
        let message = format!("Timeout: Too large resource version: {requested}, current: {current}");
        let failure = Self::new(504, "Timeout", message).with(StatusDetails {
            causes: vec![StatusCause {
                reason: "ResourceVersionTooLarge".into(),
                message: "Too large resource version".into(),
                field: Str::new(),
            }],
            ..StatusDetails::default()
        });
        if may_come { failure.retried_after(1) } else { failure }
    }
}

/// The answer of a deletion: the object of this uid was deleted.
pub(crate) fn deleted(entry: &KindEntry, name: &str, uid: &str) -> Status {
    let details = StatusDetails { uid: uid.into(), ..details(entry, name) };
    Status { status: "Success".into(), details: Some(details), ..Status::default() }
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

fn unlisted_causes(values: &Unlisted) -> Vec<StatusCause> {
    let mut causes = Vec::new();
    for omitted in values.values() {
        match omitted {
            Omitted::Unreadable(unreadable) => causes.push(StatusCause {
                reason: "UnexpectedServerResponse".into(),
                message: unreadable.to_string().into(),
                field: Str::from(&*unreadable.key),
            }),
            Omitted::Unknown(violations) => causes.extend(violations.iter().map(cause)),
        }
    }
    if values.is_cut() {
        causes.push(StatusCause {
            reason: "FieldValueTooMany".into(),
            message: "too many errors, the list is truncated".into(),
            field: Str::new(),
        });
    }
    causes
}

/// Violations in a message, each text once: `[one, another]`.
fn listed(violations: &[Violation]) -> String {
    let mut texts: Vec<String> = violations.iter().map(ToString::to_string).collect();
    let mut seen = HashSet::new();
    texts.retain(|text| seen.insert(text.clone()));
    if let [one] = texts.as_slice() { one.clone() } else { format!("[{}]", texts.join(", ")) }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Malformed(message) => Self::malformed(message),
            Error::NotFound(object) => {
                let message = format!("{} \"{}\" not found", resource(&object.entry), object.name);
                Self::about(&object, 404, "NotFound", message)
            }
            Error::Exists { object, is_being_deleted } => {
                let why = if is_being_deleted { "object is being deleted: " } else { "" };
                let message = format!("{why}{} \"{}\" already exists", resource(&object.entry), object.name);
                Self::about(&object, 409, "AlreadyExists", message)
            }
            Error::NoNameGenerated(object) => {
                let message = format!(
                    "{} \"{}\" already exists, the server was not able to generate a unique name for the object",
                    resource(&object.entry),
                    object.name
                );
                Self::about(&object, 409, "AlreadyExists", message).retried_after(1)
            }
            Error::Conflict { object, why: Conflict::Modified } => Self::conflict(
                &object,
                "the object has been modified; please apply your changes to the latest version and try again",
            ),
            Error::Conflict { object, why: Conflict::OtherUid { wanted, found } } => Self::conflict(
                &object,
                format_args!(
                    "Precondition failed: UID in precondition: {wanted}, UID in object meta: {found}"
                ),
            ),
            Error::Precondition { object: ObjectName { entry, name }, what, wanted, found, happened } => {
                // Unlike other conflicts, this one names the kind, not the resource.
                let message = format!(
                    "Operation cannot be fulfilled on {} \"{name}\": the {what} in the precondition ({wanted}) does \
                     not match the {what} in record ({found}). The object might have been {happened}",
                    kind(&entry)
                );
                let details = StatusDetails { kind: Str::from(&*entry.kind), ..details(&entry, &name) };
                Self::new(409, "Conflict", message).with(details)
            }
            Error::Invalid { object, violations } => Self::invalid(&object, &violations),
            Error::Conversion { object, error } => Self::conversion(&object, &error),
            Error::Unfit(unfit) => {
                let violations = unfit.violations();
                if violations.is_empty() {
                    return Self::internal(unfit);
                }
                let (entry, name) = (unfit.entry(), unfit.name());
                let mut failure =
                    Self::invalid_as(&kind(entry), &entry.group, &entry.kind, name, &violations);
                let (kind, version, name) = (kind(entry), &entry.version, cut(name, MAX_NAME));
                failure.0.message =
                    format!("{kind} \"{name}\" is invalid at {version}: {}", listed(&violations)).into();
                failure
            }
            // A request for one unreadable object fails with an internal error.
            Error::Unreadable(unreadable) => Self::internal(unreadable),
            Error::Unlisted { entry, values } => Self::unlisted(&entry, &values),
            Error::Readable(ObjectName { entry, name }) => {
                let why =
                    "is exclusively used to delete corrupt object(s), try again by removing this option";
                let violations = [crate::objects::wrong_option(why)];
                Self::invalid_as(&resource(&entry), &entry.group, plural(&entry), &name, &violations)
            }
            Error::Refused(refusal) => Self::new(refusal.code, &refusal.reason, refusal.message),
            Error::ListExpired { continue_token: None } => {
                Self::new(410, "Expired", "The resourceVersion for the provided list is too old.")
            }
            Error::ListExpired { continue_token: Some(token) } => {
                let mut failure = Self::new(
                    410,
                    "Expired",
                    "The provided continue parameter is too old to display a consistent list result. You can start \
                     a new list without the continue parameter, or use the continue token in this response to \
                     retrieve the remainder of the results. Continuing with the provided token results in an \
                     inconsistent list - objects that were created, modified, or deleted between the time the first \
                     chunk was returned and now may show up in the list.",
                );
                failure.0.metadata = ListMeta { continue_: token.into(), ..ListMeta::default() };
                failure
            }
            Error::FutureRevision { requested, current, may_come } => {
                Self::future_revision(requested, current, may_come)
            }
            Error::NoAction(entry) => Self::new(
                501,
                "NotImplemented",
                format!(
                    "{} is not implemented: it requests an action, and this server runs no component that carries it \
                     out",
                    entry.kind
                ),
            ),
            Error::Store(error @ store::Error::Closed) => {
                Self::new(503, "ServiceUnavailable", error.to_string())
            }
            Error::Store(error) => Self::internal(error),
            Error::Internal(what) => Self::internal(what),
        }
    }
}

impl From<request::Error> for Failure {
    fn from(error: request::Error) -> Self {
        use request::Error;
        let names = |media: &[Media]| media.iter().map(|media| media.name()).collect::<Vec<_>>();
        match error {
            Error::Malformed(message) => Self::malformed(message),
            Error::NoSuchPath => Self::no_such_path(),
            Error::MethodNotAllowed => {
                let message = "the server does not allow this method on the requested resource";
                Self::new(405, "MethodNotAllowed", message).with(StatusDetails::default())
            }
            Error::NotAcceptable { offers, names_one } => {
                let names = names(&offers).join(", ");
                let message = if names_one {
                    format!("only the following media types are accepted: {names}")
                } else {
                    format!("406: Not Acceptable\n\nAvailable representations: {names}")
                };
                Self::new(406, "NotAcceptable", message)
            }
            Error::UnknownFormat { takes } => {
                let mut names = names(&takes);
                names.insert(1, "application/yaml");
                let known = names.join(", ");
                let message = format!(
                    "the body of the request was in an unknown format - accepted media types include: {known}"
                );
                Self::new(415, "UnsupportedMediaType", message)
            }
            Error::InvalidOptions { kind, violations } => {
                let group = "meta.k8s.io";
                Self::invalid_as(&format!("{kind}.{group}"), group, kind, "", &violations)
            }
        }
    }
}

impl From<Denied> for Failure {
    fn from(denied: Denied) -> Self {
        match denied {
            Denied::Host(why) => Self::malformed(why),
            Denied::Foreign(why) => Self::new(403, "Forbidden", why),
            Denied::Unauthenticated => Self::new(401, "Unauthorized", "Unauthorized"),
            Denied::Forbidden(forbidden) => Self::forbidden(*forbidden),
        }
    }
}

impl From<body::Refusal> for Failure {
    fn from(refusal: body::Refusal) -> Self {
        match refusal {
            body::Refusal::TooLarge(most) => {
                let message = format!("Request entity too large: limit is {most}");
                Self::new(413, "RequestEntityTooLarge", message)
            }
            body::Refusal::TooSlow(time) => Self::too_slow(time),
            body::Refusal::Overload => TooMany.into(),
            body::Refusal::Incomplete(error) => Self::malformed(format!("cannot read the body: {error}")),
        }
    }
}

impl Failure {
    fn forbidden(Forbidden { user, what, why }: Forbidden) -> Self {
        let because = if why.is_empty() { String::new() } else { format!(": {why}") };
        match what {
            Asked::Path { verb, path } => {
                let message = format!("forbidden: User {user:?} cannot {verb} path {path:?}{because}");
                Self::new(403, "Forbidden", message).with(StatusDetails::default())
            }
            Asked::Resource { verb, group, resource, subresource, namespace, name } => {
                let place = match namespace.as_str() {
                    "" => "at the cluster scope".to_owned(),
                    namespace => format!("in the namespace {namespace:?}"),
                };
                let of = if group.is_empty() { String::new() } else { format!(".{group}") };
                let named = if name.is_empty() { String::new() } else { format!(" {name:?}") };
                let below = if subresource.is_empty() { String::new() } else { format!("/{subresource}") };
                let message = format!(
                    "{resource}{of}{named} is forbidden: User {user:?} cannot {verb} resource \"{resource}{below}\" in \
                     API group {group:?} {place}{because}"
                );
                Self::new(403, "Forbidden", message).with(StatusDetails {
                    name: name.into(),
                    group: group.into(),
                    kind: resource.into(),
                    ..StatusDetails::default()
                })
            }
        }
    }

    fn too_slow(limit: Duration) -> Self {
        let message = format!("the body of the request did not arrive within {limit:?}");
        Self::new(408, "Timeout", message)
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
