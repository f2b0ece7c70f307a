//! What stands behind the question mark.

use std::collections::HashSet;

use axum::http::Uri;
use hubgen_machinery::json::Decoded;
use hubgen_machinery::scheme::KindEntry;

use crate::registry::ListQuery;
use crate::selector::Selector;
use crate::unreadable::OPTION;
use crate::validation::Violation;
use crate::wire::{DeleteOptions, Status};

/// The parameters that the server knows. Others are no reason to refuse a request, as upstream has
/// it.
#[derive(Debug, Default)]
pub(super) struct Query {
    pub(super) pretty: bool,
    pub(super) watch: bool,
    field_validation: String,
    dry_run: Vec<String>,
    label_selector: String,
    field_selector: String,
    limit: String,
    continue_token: String,
    resource_version: String,
    resource_version_match: String,
    grace_period_seconds: Option<String>,
    orphan_dependents: Option<bool>,
    propagation_policy: Option<String>,
    ignore_unreadable: Option<bool>,
}

/// What happens to fields that nobody knows or that come twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldValidation {
    Ignore,
    Warn,
    Strict,
}

impl Query {
    /// Reads the query of a request.
    ///
    /// # Errors
    /// 400 where it cannot be read.
    pub(super) fn of(uri: &Uri) -> Result<Self, Status> {
        let pairs = axum::extract::Query::<Vec<(String, String)>>::try_from_uri(uri)
            .map_err(|error| Status::bad_request(format!("the query cannot be read: {error}")))?;
        let mut query = Self::default();
        for (name, value) in pairs.0 {
            match name.as_str() {
                "pretty" => query.pretty = is_true(&value),
                "watch" => query.watch = is_true(&value),
                "dryRun" => query.dry_run.push(value),
                "labelSelector" => query.label_selector = value,
                "fieldSelector" => query.field_selector = value,
                "limit" => query.limit = value,
                "continue" => query.continue_token = value,
                "resourceVersion" => query.resource_version = value,
                "resourceVersionMatch" => query.resource_version_match = value,
                "fieldValidation" => query.field_validation = value,
                "gracePeriodSeconds" => query.grace_period_seconds = Some(value),
                "orphanDependents" => query.orphan_dependents = Some(is_true(&value)),
                "propagationPolicy" => query.propagation_policy = Some(value),
                OPTION => query.ignore_unreadable = Some(is_true(&value)),
                _ => {}
            }
        }
        Ok(query)
    }

    /// What is to be listed.
    ///
    /// # Errors
    /// 400 or 422 where a parameter makes no sense.
    pub(super) fn list(&self) -> Result<ListQuery, Status> {
        let selector =
            Selector::parse(&self.label_selector, &self.field_selector).map_err(Status::bad_request)?;
        let continue_token = (!self.continue_token.is_empty()).then(|| self.continue_token.clone());
        let revision: u64 = number("resourceVersion", &self.resource_version)?;
        let limit: usize = number("limit", &self.limit)?;
        let wrong_match = |why| {
            let violation = Violation::forbidden("resourceVersionMatch", why);
            Err(Status::invalid_options("ListOptions", &[violation]))
        };
        let exact = match self.resource_version_match.as_str() {
            // What clients of old rely on: the parts of a list are all of one moment.
            "" => limit > 0 && revision > 0,
            _ if self.resource_version.is_empty() => {
                return wrong_match("resourceVersionMatch is forbidden unless resourceVersion is provided");
            }
            "NotOlderThan" => false,
            "Exact" if revision == 0 => {
                return wrong_match("resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
            }
            "Exact" => true,
            other => {
                let supported = ["Exact", "NotOlderThan", ""];
                let violation = Violation::not_supported("resourceVersionMatch", other, &supported);
                return Err(Status::invalid_options("ListOptions", &[violation]));
            }
        };
        if continue_token.is_some() && revision != 0 {
            return Err(Status::bad_request(
                "specifying resource version is not allowed when using continue",
            ));
        }
        Ok(ListQuery {
            selector,
            limit: (limit > 0).then_some(limit),
            continue_token,
            revision: (revision > 0).then_some(revision),
            exact,
        })
    }

    /// Whether a list is limited, to so many objects or fewer.
    pub(super) fn asks_for_at_most(&self, most: usize) -> bool {
        self.limit.parse().is_ok_and(|limit: usize| (1..=most).contains(&limit))
    }

    /// What happens to fields that nobody knows; `options` is what the request's options are called.
    ///
    /// # Errors
    /// 422 where the parameter says none of it.
    pub(super) fn field_validation(&self, options: &str) -> Result<FieldValidation, Status> {
        match self.field_validation.as_str() {
            "Ignore" => Ok(FieldValidation::Ignore),
            "" | "Warn" => Ok(FieldValidation::Warn),
            "Strict" => Ok(FieldValidation::Strict),
            other => Err(Status::invalid_options(
                options,
                &[Violation::not_supported("fieldValidation", other, &["", "Ignore", "Strict", "Warn"])],
            )),
        }
    }

    /// Fills in the options of a deletion that has no body.
    ///
    /// # Errors
    /// 400 where a parameter cannot be read.
    pub(super) fn delete_options(&self, options: &mut DeleteOptions) -> Result<(), Status> {
        let seconds = self.grace_period_seconds.as_deref();
        options.grace_period_seconds = seconds.map(|text| number("gracePeriodSeconds", text)).transpose()?;
        options.orphan_dependents = self.orphan_dependents;
        options.propagation_policy.clone_from(&self.propagation_policy);
        options.dry_run.clone_from(&self.dry_run);
        options.ignore_store_read_error_with_cluster_breaking_potential = self.ignore_unreadable;
        Ok(())
    }

    /// A client that only wants to see what would happen must not find out afterwards that it did.
    ///
    /// # Errors
    /// 400 where the query or the body asks for a dry run.
    pub(super) fn refuse_dry_run(&self, in_body: &[String]) -> Result<(), Status> {
        if self.dry_run.iter().chain(in_body).all(String::is_empty) {
            return Ok(());
        }
        Err(Status::bad_request("dryRun is not supported by this server, and nothing was changed"))
    }
}

impl FieldValidation {
    /// The warnings that the client gets.
    ///
    /// # Errors
    /// 400 where the client asked for it.
    pub(super) fn check(self, entry: &KindEntry, notes: &Decoded) -> Result<Vec<String>, Status> {
        if self == Self::Ignore {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        for (what, paths, more) in [
            ("unknown", &notes.unknown, notes.more_unknown),
            ("duplicate", &notes.duplicate, notes.more_duplicate),
        ] {
            // A field that came many times is told once.
            let mut told = HashSet::new();
            let paths = paths.iter().filter(|path| told.insert(path.as_str()));
            found.extend(paths.map(|path| format!("{what} field {path:?}")));
            if more > 0 {
                found.push(format!("{more} more {what} fields"));
            }
        }
        if self == Self::Strict && !found.is_empty() {
            return Err(Status::unfit(entry, format_args!("strict decoding error: {}", found.join(", "))));
        }
        Ok(found)
    }
}

fn is_true(text: &str) -> bool {
    !matches!(text, "0" | "false")
}

/// A number; zero where there is none.
fn number<T: std::str::FromStr + Default>(name: &str, text: &str) -> Result<T, Status> {
    if text.is_empty() {
        return Ok(T::default());
    }
    text.parse().map_err(|_| {
        Status::bad_request(format!("{name}: expected a number that is not negative, found {text:?}"))
    })
}
