//! The one middle of hubgen: groups, versions, kinds, types and fields as
//! plain data.
//!
//! Readers (OpenAPI, descriptors, distilled schemas) know documents, the
//! emitter knows Rust; both know only this crate. It has no I/O, no syntax
//! trees and no policy: what is said here is what upstream published.

pub mod defaults;
pub mod family;
mod field;
pub mod hub;
mod kind;
mod name;
pub mod normal;
mod release;
pub mod rules;
pub mod sharing;
mod types;

pub use family::{Declared, Family};
pub use field::{Field, ListType, Omit, Patch, Presence};
pub use kind::{Kind, Resource, Scope, Subresource, Verb};
pub use name::{GroupVersion, GroupVersionKind, TypeId};
pub use release::Release;
pub use types::{RawForm, Type, TypeBody, TypeExpr, Version};

/// Every version of every group of one API, sorted by group and version.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Api {
    /// The group versions, each with the types that it alone defines.
    pub versions: std::collections::BTreeMap<GroupVersion, Version>,
}

impl Api {
    /// The type of that name, wherever it lives.
    pub fn find(&self, id: &TypeId) -> Option<&Type> {
        self.versions.get(&id.group_version)?.types.get(&id.name)
    }

    /// Every type, ordered by group, version and name.
    pub fn types(&self) -> impl Iterator<Item = &Type> {
        self.versions.values().flat_map(|version| version.types.values())
    }
}
