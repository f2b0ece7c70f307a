//! What a client is told when an operation on objects fails.

use hubgen_machinery::Str;
use hubgen_machinery::convert::ConvertError;
use hubgen_machinery::scheme::{KindEntry, SchemeError};
use hubgen_meta::v1::{ListMeta, StatusCause, StatusDetails};
use hubgen_patch::owners::{self, Conflicts};
use hubgen_validation::Reason;

use super::{Failure, MAX_NAME, cause, details, listed};
use crate::admission::Refusal;
use crate::kind_names::{kind, plural, resource};
use crate::objects::{Conflict, Error, ObjectName, Omitted, Unevictable, Unfit, Unlisted, wrong_option};
use crate::store;
use crate::validation::{Violation, cut};

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
            Error::Conflict { object, why } => Self::conflict(&object, &why),
            Error::Precondition { object, what, wanted, found, happened } => {
                let why = format!(
                    "the {what} in the precondition ({wanted}) does not match the {what} in record ({found}). The \
                     object might have been {happened}"
                );
                Self::precondition(&object, &why)
            }
            Error::Inapplicable(error) => Self::inapplicable(&error),
            Error::Owned(conflicts) => Self::owned(&conflicts),
            Error::Unapplied(why) => Self::new(500, "", why),
            Error::Denied(denied) => denied.into(),
            Error::PatchedInvalid(violation) => Self::invalid_as("", "", "", "", &[violation]),
            Error::Unconditional(object) => Self::unconditional(&object),
            Error::Invalid { object, violations } => Self::invalid(&object, &violations),
            Error::Misnamed { group, kind, name, violations } => {
                let what = if group.is_empty() { kind.clone() } else { format!("{kind}.{group}") };
                Self::invalid_as(&what, &group, &kind, &name, &violations)
            }
            Error::Conversion { object, error } => Self::conversion(&object, &error),
            Error::Unfit(unfit) => Self::unfit(&unfit),
            // A request for one unreadable object fails with an internal error.
            Error::Unreadable(unreadable) => Self::internal(unreadable.without_prefix()),
            // Upstream has no reason for it.
            Error::Unconverted(unreadable) => Self::new(500, "", unreadable.at_revision()),
            Error::Unlisted { entry, values } => Self::unlisted(&entry, &values),
            Error::Readable(ObjectName { entry, name }) => {
                let why =
                    "is exclusively used to delete corrupt object(s), try again by removing this option";
                let violations = [wrong_option(why)];
                Self::invalid_as(&resource(&entry), &entry.group, plural(&entry), &name, &violations)
            }
            Error::Refused(Refusal { code, reason, message, about }) => {
                let failure = Self::new(code, &reason, message);
                match about {
                    None => failure,
                    Some(about) => failure.with(StatusDetails {
                        name: about.name.into(),
                        group: about.group.into(),
                        kind: about.resource.into(),
                        ..StatusDetails::default()
                    }),
                }
            }
            Error::Terminating { object, namespace } => Self::terminating(&object, &namespace),
            Error::ListExpired { continue_token } => Self::expired(continue_token),
            Error::WatchExpired { requested, oldest } => {
                Self::new(410, "Expired", format!("too old resource version: {requested} ({oldest})"))
            }
            Error::NoTurn(error) => error.into(),
            Error::FutureRevision { requested, current, may_come } => {
                Self::future_revision(requested, current, may_come)
            }
            Error::Unevictable(why) => Self::unevictable(why),
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

impl Failure {
    /// The stored object is not the one that the client means.
    fn conflict(object: &ObjectName, why: &Conflict) -> Self {
        let why = match why {
            Conflict::Unassignable(why) => return Self::unassignable(object, why),
            Conflict::Modified => {
                "the object has been modified; please apply your changes to the latest version and try again"
                    .to_owned()
            }
            Conflict::Absent { uid } => {
                format!(
                    "uid mismatch: the provided object specified uid {uid}, and no existing object was found"
                )
            }
            Conflict::OtherUid { wanted, found } => {
                format!("Precondition failed: UID in precondition: {wanted}, UID in object meta: {found}")
            }
        };
        let (resource, name) = (resource(&object.entry), &object.name);
        let message = format!("Operation cannot be fulfilled on {resource} \"{name}\": {why}");
        Self::about(object, 409, "Conflict", message)
    }

    /// The namespace of a new object is being deleted.
    fn terminating(ObjectName { entry, name }: &ObjectName, namespace: &str) -> Self {
        let why =
            format!("unable to create new content in namespace {namespace} because it is being terminated");
        let cause = StatusCause {
            reason: "NamespaceTerminating".into(),
            message: format!("namespace {namespace} is being terminated").into(),
            field: "metadata.namespace".into(),
        };
        let message = format!("{} \"{name}\" is forbidden: {why}", resource(entry));
        let details = StatusDetails { causes: vec![cause], ..details(entry, name) };
        Self::new(403, "Forbidden", message).with(details)
    }

    /// Others own what a configuration would change.
    fn owned(conflicts: &Conflicts) -> Self {
        let cause = |conflict: &owners::Conflict| StatusCause {
            reason: "FieldManagerConflict".into(),
            message: format!("conflict with {}", conflict.owner()).into(),
            field: conflict.field().into(),
        };
        let causes = conflicts.0.iter().map(cause).collect();
        let details = StatusDetails { causes, ..StatusDetails::default() };
        Self::new(409, "Conflict", conflicts.to_string()).with(details)
    }

    /// A pod cannot be assigned to a node. Upstream names the subresource.
    fn unassignable(ObjectName { entry, name }: &ObjectName, why: &str) -> Self {
        let resource = format!("{}/binding", resource(entry));
        let message = format!("Operation cannot be fulfilled on {resource} \"{name}\": {why}");
        let details = StatusDetails { kind: resource.into(), ..details(entry, name) };
        Self::new(409, "Conflict", message).with(details)
    }

    /// A pod may not be evicted. Clients such as `kubectl drain` try again after a 429.
    fn unevictable(why: Unevictable) -> Self {
        let budget = |message: String| StatusCause {
            reason: "DisruptionBudget".into(),
            message: message.into(),
            field: Str::new(),
        };
        let later = "Cannot evict pod as it would violate the pod's disruption budget.";
        let with = |causes| StatusDetails { causes, ..StatusDetails::default() };
        match why {
            Unevictable::Exhausted { cause } => {
                Self::new(429, "TooManyRequests", later).with(with(vec![budget(cause)]))
            }
            Unevictable::Unknown { budget: name } => {
                let cause = format!("The disruption budget {name} is still being processed by the server.");
                let details = with(vec![budget(cause)]);
                Self::new(429, "TooManyRequests", later).with(details).retried_after(10)
            }
            Unevictable::Broken { budget: name, why, cause } => {
                let of = "poddisruptionbudget";
                let cause =
                    format!("The disruption budget {name} does not allow evicting pods currently: {cause}");
                let message = format!("{of}.policy \"{name}\" is forbidden: {why}");
                let details = StatusDetails {
                    name: name.into(),
                    group: "policy".into(),
                    kind: of.into(),
                    ..with(vec![budget(cause)])
                };
                Self::new(403, "Forbidden", message).with(details)
            }
            Unevictable::Several => Self::new(
                500,
                "",
                "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
            ),
        }
    }

    /// The object does not meet a precondition. Unlike other conflicts, this one names the kind, not the resource.
    fn precondition(ObjectName { entry, name }: &ObjectName, why: &str) -> Self {
        let message = format!("Operation cannot be fulfilled on {} \"{name}\": {why}", kind(entry));
        let details = StatusDetails { kind: Str::from(&*entry.kind), ..details(entry, name) };
        Self::new(409, "Conflict", message).with(details)
    }

    /// A patch does not apply. Upstream keeps the reason to itself where the status is 422, and has no reason where
    /// it is 500.
    fn inapplicable(error: &hubgen_patch::Error) -> Self {
        use hubgen_patch::Error::{Inapplicable, Malformed, TooLarge};
        match error {
            Malformed(why) => Self::malformed(why.as_str()),
            Inapplicable(why) => {
                let message =
                    format!("the server rejected our request due to an error in our request: {why}");
                Self::new(422, "Invalid", message).with(StatusDetails::default())
            }
            TooLarge(why) => {
                Self::new(413, "RequestEntityTooLarge", format!("Request entity too large: {why}"))
            }
            error => Self::new(500, "", error.to_string()),
        }
    }

    /// The object is invalid.
    fn invalid(ObjectName { entry, name }: &ObjectName, violations: &[Violation]) -> Self {
        Self::invalid_as(&kind(entry), &entry.group, &entry.kind, name, violations)
    }

    /// A replacement does not tell what it replaces. Upstream names the resource in the place of the kind.
    fn unconditional(ObjectName { entry, name }: &ObjectName) -> Self {
        let message = "Invalid value: 0: must be specified for an update".to_owned();
        let field = "metadata.resourceVersion".to_owned();
        let violation = Violation { reason: Reason::Invalid, field, message };
        Self::invalid_as(&resource(entry), &entry.group, plural(entry), name, &[violation])
    }

    /// The object of a client does not convert.
    fn conversion(object: &ObjectName, error: &SchemeError) -> Self {
        let violations = Violation::of_conversion(error);
        match error {
            _ if !violations.is_empty() => Self::invalid(object, &violations),
            // Upstream has no reason for it.
            error if object.entry.untyped.is_some() => Self::new(500, "", error.to_string()),
            SchemeError::Convert(error) if !matches!(error, ConvertError::Unfit { .. }) => {
                Self::invalid(object, &[Violation::too_long("metadata.annotations", error)])
            }
            error => Self::internal(format_args!("{} \"{}\": {error}", resource(&object.entry), object.name)),
        }
    }

    /// The stored object does not convert to the version asked for.
    fn unfit(unfit: &Unfit) -> Self {
        if let Some(why) = unfit.failure() {
            // Upstream has no reason for it.
            return Self::new(500, "", why.to_string());
        }
        let violations = unfit.violations();
        if violations.is_empty() {
            return Self::internal(unfit);
        }
        let (entry, name) = (unfit.entry(), unfit.name());
        let mut failure = Self::invalid_as(&kind(entry), &entry.group, &entry.kind, name, &violations);
        let (kind, version, name) = (kind(entry), &entry.version, cut(name, MAX_NAME));
        failure.0.message =
            format!("{kind} \"{name}\" is invalid at {version}: {}", listed(&violations)).into();
        failure
    }

    /// The revision of a list is not kept any more; with a token, the list can go on at the newest revision.
    fn expired(continue_token: Option<String>) -> Self {
        let Some(token) = continue_token else {
            return Self::new(410, "Expired", "The resourceVersion for the provided list is too old.");
        };
        let mut failure = Self::new(
            410,
            "Expired",
            "The provided continue parameter is too old to display a consistent list result. You can start a new \
             list without the continue parameter, or use the continue token in this response to retrieve the \
             remainder of the results. Continuing with the provided token results in an inconsistent list - objects \
             that were created, modified, or deleted between the time the first chunk was returned and now may show \
             up in the list.",
        );
        failure.0.metadata = ListMeta { continue_: token.into(), ..ListMeta::default() };
        failure
    }

    /// A list contains values that cannot be listed: an error of the server if one cannot be read, else of the version
    /// asked for.
    fn unlisted(entry: &KindEntry, values: &Unlisted) -> Self {
        let causes = unlisted_causes(values);
        let failure = if values.is_unreadable() {
            let mut message = format!("failed to read one or more {} from the storage", resource(entry));
            if let Some(StatusCause { message: why, .. }) = causes.first() {
                message += &format!(": {why}");
            }
            if causes.len() > 1 {
                message += &format!(" (and {} more)", causes.len() - 1);
            }
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
