//! The query parameters of a request.

use std::time::Duration;

use axum::http::Uri;
use hubgen_machinery::Str;
use hubgen_machinery::scheme::KindEntry;
use hubgen_meta::v1::DeleteOptions;
use hubgen_validation::names;

use super::error::Error;
use super::manager;
use crate::media::Include;
use crate::objects::{FieldValidation, ListQuery, OPTION, Start, WatchQuery, is_dry_run};
use crate::selector::{self, Selector};
use crate::validation::Violation;

/// The supported query parameters. Like upstream, the server ignores others.
#[derive(Debug, Default)]
pub(crate) struct Query {
    pub(crate) pretty: bool,
    pub(crate) watch: bool,
    /// Whether the response of a health check lists its checks.
    pub(crate) verbose: bool,
    /// The checks that a health check skips.
    pub(crate) exclude: Vec<String>,
    field_validation: String,
    dry_run: Vec<Str>,
    label_selector: String,
    field_selector: String,
    limit: String,
    continue_token: String,
    resource_version: String,
    resource_version_match: String,
    grace_period_seconds: Option<String>,
    orphan_dependents: Option<bool>,
    propagation_policy: Option<Str>,
    ignore_unreadable: Option<bool>,
    pub(super) field_manager: String,
    timeout_seconds: String,
    /// What the rows of a table have of their objects.
    include_object: String,
    /// Whether the parameter is present and not empty.
    /// Whether an apply takes the fields of others; `None` if nothing is said of it.
    force: Option<bool>,
    /// `None` if the parameter is absent or empty.
    send_initial_events: Option<bool>,
    allow_watch_bookmarks: bool,
    /// The hash of the document that a client means.
    pub(crate) hash: String,
    /// The only object that is watched, if the path names one.
    pub(super) watched: Option<String>,
}

const EXACT: &str = "Exact";
const NOT_OLDER_THAN: &str = "NotOlderThan";

impl Query {
    /// Parses the query of a request.
    ///
    /// # Errors
    /// 400 if the query cannot be decoded.
    pub(crate) fn parse(uri: &Uri) -> Result<Self, Error> {
        let pairs = axum::extract::Query::<Vec<(String, String)>>::try_from_uri(uri)
            .map_err(|error| Error::Malformed(format!("cannot decode the query: {error}")))?;
        let mut query = Self::default();
        for (name, value) in pairs.0 {
            match name.as_str() {
                "hash" => query.hash = value,
                "pretty" => query.pretty = is_true(&value),
                "watch" => query.watch = is_true(&value),
                "verbose" => query.verbose = is_true(&value),
                "exclude" => query.exclude.push(value),
                "dryRun" => query.dry_run.push(value.into()),
                "labelSelector" => query.label_selector = value,
                "fieldSelector" => query.field_selector = value,
                "limit" => query.limit = value,
                "continue" => query.continue_token = value,
                "resourceVersion" => query.resource_version = value,
                "resourceVersionMatch" => query.resource_version_match = value,
                "fieldValidation" => query.field_validation = value,
                "gracePeriodSeconds" => query.grace_period_seconds = Some(value),
                "orphanDependents" => query.orphan_dependents = Some(is_true(&value)),
                "propagationPolicy" => query.propagation_policy = Some(value.into()),
                OPTION => query.ignore_unreadable = Some(is_true(&value)),
                "fieldManager" => query.field_manager = value,
                "force" if !value.is_empty() => query.force = Some(is_true(&value)),
                "timeoutSeconds" => query.timeout_seconds = value,
                "includeObject" => query.include_object = value,
                "sendInitialEvents" if !value.is_empty() => query.send_initial_events = Some(is_true(&value)),
                "allowWatchBookmarks" => query.allow_watch_bookmarks = is_true(&value),
                _ => {}
            }
        }
        Ok(query)
    }

    /// The only name that the selector of fields allows, if it is a valid one.
    pub(super) fn only_name(&self) -> Option<String> {
        let name = selector::only_name(&self.field_selector)?;
        names::path_segment_mistakes(&name).is_empty().then_some(name)
    }

    /// The parameters of a list of a kind.
    ///
    /// # Errors
    /// 400 or 422 if a parameter is invalid.
    pub(crate) fn list(&self, entry: &KindEntry) -> Result<ListQuery, Error> {
        let selector = Selector::parse(&self.label_selector, &self.field_selector, entry);
        let selector = selector.map_err(Error::Malformed)?;
        // Like upstream, a negative limit means no limit.
        let limit: i64 = number("limit", &self.limit)?;
        number::<i64>("timeoutSeconds", &self.timeout_seconds)?;
        let violations = self.list_violations();
        if !violations.is_empty() {
            return Err(Error::InvalidOptions { kind: "ListOptions", violations });
        }
        let revision = self.revision()?;
        let continue_token = (!self.continue_token.is_empty()).then(|| self.continue_token.clone());
        if continue_token.is_some() && revision.is_some() {
            return Err(Error::Malformed(
                "specifying resource version is not allowed when using continue".to_owned(),
            ));
        }
        let limit = usize::try_from(limit).ok().filter(|limit| *limit > 0);
        let exact = match self.resource_version_match.as_str() {
            // Older clients rely on this: all parts of a list are from one revision.
            "" => limit.is_some() && revision.is_some(),
            wanted => wanted == EXACT,
        };
        Ok(ListQuery { selector, limit, continue_token, revision, exact })
    }

    /// The violations of parameters of a list, or of their combination.
    fn list_violations(&self) -> Vec<Violation> {
        let wanted = self.resource_version_match.as_str();
        let mut found = Vec::new();
        for (is_wrong, why) in [
            (
                !wanted.is_empty() && self.resource_version.is_empty(),
                "resourceVersionMatch is forbidden unless resourceVersion is provided",
            ),
            (
                !wanted.is_empty() && !self.continue_token.is_empty(),
                "resourceVersionMatch is forbidden when continue is provided",
            ),
            (
                wanted == EXACT && self.resource_version == "0",
                "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"",
            ),
        ] {
            if is_wrong {
                found.push(Violation::forbidden("resourceVersionMatch", why));
            }
        }
        let supported = [EXACT, NOT_OLDER_THAN, ""];
        if !supported.contains(&wanted) {
            found.push(Violation::not_supported("resourceVersionMatch", wanted, &supported));
        }
        if self.send_initial_events.is_some() {
            found.push(Violation::forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
        }
        found
    }

    /// The parameters of a watch of a kind.
    ///
    /// # Errors
    /// 400 or 422 if a parameter is invalid.
    pub(crate) fn watch(&self, entry: &KindEntry) -> Result<WatchQuery, Error> {
        let selector = Selector::parse(&self.label_selector, &self.field_selector, entry);
        let selector = selector.map_err(Error::Malformed)?;
        // Like upstream, another name is an error only if everything else is right.
        let selector = match &self.watched {
            Some(name) => selector.of(name).map_err(Error::Malformed),
            None => Ok(selector),
        };
        let seconds: i64 = number("timeoutSeconds", &self.timeout_seconds)?;
        let violations = self.watch_violations();
        if !violations.is_empty() {
            return Err(Error::InvalidOptions { kind: "ListOptions", violations });
        }
        let selector = selector?;
        let bookmarks = self.allow_watch_bookmarks;
        let start = match (self.send_initial_events, self.revision()?) {
            (Some(true), at_least) => Start::Existing { at_least, tells_end: bookmarks },
            (Some(false), None) => Start::Now,
            // Without a revision, and with revision 0, upstream shows what exists.
            (None, None) => Start::Existing { at_least: None, tells_end: false },
            (_, Some(revision)) => Start::After(revision),
        };
        let timeout = u64::try_from(seconds).ok().filter(|seconds| *seconds > 0).map(Duration::from_secs);
        Ok(WatchQuery { selector, start, bookmarks, timeout })
    }

    /// The violations of parameters of a watch, or of their combination.
    fn watch_violations(&self) -> Vec<Violation> {
        let wanted = self.resource_version_match.as_str();
        let mut found = Vec::new();
        let mut forbid = |is_wrong: bool, why: &str| {
            if is_wrong {
                found.push(Violation::forbidden("resourceVersionMatch", why));
            }
        };
        let sends_initial = self.send_initial_events.is_some();
        forbid(
            sends_initial && wanted != NOT_OLDER_THAN,
            "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
        );
        forbid(
            !wanted.is_empty() && !sends_initial,
            "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
        );
        if !wanted.is_empty() && wanted != NOT_OLDER_THAN {
            found.push(Violation::not_supported("resourceVersionMatch", wanted, &[NOT_OLDER_THAN]));
        }
        if !wanted.is_empty() && !self.continue_token.is_empty() {
            let why = "resourceVersionMatch is forbidden when continue is provided";
            found.push(Violation::forbidden("resourceVersionMatch", why));
        }
        found
    }

    /// The `resourceVersion` of the request; 0 means none.
    ///
    /// # Errors
    /// 400 if it is not a number.
    pub(crate) fn revision(&self) -> Result<Option<u64>, Error> {
        if self.resource_version.is_empty() {
            return Ok(None);
        }
        let revision: u64 = self.resource_version.parse().map_err(|_| {
            let why = "must be a number, as the server returns it";
            let violation = Violation::invalid("resourceVersion", &self.resource_version, why);
            Error::Malformed(format!("invalid resource version: {violation}"))
        })?;
        Ok((revision > 0).then_some(revision))
    }

    /// What the rows of a table have of their objects.
    ///
    /// # Errors
    /// 400 if it is none of the known words.
    pub(super) fn include(&self) -> Result<Include, Error> {
        Include::named(&self.include_object).ok_or_else(|| {
            let why = "must be 'Metadata', 'Object', 'None', or empty";
            let violation = Violation::invalid("includeObject", &self.include_object, why);
            Error::Malformed(format!("Unable to convert to Table as requested: {violation}"))
        })
    }

    /// Whether the request limits a list to at most this many objects.
    pub(crate) fn asks_for_at_most(&self, most: usize) -> bool {
        self.limit.parse().is_ok_and(|limit: usize| (1..=most).contains(&limit))
    }

    /// Parses `fieldValidation`; `options` is the kind of the request's options, for errors.
    ///
    /// # Errors
    /// 422 if an option of the request is invalid.
    pub(crate) fn field_validation(&self, options: &'static str) -> Result<FieldValidation, Error> {
        self.validated(options, Vec::new())
    }

    /// Parses the options of a patch that is no apply.
    ///
    /// # Errors
    /// 422 if an option is invalid.
    pub(crate) fn patch_options(&self) -> Result<FieldValidation, Error> {
        let force = Violation::forbidden("force", "may not be specified for non-apply patch");
        self.validated("PatchOptions", self.force.map(|_| force).into_iter().collect())
    }

    /// Parses the options of an apply: how it treats unknown fields, and whether it takes the fields of others.
    ///
    /// # Errors
    /// 422 if an option is invalid, or nobody is named who owns what is applied.
    pub(crate) fn apply_options(&self) -> Result<(FieldValidation, bool), Error> {
        let is_named = !self.field_manager.is_empty();
        let required = Violation::required("fieldManager", "is required for apply patch");
        let violations = if is_named { Vec::new() } else { vec![required] };
        Ok((self.validated("PatchOptions", violations)?, self.force == Some(true)))
    }

    /// Parses `fieldValidation`, together with other violations of the options.
    fn validated(
        &self,
        options: &'static str,
        mut violations: Vec<Violation>,
    ) -> Result<FieldValidation, Error> {
        violations.extend(manager::violations(&self.field_manager));
        violations.extend(dry_run_violation(&self.dry_run));
        let validation = match self.field_validation.as_str() {
            "Ignore" => FieldValidation::Ignore,
            "Strict" => FieldValidation::Strict,
            "" | "Warn" => FieldValidation::Warn,
            other => {
                let supported = ["", "Ignore", "Strict", "Warn"];
                violations.push(Violation::not_supported("fieldValidation", other, &supported));
                FieldValidation::Strict
            }
        };
        if violations.is_empty() {
            Ok(validation)
        } else {
            Err(Error::InvalidOptions { kind: options, violations })
        }
    }

    /// Reads the options of a deletion from the query, if the deletion has no body.
    ///
    /// # Errors
    /// 400 if a parameter cannot be parsed.
    pub(crate) fn delete_options(&self, options: &mut DeleteOptions) -> Result<(), Error> {
        let seconds = self.grace_period_seconds.as_deref();
        options.grace_period_seconds = seconds.map(|text| number("gracePeriodSeconds", text)).transpose()?;
        options.orphan_dependents = self.orphan_dependents;
        options.propagation_policy.clone_from(&self.propagation_policy);
        options.dry_run.clone_from(&self.dry_run);
        options.ignore_store_read_error_with_cluster_breaking_potential = self.ignore_unreadable;
        Ok(())
    }

    /// Whether the request only tries what it asks for.
    pub(crate) fn is_dry_run(&self) -> bool {
        is_dry_run(&self.dry_run)
    }
}

/// The violation of `dryRun`, if it contains an unknown stage.
pub(crate) fn dry_run_violation(stages: &[Str]) -> Option<Violation> {
    let is_known = |stage: &Str| stage.is_empty() || stage == "All";
    if stages.iter().all(is_known) {
        return None;
    }
    let stages = serde_json::json!(stages);
    Some(Violation::not_supported_value("dryRun", &stages.to_string(), &["All"]))
}

fn is_true(text: &str) -> bool {
    !matches!(text, "0" | "false")
}

/// Parses a number; an empty text is zero.
fn number<T: std::str::FromStr + Default>(name: &str, text: &str) -> Result<T, Error> {
    if text.is_empty() {
        return Ok(T::default());
    }
    let wrong = |_| Error::Malformed(format!("{name}: expected a number, found {text:?}"));
    text.parse().map_err(wrong)
}
