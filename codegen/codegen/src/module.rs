//! Modules of a group's crate: one for each version, and one for those hubs of the group that have
//! more fields than their version.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use hubgen_model::{GroupVersion, Type, TypeId};
use hubgen_plan::Types;
use syn::Ident;

use crate::naming::ident;

/// A module of a group's crate. It is a folder, and a feature enables it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Module {
    /// The types of a version.
    Version(GroupVersion),
    /// The types of the group's hubs.
    Hubs {
        /// The group.
        group: String,
    },
}

impl Module {
    /// The module of a group's hubs.
    pub fn hubs(group: &str) -> Self {
        Self::Hubs { group: group.to_owned() }
    }

    /// The module that a type is in.
    pub fn of(id: &TypeId) -> Self {
        if id.of_hub { Self::hubs(&id.group_version.group) } else { Self::Version(id.group_version.clone()) }
    }

    /// The modules of every group, whether code is emitted for it or not.
    pub fn by_group(types: Types<'_>) -> BTreeMap<&str, Vec<Self>> {
        let mut groups: BTreeMap<&str, Vec<Self>> = BTreeMap::new();
        for group in types.hubs.groups() {
            groups.entry(group).or_default().push(Self::hubs(group));
        }
        for version in types.api.versions.keys() {
            groups.entry(&version.group).or_default().push(Self::Version(version.clone()));
        }
        groups
    }

    /// The group of its crate.
    pub fn group(&self) -> &str {
        match self {
            Self::Version(version) => &version.group,
            Self::Hubs { group } => group,
        }
    }

    /// The version, unless it is a module of hubs.
    pub fn version(&self) -> Option<&GroupVersion> {
        match self {
            Self::Version(version) => Some(version),
            Self::Hubs { .. } => None,
        }
    }

    /// The name of the module, its folder and its feature.
    pub fn name(&self) -> &str {
        match self {
            Self::Version(version) => &version.version,
            Self::Hubs { .. } => "hub",
        }
    }

    /// Its identifier in Rust: `v1beta1`, or `hub`.
    pub fn ident(&self) -> Ident {
        ident(self.name())
    }

    /// Whether both modules are of the same group, and therefore in the same crate.
    pub fn is_in_same_group(&self, other: &Self) -> bool {
        self.group() == other.group()
    }

    /// Its types, including those that another module defines.
    pub fn types<'a>(&self, types: Types<'a>) -> Vec<&'a Type> {
        match self {
            Self::Version(version) => types.api.versions[version].types.values().collect(),
            Self::Hubs { group } => types.hubs.of_group(group).collect(),
        }
    }
}

/// By group; hubs before versions.
impl Ord for Module {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.group(), self.version()).cmp(&(other.group(), other.version()))
    }
}

impl PartialOrd for Module {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
