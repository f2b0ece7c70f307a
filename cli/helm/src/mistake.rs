//! Why something is no release.

use std::fmt;

/// What is wrong with an object that should carry a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The path of the member, in the object or, below `data.release`, in the release.
    pub path: String,
    /// What was expected, and what was found.
    pub message: String,
    /// How to fix it.
    pub help: &'static str,
}

impl Mistake {
    /// A mistake in the encoded release.
    pub(crate) fn new(message: impl Into<String>, help: &'static str) -> Self {
        Self { path: "data.release".to_owned(), message: message.into(), help }
    }

    /// The same at a member of the release.
    pub(crate) fn at(mut self, member: &str) -> Self {
        self.path = format!("{}.{member}", self.path);
        self
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}

impl std::error::Error for Mistake {}

/// How to fix what is not as Helm has written it.
pub const DAMAGED: &str = "take the object from the cluster as it is, with `kubectl get -o yaml`; if it is damaged there, \
                           restore it from a backup, or delete it: helm then forgets this one revision";
