//! Names: group version, group version kind, and type id.

use std::cmp::Ordering;
use std::fmt;

/// An API group and one of its versions, such as `apps/v1`.
///
/// The legacy core group is the empty string, as upstream writes it. Versions are ordered by
/// stability, then by number: `v1alpha1`, `v1beta2`, `v1`, `v2`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct GroupVersion {
    /// `apps`, `rbac.authorization.k8s.io`; empty for the core group.
    pub group: String,
    /// `v1`, `v2beta1`.
    pub version: String,
}

impl GroupVersion {
    /// Creates a group version from its two parts.
    pub fn new(group: impl Into<String>, version: impl Into<String>) -> Self {
        Self { group: group.into(), version: version.into() }
    }

    /// Parses the `apiVersion` of an object: `v1` or `apps/v1`.
    pub fn parse(api_version: &str) -> Option<Self> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        (!version.is_empty() && !version.contains('/')).then(|| Self::new(group, version))
    }

    /// The `apiVersion` of an object: `v1` for core, else `group/version`.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }

    /// The group as folders and reports name it: `core` for the core group.
    pub fn group_or_core(&self) -> &str {
        if self.group.is_empty() { "core" } else { &self.group }
    }
}

impl fmt::Display for GroupVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.group_or_core(), self.version)
    }
}

impl Ord for GroupVersion {
    fn cmp(&self, other: &Self) -> Ordering {
        self.group
            .cmp(&other.group)
            .then_with(|| rank(&self.version).cmp(&rank(&other.version)))
            .then_with(|| self.version.cmp(&other.version))
    }
}

impl PartialOrd for GroupVersion {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Stability first (alpha, beta, stable), then the major number, then the minor one.
fn rank(version: &str) -> (u8, u32, u32) {
    let unknown = (0, 0, 0);
    let Some(rest) = version.strip_prefix('v') else { return unknown };
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let Ok(major) = rest[..digits].parse() else { return unknown };
    let (stability, minor) = match &rest[digits..] {
        "" => return (3, major, 0),
        tail if tail.starts_with("beta") => (2, &tail["beta".len()..]),
        tail if tail.starts_with("alpha") => (1, &tail["alpha".len()..]),
        _ => return unknown,
    };
    minor.parse().map_or(unknown, |minor| (stability, major, minor))
}

/// A kind at one version of one group.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct GroupVersionKind {
    /// Group and version.
    pub group_version: GroupVersion,
    /// `Deployment`.
    pub kind: String,
}

impl GroupVersionKind {
    /// Creates a kind from its three parts; the core group is the empty string.
    pub fn new(group: impl Into<String>, version: impl Into<String>, kind: impl Into<String>) -> Self {
        Self { group_version: GroupVersion::new(group, version), kind: kind.into() }
    }
}

impl fmt::Display for GroupVersionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.group_version, self.kind)
    }
}

/// Identifies a type by the group version that defines it and its name. A hub with more fields than
/// its version has types of its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId {
    /// The group version whose document defines the type. Types of the API machinery are in group
    /// `meta.k8s.io`. For a type of a hub: the group version that the hub extends.
    pub group_version: GroupVersion,
    /// `DeploymentSpec`.
    pub name: String,
    /// Whether it is a type of a hub, which no document defines.
    pub of_hub: bool,
}

impl TypeId {
    /// The id of a version's type, from its three parts.
    pub fn new(group: impl Into<String>, version: impl Into<String>, name: impl Into<String>) -> Self {
        Self::at(GroupVersion::new(group, version), name)
    }

    /// The id of a version's type.
    pub fn at(group_version: GroupVersion, name: impl Into<String>) -> Self {
        Self { group_version, name: name.into(), of_hub: false }
    }

    /// The id of a type of the hub that extends a version.
    pub fn of_hub(group_version: GroupVersion, name: impl Into<String>) -> Self {
        Self { group_version, name: name.into(), of_hub: true }
    }
}

impl fmt::Display for TypeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { group_version, name, of_hub } = self;
        if *of_hub {
            write!(f, "{}/hub {name}", group_version.group_or_core())
        } else {
            write!(f, "{group_version} {name}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ranked_as_clients_rank_them() {
        let mut versions = ["v1", "v2beta2", "v1beta1", "v2", "v1alpha1", "v2beta1", "v2alpha1"];
        versions.sort_by_key(|version| GroupVersion::new("autoscaling", *version));
        assert_eq!(versions, ["v1alpha1", "v2alpha1", "v1beta1", "v2beta1", "v2beta2", "v1", "v2"]);
    }

    #[test]
    fn api_versions_are_read_as_objects_write_them() {
        assert_eq!(GroupVersion::parse("v1"), Some(GroupVersion::new("", "v1")));
        assert_eq!(GroupVersion::parse("apps/v1"), Some(GroupVersion::new("apps", "v1")));
        assert_eq!(GroupVersion::parse("a/b/c"), None);
        assert_eq!(GroupVersion::parse(""), None);
    }

    #[test]
    fn a_hubs_type_is_not_that_of_a_version_called_hub() {
        let of_version = TypeId::new("apps", "hub", "Deployment");
        let of_hub = TypeId::of_hub(GroupVersion::new("apps", "v1"), "Deployment");
        assert_ne!(of_version, of_hub);
        assert_ne!(of_hub, TypeId::new("apps", "v1", "Deployment"));
        assert_eq!(of_hub.to_string(), "apps/hub Deployment");
    }
}
