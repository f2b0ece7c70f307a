//! The one middle of hubgen: groups, versions, kinds, types, fields and rules
//! as plain data.
//!
//! Readers (OpenAPI, descriptors, distilled schemas) know documents, the
//! emitter knows Rust; both know only this crate. It has no I/O, no syntax
//! trees and no policy: it contains what was published and what the rules
//! files contain. What follows from that is computed by `plan`.

pub mod canonical;
pub mod defaults;
mod field;
mod fits;
mod kind;
mod name;
mod release;
pub mod rules;
mod types;

pub use field::{Field, ListType, Omit, Patch, Presence};
pub use kind::{Kind, Resource, Scope, Subresource, Verb};
pub use name::{GroupVersion, GroupVersionKind, TypeId};
pub use release::Release;
pub use rules::Declared;
pub use types::{RawForm, Type, TypeBody, TypeExpr, Version};

/// Every version of every group of one API, sorted by group and version.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Api {
    /// The group versions, each with the types that it alone defines.
    pub versions: std::collections::BTreeMap<GroupVersion, Version>,
}

impl Api {
    /// The version's type of that name, whichever version it is of.
    pub fn find(&self, id: &TypeId) -> Option<&Type> {
        let version = self.versions.get(&id.group_version).filter(|_| !id.of_hub)?;
        version.types.get(&id.name)
    }

    /// Every type, ordered by group, version and name.
    pub fn types(&self) -> impl Iterator<Item = &Type> {
        self.versions.values().flat_map(|version| version.types.values())
    }

    /// The positions of the fields of a path, from type to type; `None` where
    /// there is no such path.
    pub fn positions(&self, ty: &Type, path: &[String]) -> Option<Vec<usize>> {
        let mut at = Some(ty);
        let mut out = Vec::with_capacity(path.len());
        for name in path {
            let fields = at?.fields();
            let index = fields.iter().position(|field| field.name == *name)?;
            out.push(index);
            at = fields[index].ty.named().and_then(|id| self.find(id));
        }
        Some(out)
    }

    /// The type of a kind at a group version.
    pub fn root(&self, group_version: &GroupVersion, kind: &str) -> Option<&Type> {
        let name = GroupVersionKind { group_version: group_version.clone(), kind: kind.to_owned() };
        let is_registered = |ty: &&Type| ty.kind.as_ref().is_some_and(|kind| kind.registered.contains(&name));
        let own = self.versions.get(group_version).and_then(|version| version.types.get(kind));
        own.filter(is_registered).or_else(|| self.types().find(is_registered))
    }
}
