//! What stands behind the question mark.

use std::collections::HashSet;

use axum::http::Uri;
use hubgen_machinery::scheme::KindEntry;

use crate::registry::ListQuery;
use crate::selector::Selector;
use crate::storage_path::Received;
use crate::unreadable::OPTION;
use crate::validation::Violation;
use crate::wire::{DeleteOptions, Status};

/// The parameters that the server knows. Others are no reason to refuse a request, as upstream has
/// it.
#[derive(Debug, Default)]
pub(super) struct Query {
    pub(super) pretty: bool,
    pub(super) watch: bool,
    /// Whether a probe is to name its checks.
    pub(super) verbose: bool,
    /// The checks that a probe is not about.
    pub(super) exclude: Vec<String>,
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
    field_manager: String,
    timeout_seconds: String,
    /// Whether the parameter is there at all.
    send_initial_events: bool,
}

const EXACT: &str = "Exact";
const NOT_OLDER_THAN: &str = "NotOlderThan";
/// The most bytes of the name of a manager.
const LONGEST_MANAGER: usize = 128;

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
                "verbose" => query.verbose = is_true(&value),
                "exclude" => query.exclude.push(value),
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
                "fieldManager" => query.field_manager = value,
                "timeoutSeconds" => query.timeout_seconds = value,
                "sendInitialEvents" => query.send_initial_events = !value.is_empty(),
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
        // A negative limit is none, to upstream as well.
        let limit: i64 = number("limit", &self.limit)?;
        number::<i64>("timeoutSeconds", &self.timeout_seconds)?;
        let violations = self.list_violations();
        if !violations.is_empty() {
            return Err(Status::invalid_options("ListOptions", &violations));
        }
        let revision = self.revision()?;
        let continue_token = (!self.continue_token.is_empty()).then(|| self.continue_token.clone());
        if continue_token.is_some() && revision.is_some() {
            return Err(Status::bad_request(
                "specifying resource version is not allowed when using continue",
            ));
        }
        let limit = usize::try_from(limit).ok().filter(|limit| *limit > 0);
        let exact = match self.resource_version_match.as_str() {
            // What clients of old rely on: the parts of a list are all of one moment.
            "" => limit.is_some() && revision.is_some(),
            wanted => wanted == EXACT,
        };
        Ok(ListQuery { selector, limit, continue_token, revision, exact })
    }

    /// The parameters of a list that do not go together.
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
        if self.send_initial_events {
            found.push(Violation::forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
        }
        found
    }

    /// The revision that the client knows; 0 is none.
    ///
    /// # Errors
    /// 400 where it is no number.
    pub(super) fn revision(&self) -> Result<Option<u64>, Status> {
        if self.resource_version.is_empty() {
            return Ok(None);
        }
        let revision: u64 = self.resource_version.parse().map_err(|_| {
            let why = "must be the number that the server gave";
            let violation = Violation::invalid("resourceVersion", &self.resource_version, why);
            Status::bad_request(format!("invalid resource version: {violation}"))
        })?;
        Ok((revision > 0).then_some(revision))
    }

    /// Whether a list is limited, to so many objects or fewer.
    pub(super) fn asks_for_at_most(&self, most: usize) -> bool {
        self.limit.parse().is_ok_and(|limit: usize| (1..=most).contains(&limit))
    }

    /// What happens to fields that nobody knows; `options` is what the request's options are called.
    ///
    /// # Errors
    /// 422 where an option of the request makes no sense.
    pub(super) fn field_validation(&self, options: &str) -> Result<FieldValidation, Status> {
        let mut violations = self.manager_violations();
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
            Err(Status::invalid_options(options, &violations))
        }
    }

    /// What is wrong with the name of the manager. Nobody keeps it here; upstream does.
    fn manager_violations(&self) -> Vec<Violation> {
        let manager = &self.field_manager;
        let mut found = Vec::new();
        if manager.len() > LONGEST_MANAGER {
            let why = format!("may not be more than {LONGEST_MANAGER} bytes");
            found.push(Violation::too_long("fieldManager", why));
        }
        let characters = manager.char_indices().take_while(|(position, _)| *position < LONGEST_MANAGER);
        for (position, c) in characters.filter(|(_, c)| c.is_control()) {
            let why = format!("invalid character U+{:04X} (at position {position})", u32::from(c));
            found.push(Violation::invalid("fieldManager", manager, why));
        }
        found
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
    pub(super) fn check(self, entry: &KindEntry, received: &Received) -> Result<Vec<String>, Status> {
        let Received { notes, repeated, .. } = received;
        let mut found = match self {
            Self::Ignore => return Ok(Vec::new()),
            Self::Strict if repeated.is_empty() => Vec::new(),
            Self::Strict => vec![format!("yaml: unmarshal errors:\n  {}", repeated.join("\n  "))],
            Self::Warn => repeated.clone(),
        };
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

/// What is wrong with the stages that are not to be persisted.
pub(super) fn dry_run_violation(stages: &[String]) -> Option<Violation> {
    let is_known = |stage: &String| stage.is_empty() || stage == "All";
    if stages.iter().all(is_known) {
        return None;
    }
    let stages = serde_json::json!(stages);
    Some(Violation::not_supported_value("dryRun", &stages.to_string(), &["All"]))
}

fn is_true(text: &str) -> bool {
    !matches!(text, "0" | "false")
}

/// A number; zero where there is none.
fn number<T: std::str::FromStr + Default>(name: &str, text: &str) -> Result<T, Status> {
    if text.is_empty() {
        return Ok(T::default());
    }
    let wrong = |_| Status::bad_request(format!("{name}: expected a number, found {text:?}"));
    text.parse().map_err(wrong)
}
