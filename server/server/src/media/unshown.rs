//! Why an object cannot be shown.

use hubgen_machinery::json::EncodeError;
use hubgen_machinery::scheme::SchemeError;

/// Why an object cannot be shown.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unshown {
    /// It contains a value that JSON cannot represent.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// It does not convert to the hub, of which its cells are made.
    #[error(transparent)]
    Hub(#[from] SchemeError),
}
