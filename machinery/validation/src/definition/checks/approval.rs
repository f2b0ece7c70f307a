//! Whether the community of Kubernetes has approved an API in one of its groups.

use super::form::Form;
use super::props::Props;
use super::url;
use crate::error::FieldError;
use crate::text::quoted;
use serde_json::Value;

/// The annotation that tells who has approved an API.
pub const APPROVAL: &str = "api-approved.kubernetes.io";

/// What the annotation tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approval {
    /// It has neither an address nor a reason why there is none.
    Invalid,
    /// It has the address of the approval.
    Approved,
    /// It tells that there is none, and why.
    Bypassed,
    /// There is no annotation.
    Missing,
}

/// What the annotation of a definition tells, with the API server's text about it; `None` if the group belongs to somebody
/// else.
pub fn approval(definition: &Value) -> Option<(Approval, String)> {
    of(&Form::of(definition))
}

fn of(form: &Form<'_>) -> Option<(Approval, String)> {
    let group = form.spec.text("group");
    let is_below =
        |domain: &str| group.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    (is_below("k8s.io") || is_below("kubernetes.io")).then(|| state(annotation(form)))
}

fn annotation<'a>(form: &Form<'a>) -> &'a str {
    form.metadata.get("annotations").map_or("", |annotations| Props(annotations).text(APPROVAL))
}

fn state(annotation: &str) -> (Approval, String) {
    let see = "see https://github.com/kubernetes/enhancements/pull/1111";
    let needed = format!("protected groups must have approval annotation {}", quoted(APPROVAL));
    if annotation.is_empty() {
        (Approval::Missing, format!("{needed}, {see}"))
    } else if annotation.starts_with("unapproved") {
        (Approval::Bypassed, format!("not approved: {}", quoted(annotation)))
    } else if url::is_absolute(annotation) {
        (Approval::Approved, format!("approved in {annotation}"))
    } else {
        let text = format!("{needed} with either a URL or a reason starting with \"unapproved\", {see}");
        (Approval::Invalid, text)
    }
}

/// Adds the error of an annotation that is missing or wrong, and was not before.
pub(super) fn check(new: &Form<'_>, old: Option<&Form<'_>>, found: &mut Vec<FieldError>) {
    let Some((approval, reason)) = of(new) else { return };
    if old.is_some_and(|old| state(annotation(old)).0 == approval) {
        return;
    }
    let path = format!("metadata.annotations[{APPROVAL}]");
    match approval {
        Approval::Approved | Approval::Bypassed => {}
        Approval::Missing => found.push(FieldError::required(path, &reason)),
        Approval::Invalid => found.push(FieldError::invalid_text(path, annotation(new), &reason)),
    }
}
