use thiserror::Error;

/// Why a text is no [`Set`](super::Set).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FieldsError {
    /// It is not JSON, or not JSON of that form: objects in objects.
    #[error("expected the fields of an object in JSON: {0}")]
    Json(String),
    /// A member of an object is no element of a path.
    #[error("{text:?} is no element of a path: {why}")]
    Element {
        /// The name of the member.
        text: String,
        /// What is wrong with it.
        why: ElementError,
    },
}

/// Why a text is no [`Element`](super::Element).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ElementError {
    /// It does not begin with a letter and a colon.
    #[error("expected a letter and a colon, such as `f:`")]
    NoPrefix,
    /// What the letter stands for is not known here. A set leaves out such members.
    #[error("expected one of `f:`, `k:`, `v:` and `i:`")]
    Unknown,
    /// After `v:` there is no JSON, or after `k:` no object in JSON.
    #[error("{0}")]
    Json(String),
    /// After `i:` there is no number.
    #[error("expected a number after `i:`")]
    Index,
}
