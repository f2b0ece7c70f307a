//! Why a rule cannot be lowered.

/// Why a rule cannot be lowered.
pub(super) struct Refusal {
    pub(super) message: String,
    /// What to do.
    pub(super) help: String,
}

impl From<String> for Refusal {
    fn from(message: String) -> Self {
        Self { message, help: "correct the path, or use an operator that fits these types".to_owned() }
    }
}
