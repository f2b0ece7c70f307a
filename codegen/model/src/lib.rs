//! The data model of hubgen: groups, versions, kinds, types, fields and rules as plain data.
//!
//! The readers (of OpenAPI, descriptors, distilled schemas) and the emitter of Rust code have only
//! this crate in common. It does no I/O, contains no syntax trees and takes no decisions: it
//! contains what upstream published and what the rules files contain. `plan` computes everything
//! that follows from that.

pub mod behaviour;
pub mod boxes;
pub mod canonical;
pub mod columns;
pub mod defaults;
mod definition;
mod facts;
mod field;
mod fits;
pub mod functions;
mod kind;
mod name;
mod plain;
mod release;
pub mod rules;
mod type_expr;
mod types;
pub mod value_table;

pub use definition::{Column, Definition, Scale, Shared};
pub use facts::Facts;
pub use field::{Field, ListType, Patch, Presence, RustName};
pub use hubgen_facts::{Bits, Multiple, NumberText, Omit, TimeUnit};
pub use kind::{Kind, Resource, Scope, Subresource, Verb};
pub use name::{GroupVersion, GroupVersionKind, TypeId};
pub use plain::PlainType;
pub use release::{InvalidRelease, Release};
pub use rules::Declared;
pub use type_expr::{RawForm, TypeExpr};
pub use types::{Origin, Type, TypeBody, Version};
pub use value_table::ValueTable;

/// Every version of every group of one API, sorted by group and version.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Api {
    /// The group versions, each with the types that it defines.
    pub versions: std::collections::BTreeMap<GroupVersion, Version>,
}

impl Api {
    /// Finds a type by its group version and name.
    pub fn find(&self, id: &TypeId) -> Option<&Type> {
        let version = self.versions.get(&id.group_version).filter(|_| !id.of_hub)?;
        version.types.get(&id.name)
    }

    /// All types, ordered by group, version and name.
    pub fn types(&self) -> impl Iterator<Item = &Type> {
        self.versions.values().flat_map(|version| version.types.values())
    }

    /// The group versions that this API defines itself.
    pub fn own_versions(&self) -> impl Iterator<Item = (&GroupVersion, &Version)> {
        self.versions.iter().filter(|(_, version)| version.origin != Origin::Foreign)
    }

    /// The types that this API defines itself, ordered by group, version and name.
    pub fn own_types(&self) -> impl Iterator<Item = &Type> {
        self.own_versions().flat_map(|(_, version)| version.types.values())
    }

    /// The positions of the fields on a path, one for each name; `None` if the path does not exist.
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
