//! Why a pod may not be evicted.

/// Why a pod may not be evicted now.
#[derive(Debug)]
pub(crate) enum Unevictable {
    /// Its budget allows no disruption, for the reason in the text.
    Exhausted { cause: String },
    /// What its budget allows is not known yet.
    Unknown { budget: String },
    /// The status of its budget makes no sense.
    Broken { budget: String, why: &'static str, cause: &'static str },
    /// More than one budget is about it.
    Several,
}
