//! Hubs that contain more fields than any of their versions. Only the plan knows them.

use std::collections::{BTreeMap, BTreeSet};

use hubgen_model::rules::{Problem, Rules};
use hubgen_model::{Api, GroupVersion, Type, TypeBody, TypeId};

use crate::Family;
use crate::superset::{self, Superset};

/// The types of hubs that contain more fields than their version. Hubs of a group share types that are equal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hubs {
    /// By group and name; no group is empty.
    types: BTreeMap<String, BTreeMap<String, Type>>,
    /// By the title of the family.
    roots: BTreeMap<String, TypeId>,
    /// The type of a version that each type extends, if it has another name.
    renamed: BTreeMap<TypeId, TypeId>,
}

impl Hubs {
    /// The hubs that the rules require, and problems with them.
    pub fn plan<'a>(api: &Api, rules: impl IntoIterator<Item = &'a Rules>) -> (Self, Vec<Problem>) {
        let (mut hubs, mut problems) = (Self::default(), Vec::new());
        let mut groups: BTreeMap<&str, Vec<Own<'_>>> = BTreeMap::new();
        for (title, (index, rules)) in by_title(rules) {
            if let Some(superset) = superset::add(api, index, rules, &mut problems) {
                let group = groups.entry(&superset.root.group_version.group).or_default();
                group.push(Own { title, kind: &rules.kind.value, superset });
            }
        }
        groups.values().for_each(|group| hubs.add_group(group));
        (hubs, problems)
    }

    /// Adds the hubs of all kinds of a group. Types that are equal for all kinds that have them are one type. Of
    /// others, each kind has its own: a field that one kind adds is not a field of another kind.
    fn add_group(&mut self, kinds: &[Own<'_>]) {
        let mut users: BTreeMap<&str, Vec<&Own<'_>>> = BTreeMap::new();
        for own in kinds {
            own.superset.types.keys().for_each(|name| users.entry(name).or_default().push(own));
        }
        let mut taken: BTreeSet<String> = users.keys().map(|name| (*name).to_owned()).collect();
        let mut ids: BTreeMap<(&str, &str), TypeId> = BTreeMap::new();
        for (name, users) in &users {
            let first = &users[0].superset;
            let shared = first.types[*name].id.clone();
            let is_shared = users.iter().all(|own| own.reach(name) == users[0].reach(name));
            for Own { title, kind, superset } in users {
                let mut id = shared.clone();
                if !is_shared {
                    id = superset.types[*name].id.clone();
                    while !taken.insert(id.name.clone()) {
                        id.name.insert_str(0, kind);
                    }
                    let version = TypeId::at(id.group_version.clone(), *name);
                    self.renamed.insert(id.clone(), version);
                }
                ids.insert((title, name), id);
            }
        }
        for Own { title, superset, .. } in kinds {
            let id_of = |name: &str| ids[&(title.as_str(), name)].clone();
            for (name, ty) in &superset.types {
                let id = id_of(name);
                if self.find(&id).is_none() {
                    self.insert(with_ids(ty, id, id_of));
                }
            }
            self.roots.insert(title.clone(), id_of(&superset.root.name));
        }
    }

    /// The type of a version that a hub's type extends.
    pub fn extended(&self, id: &TypeId) -> TypeId {
        self.renamed.get(id).cloned().unwrap_or_else(|| TypeId { of_hub: false, ..id.clone() })
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
        self.types.get(&id.group_version.group)?.get(&id.name).filter(|ty| ty.id == *id)
    }

    fn insert(&mut self, ty: Type) {
        let group = self.types.entry(ty.id.group_version.group.clone()).or_default();
        group.insert(ty.id.name.clone(), ty);
    }
}

/// The hub of one kind.
struct Own<'a> {
    title: String,
    kind: &'a str,
    superset: Superset<'a>,
}

impl Own<'_> {
    /// A type of the hub and all of the hub's types below it, with ids that do not depend on the hub's version.
    fn reach(&self, name: &str) -> BTreeMap<&str, Type> {
        let (mut out, mut todo) = (BTreeMap::<&str, Type>::new(), vec![name]);
        while let Some(name) = todo.pop() {
            let Some((name, ty)) = self.superset.types.get_key_value(name) else { continue };
            if out.contains_key(&**name) {
                continue;
            }
            let of_hub = ty.fields().iter().filter_map(|field| field.ty.named()).filter(|id| id.of_hub);
            todo.extend(of_hub.map(|id| id.name.as_str()));
            let id_of = |name: &str| TypeId::of_hub(GroupVersion::default(), name);
            out.insert(&**name, with_ids(ty, id_of(name), id_of));
        }
        out
    }
}

/// A type of a hub with other ids of the hub's types.
fn with_ids(ty: &Type, id: TypeId, id_of: impl Fn(&str) -> TypeId) -> Type {
    let mut ty = Type { id, ..ty.clone() };
    let TypeBody::Struct(fields) = &mut ty.body;
    for id in fields.iter_mut().filter_map(|field| field.ty.named_mut()).filter(|id| id.of_hub) {
        *id = id_of(&id.name);
    }
    ty
}

/// The rules of each family with their index, by the family's title.
pub(crate) fn by_title<'a>(
    rules: impl IntoIterator<Item = &'a Rules>,
) -> BTreeMap<String, (usize, &'a Rules)> {
    let title = |rules: &Rules| format!("{} {}", rules.hub.value.group_or_core(), rules.kind.value);
    rules.into_iter().enumerate().map(|(index, rules)| (title(rules), (index, rules))).collect()
}
