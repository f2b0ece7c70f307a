//! The order of groups and versions in discovery.

use crate::reflect::Text;

/// The order of a group and its versions in discovery: higher priorities come first. If several
/// groups have a resource of the same name, clients use the first group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupPriority {
    /// The priority of the group; `None` for groups of custom resources, which have
    /// [`CUSTOM`](Self::CUSTOM).
    pub group: Option<u32>,
    /// The priorities of its versions, each with the version. Others have 0, and are ordered by
    /// stability and number.
    pub versions: Vec<(Text, u32)>,
}

impl GroupPriority {
    /// The priority of groups without one.
    pub const CUSTOM: u32 = 1000;
    /// The priority of a group before all others.
    pub const FIRST: u32 = u32::MAX;

    /// The priority of a version.
    pub fn of_version(&self, version: &str) -> u32 {
        self.versions.iter().find(|listed| *listed.0 == *version).map_or(0, |listed| listed.1)
    }
}

/// A [`GroupPriority`], for static tables.
pub struct PriorityRow {
    /// `apps`; empty for the core group.
    pub group: &'static str,
    /// See [`GroupPriority::group`].
    pub priority: Option<u32>,
    /// See [`GroupPriority::versions`].
    pub versions: &'static [(&'static str, u32)],
}

impl From<&PriorityRow> for GroupPriority {
    fn from(row: &PriorityRow) -> Self {
        let version = |(version, priority): &(&'static str, u32)| (Text::Static(*version), *priority);
        Self { group: row.priority, versions: row.versions.iter().map(version).collect() }
    }
}
