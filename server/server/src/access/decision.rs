//! The decision of somebody who is asked who may.

/// Why a user may do what a request asks for. The answer to a SubjectAccessReview contains it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grant {
    /// In words for people; empty if there is nothing to say.
    pub reason: String,
}

impl Grant {
    /// A grant with a reason.
    pub fn because(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}

/// Why a user may not do what a request asks for. The answer contains it: `pods is forbidden: User "ada" cannot list
/// resource "pods" in API group "" at the cluster scope: REASON`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refusal {
    /// In words for the user; empty if there is nothing to say.
    pub reason: String,
    /// What went wrong, so that it may be that the user is allowed to; empty if nothing did. The request fails with status
    /// 500 then, unless somebody else allows it.
    pub error: String,
    /// Whether nobody else is asked. Otherwise this is no opinion: whoever is [next](super::Modes) may allow it.
    pub is_final: bool,
}

impl Refusal {
    /// No opinion, with a reason.
    pub fn because(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), ..Self::default() }
    }

    /// No opinion, because something went wrong.
    pub fn failed(error: impl Into<String>) -> Self {
        Self { error: error.into(), ..Self::default() }
    }
}

/// Errors as upstream lists them in a text: each once, in brackets if there are several.
pub(crate) fn aggregate(errors: impl IntoIterator<Item = String>) -> String {
    let mut once: Vec<String> = Vec::new();
    for error in errors {
        if !once.contains(&error) {
            once.push(error);
        }
    }
    match once.as_slice() {
        [] => String::new(),
        [error] => error.clone(),
        errors => format!("[{}]", errors.join(", ")),
    }
}
