use thiserror::Error;

/// Why a patch cannot be applied. Texts are upstream's, where clients see them.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Error {
    /// The patch is no patch, whatever it is applied to. Upstream answers with status 400.
    #[error("{0}")]
    Malformed(String),
    /// The patch does not fit the object: something that it names is not there, or a test fails. Upstream answers with
    /// status 422.
    #[error("{0}")]
    Inapplicable(String),
    /// The patch has too many operations. Upstream answers with status 413.
    #[error("{0}")]
    TooLarge(String),
    /// The patch uses a directive or a list in a way that the type does not allow. Upstream answers with status 500.
    #[error("{0}")]
    Misused(String),
}
