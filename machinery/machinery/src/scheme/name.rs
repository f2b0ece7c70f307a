//! Names of kinds.

use crate::reflect::Text;

/// The name of a kind at one version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupVersionKind {
    /// `apps`; empty for the core group.
    pub group: Text,
    /// `v1`.
    pub version: Text,
    /// `Deployment`.
    pub kind: Text,
}

impl GroupVersionKind {
    /// Group, version and kind, for comparisons and lookups.
    pub fn parts(&self) -> (&str, &str, &str) {
        (&self.group, &self.version, &self.kind)
    }
}

impl From<(&'static str, &'static str, &'static str)> for GroupVersionKind {
    fn from((group, version, kind): (&'static str, &'static str, &'static str)) -> Self {
        Self { group: Text::Static(group), version: Text::Static(version), kind: Text::Static(kind) }
    }
}
