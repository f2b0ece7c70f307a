//! What is kept of a definition in memory: what decides about its life, and no schemas.

use std::sync::Arc;

use hubgen_machinery::scheme::{KindEntry, Scheme};
use hubgen_validation::FieldError;
use hubgen_validation::definition::{self, Approval, NonStructural};
use serde_json::{Value, json};

use super::names::Names;
use crate::objects::CLEANUP;
use crate::validation::definitions::{GROUP, KIND, VERSION, certificate_mistake};

/// The kind of definitions at their hub.
pub(super) fn kind(scheme: &Scheme) -> Option<&Arc<KindEntry>> {
    scheme.kind(GROUP, VERSION, KIND)
}

/// What a condition tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Condition {
    pub(super) ty: String,
    pub(super) status: String,
    pub(super) reason: String,
    pub(super) message: String,
}

impl Condition {
    pub(super) fn new(ty: &str, status: &str, reason: &str, message: impl Into<String>) -> Self {
        let [ty, status, reason] = [ty, status, reason].map(str::to_owned);
        Self { ty, status, reason, message: message.into() }
    }

    fn of(json: &Value) -> Self {
        let text = |key: &str| json[key].as_str().unwrap_or_default().to_owned();
        Self { ty: text("type"), status: text("status"), reason: text("reason"), message: text("message") }
    }

    pub(super) fn json(&self) -> Value {
        let Self { ty, status, reason, message } = self;
        json!({"type": ty, "status": status, "reason": reason, "message": message})
    }
}

/// What conditions about the schemas and the approval depend on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Judged {
    generation: i64,
    approval: String,
}

/// A definition.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    pub(super) uid: String,
    pub(super) group: String,
    /// The names that it asks for, and those that it has.
    pub(super) asked: Names,
    pub(super) accepted: Names,
    pub(super) conditions: Vec<Condition>,
    pub(super) judged: Judged,
    /// What the condition about its approval must be; `None` if there must be none.
    pub(super) approval: Option<Condition>,
    /// What the condition about its schemas must be; `None` if there must be none.
    pub(super) structure: Option<Condition>,
    /// Whether the certificates of its webhook are wrong.
    pub(super) has_wrong_certificates: bool,
    /// Whether its objects have to be removed.
    pub(super) is_ending: bool,
}

impl Definition {
    /// Reads a definition at its hub.
    pub(super) fn of(document: &Value) -> Self {
        let (metadata, spec, status) = (&document["metadata"], &document["spec"], &document["status"]);
        let text = |json: &Value| json.as_str().unwrap_or_default().to_owned();
        let has_cleanup = metadata["finalizers"].as_array().is_some_and(|all| all.contains(&CLEANUP.into()));
        let bundle = spec["conversion"]["webhook"]["clientConfig"]["caBundle"].as_str();
        Self {
            uid: text(&metadata["uid"]),
            group: text(&spec["group"]),
            asked: Names::of(&spec["names"]),
            accepted: Names::of(&status["acceptedNames"]),
            conditions: status["conditions"].as_array().into_iter().flatten().map(Condition::of).collect(),
            judged: Judged {
                generation: metadata["generation"].as_i64().unwrap_or_default(),
                approval: text(&metadata["annotations"][definition::APPROVAL]),
            },
            approval: approval(document),
            structure: structure(document),
            has_wrong_certificates: bundle.is_some_and(|bundle| certificate_mistake(bundle).is_some()),
            is_ending: metadata["deletionTimestamp"].is_string() && has_cleanup,
        }
    }

    pub(super) fn condition(&self, ty: &str) -> Option<&Condition> {
        self.conditions.iter().find(|condition| condition.ty == ty)
    }

    /// Whether a condition has the status `True`.
    pub(super) fn is(&self, ty: &str) -> bool {
        self.condition(ty).is_some_and(|condition| condition.status == "True")
    }
}

fn approval(document: &Value) -> Option<Condition> {
    let (approval, reason) = definition::approval(document)?;
    let (status, name) = match approval {
        Approval::Approved => ("True", "ApprovedAnnotation"),
        Approval::Bypassed => ("False", "UnapprovedAnnotation"),
        Approval::Missing => ("False", "MissingAnnotation"),
        Approval::Invalid => ("False", "InvalidAnnotation"),
    };
    Some(Condition::new("KubernetesAPIApprovalPolicyConformant", status, name, reason))
}

fn structure(document: &Value) -> Option<Condition> {
    let (status, reason, message) = match definition::non_structural(document)? {
        NonStructural::Unsupported { version, why } => {
            let message = format!("failed to check validation schema for version {version}: {why}");
            ("Unknown", "StructuralError", message)
        }
        NonStructural::Violations(errors) => ("True", "Violations", aggregate(&errors)),
    };
    Some(Condition::new("NonStructuralSchema", status, reason, message))
}

/// Several errors in one text, each once.
fn aggregate(errors: &[FieldError]) -> String {
    let mut texts: Vec<String> = Vec::new();
    for error in errors {
        let text = error.to_string();
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    match texts.as_slice() {
        [one] => one.clone(),
        all => format!("[{}]", all.join(", ")),
    }
}
