//! Hubs that contain more fields than any of their versions. Only the plan knows them.

use std::collections::BTreeMap;

use hubgen_model::rules::{Problem, Rules};
use hubgen_model::{Api, Type, TypeId};

use crate::{Family, superset};

/// The types of hubs that contain more fields than their version. All hubs of a group share types
/// of the same name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hubs {
    /// By group and name; no group is empty.
    types: BTreeMap<String, BTreeMap<String, Type>>,
    /// By the title of the family.
    roots: BTreeMap<String, TypeId>,
}

impl Hubs {
    /// The hubs that the rules require, and problems with them.
    pub fn of<'a>(api: &Api, rules: impl IntoIterator<Item = &'a Rules>) -> (Self, Vec<Problem>) {
        let (mut hubs, mut problems) = (Self::default(), Vec::new());
        for (title, (index, rules)) in by_title(rules) {
            if let Some(root) = superset::add(api, &mut hubs, index, rules, &mut problems) {
                hubs.roots.insert(title, root);
            }
        }
        (hubs, problems)
    }

    /// The hub of a family, if it is a separate type.
    pub fn root(&self, family: &Family) -> Option<&TypeId> {
        self.roots.get(&family.title())
    }

    /// The groups that have separate hub types.
    pub fn groups(&self) -> impl Iterator<Item = &str> {
        self.types.keys().map(String::as_str)
    }

    /// The types of a group's hubs, sorted by name.
    pub fn of_group(&self, group: &str) -> impl Iterator<Item = &Type> {
        self.types.get(group).into_iter().flat_map(BTreeMap::values)
    }

    /// All types.
    pub fn types(&self) -> impl Iterator<Item = &Type> {
        self.types.values().flat_map(BTreeMap::values)
    }

    /// Looks up a type.
    pub fn find(&self, id: &TypeId) -> Option<&Type> {
        self.named(&id.group_version.group, &id.name).filter(|ty| ty.id == *id)
    }

    /// The type with a name in a group, whichever version its hub extends.
    pub(crate) fn named(&self, group: &str, name: &str) -> Option<&Type> {
        self.types.get(group)?.get(name)
    }

    pub(crate) fn find_mut(&mut self, id: &TypeId) -> Option<&mut Type> {
        self.types.get_mut(&id.group_version.group)?.get_mut(&id.name)
    }

    pub(crate) fn insert(&mut self, ty: Type) {
        let group = self.types.entry(ty.id.group_version.group.clone()).or_default();
        group.insert(ty.id.name.clone(), ty);
    }
}

/// The rules of each family with their index, by the family's title.
pub(crate) fn by_title<'a>(
    rules: impl IntoIterator<Item = &'a Rules>,
) -> BTreeMap<String, (usize, &'a Rules)> {
    let title = |rules: &Rules| format!("{} {}", rules.hub.value.group_or_core(), rules.kind.value);
    rules.into_iter().enumerate().map(|(index, rules)| (title(rules), (index, rules))).collect()
}
