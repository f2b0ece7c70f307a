//! Parses and checks the options of a deletion.

use hubgen_machinery::scheme::Scheme;
use hubgen_meta::v1::DeleteOptions;

use super::error::Error;
use super::format::Format;
use super::query::{Query, dry_run_violation};
use crate::media::Body;
use crate::objects::{ignores_unreadable, wrong_option};
use crate::validation::Violation;

const KIND: &str = "DeleteOptions";
const PROPAGATION_POLICIES: [&str; 3] = ["Foreground", "Background", "Orphan"];

/// Reads the options from the body or, if there is none, from the query.
///
/// # Errors
/// 400 and 422, if the options are invalid or not supported.
pub(crate) fn read(
    scheme: &Scheme,
    format: Result<Format, Error>,
    bytes: Vec<u8>,
    query: &Query,
) -> Result<DeleteOptions, Error> {
    let mut options = DeleteOptions::default();
    match body(format, bytes)? {
        Some(body) => {
            let named = body.decode_into(scheme, &mut options).map_err(unreadable)?;
            let (kind, version) = (&named.kind, &named.api_version);
            // This kind exists at every version of every group.
            if !["", KIND].contains(&kind.as_str()) {
                return Err(unreadable(format_args!(
                    "no kind {kind:?} is registered for version {version:?}"
                )));
            }
        }
        None => query.delete_options(&mut options)?,
    }
    check(&options)?;
    Ok(options)
}

/// The body of the request; `None` if it is empty.
fn body(format: Result<Format, Error>, bytes: Vec<u8>) -> Result<Option<Body>, Error> {
    if bytes.is_empty() {
        return Ok(None);
    }
    format?.body(bytes).map(Some).map_err(unreadable)
}

/// The error if the body cannot be read.
fn unreadable(why: impl std::fmt::Display) -> Error {
    Error::Malformed(format!("cannot read the body as {KIND}: {why}"))
}

fn check(options: &DeleteOptions) -> Result<(), Error> {
    let mut violations = Vec::new();
    if let Some(policy) = &options.propagation_policy
        && options.orphan_dependents.is_some()
    {
        let why = "orphanDependents and deletionPropagation cannot be both set";
        violations.push(Violation::invalid("propagationPolicy", policy, why));
    }
    if let Some(policy) = &options.propagation_policy
        && !PROPAGATION_POLICIES.contains(&policy.as_str())
    {
        // Upstream's message, which lists `nil` for an absent value.
        let supported = [&PROPAGATION_POLICIES[..], &["nil"]].concat();
        violations.push(Violation::not_supported("propagationPolicy", policy, &supported));
    }
    violations.extend(dry_run_violation(&options.dry_run));
    if ignores_unreadable(options) {
        for (is_set, field) in [
            (!options.dry_run.is_empty(), "dryRun"),
            (options.propagation_policy.is_some(), "propagationPolicy"),
            (options.orphan_dependents.is_some(), "orphanDependents"),
            (options.grace_period_seconds.is_some(), "gracePeriodSeconds"),
            (options.preconditions.is_some(), "preconditions"),
        ] {
            if is_set {
                violations.push(wrong_option(format_args!("cannot be set together with .{field}")));
            }
        }
    }
    if violations.is_empty() { Ok(()) } else { Err(Error::InvalidOptions { kind: KIND, violations }) }
}

/// Refuses the option to delete unreadable values for a collection.
///
/// # Errors
/// 422, if the option is set.
pub(crate) fn check_for_collection(options: &DeleteOptions) -> Result<(), Error> {
    if !ignores_unreadable(options) {
        return Ok(());
    }
    let why = "is not allowed with DELETECOLLECTION, try again after removing the option";
    Err(Error::InvalidOptions { kind: KIND, violations: vec![wrong_option(why)] })
}
