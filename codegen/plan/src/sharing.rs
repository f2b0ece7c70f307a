//! The types that several versions of a family share.
//!
//! Types that are equal in JSON and on the protobuf wire are emitted once and re-exported, so that
//! converting them is a move. Facts that only servers check (required, list type, patch strategy)
//! are not compared: they are checked on the hub, by the newest definition. Kinds are never shared,
//! because each has a separate group and version.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use hubgen_model::{Api, Field, GroupVersion, Origin, Type, TypeExpr, TypeId};

use crate::Family;

/// Maps shared types to the type that represents them.
#[derive(Clone, Debug, Default)]
pub struct Sharing {
    canonical: HashMap<TypeId, TypeId>,
}

impl Sharing {
    /// The type that represents `id`: `id` itself, unless it is shared.
    pub fn representing<'a>(&'a self, id: &'a TypeId) -> &'a TypeId {
        self.canonical.get(id).unwrap_or(id)
    }

    /// The last type in the chain of representing types.
    fn last<'a>(&'a self, mut id: &'a TypeId) -> &'a TypeId {
        while let Some(next) = self.canonical.get(id) {
            id = next;
        }
        id
    }

    /// Whether another type represents `id`.
    pub fn is_shared(&self, id: &TypeId) -> bool {
        self.canonical.contains_key(id)
    }

    /// The number of shared types.
    pub fn len(&self) -> usize {
        self.canonical.len()
    }

    /// Whether no type is shared.
    pub fn is_empty(&self) -> bool {
        self.canonical.is_empty()
    }

    /// Whether two expressions are equal once shared types are replaced.
    pub fn same(&self, a: &TypeExpr, b: &TypeExpr) -> bool {
        expressions_equal(a, b, &mut |a, b| self.representing(a) == self.representing(b))
    }
}

/// Finds equal types. Within a group all versions are compared. Across groups, only types of
/// families that moved from one to the other are compared; then the type of the newer group
/// represents the older one.
pub fn canonical(api: &Api, families: &[Family]) -> Sharing {
    let mut homes: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for family in families {
        for member in family.members.iter().filter(|member| member.group != family.home()) {
            homes.entry(&member.group).or_default().insert(family.home());
        }
    }
    let mut equal = Equality { api, compared: HashMap::new() };
    let mut sharing = Sharing::default();
    for (group_version, version) in &api.versions {
        // Newest first, because it has the most facts.
        let own = api.versions.keys().rev().filter(|other| other.group == group_version.group);
        let moved_to = homes.get(group_version.group.as_str());
        let home = api
            .versions
            .keys()
            .rev()
            .filter(|other| moved_to.is_some_and(|groups| groups.contains(other.group.as_str())));
        // Users' source has a type for each version, even if these are equal.
        if version.origin == Origin::Written {
            continue;
        }
        let is_generated = |name: &&GroupVersion| api.versions[*name].origin != Origin::Written;
        let candidates: Vec<&GroupVersion> = home.chain(own).filter(is_generated).collect();
        for ty in version.types.values().filter(|ty| ty.kind.is_none()) {
            let stands_for = candidates
                .iter()
                .map(|candidate| TypeId::at((*candidate).clone(), &ty.id.name))
                .find(|candidate| *candidate == ty.id || equal.types(&ty.id, candidate));
            // If two groups took kinds from each other, the first type found represents
            // the second.
            if let Some(stands_for) = stands_for.filter(|other| *sharing.last(other) != ty.id) {
                sharing.canonical.insert(ty.id.clone(), stands_for);
            }
        }
    }
    // A group that kinds moved to may have lost other kinds since.
    let last = sharing.canonical.keys().map(|id| (id.clone(), sharing.last(id).clone())).collect();
    Sharing { canonical: last }
}

/// Whether two types are equal in JSON and on the protobuf wire, whether or not one represents the other.
pub(crate) fn are_equal(api: &Api, a: &TypeId, b: &TypeId) -> bool {
    Equality { api, compared: HashMap::new() }.types(a, b)
}

struct Equality<'a> {
    api: &'a Api,
    /// Pairs already compared. A pair counts as equal while it is compared, so that types that
    /// contain themselves can be equal.
    compared: HashMap<(TypeId, TypeId), bool>,
}

impl Equality<'_> {
    fn types(&mut self, a: &TypeId, b: &TypeId) -> bool {
        if a == b {
            return true;
        }
        let pair = (a.clone(), b.clone());
        if let Some(equal) = self.compared.get(&pair) {
            return *equal;
        }
        let (Some(first), Some(second)) = (self.api.find(a), self.api.find(b)) else { return false };
        self.compared.insert(pair.clone(), true);
        let equal = self.structs(first, second);
        if !equal {
            // Pairs found equal below may depend on this one.
            self.compared.retain(|_, equal| !*equal);
        }
        self.compared.insert(pair, equal);
        equal
    }

    fn structs(&mut self, a: &Type, b: &Type) -> bool {
        a.kind.is_none()
            && b.kind.is_none()
            && a.id.name == b.id.name
            && a.refuses_unknown == b.refuses_unknown
            && a.fields().len() == b.fields().len()
            && a.fields().iter().zip(b.fields()).all(|(a, b)| self.fields(a, b))
    }

    fn fields(&mut self, a: &Field, b: &Field) -> bool {
        a.name == b.name
            && a.presence == b.presence
            && a.omit == b.omit
            && a.number == b.number
            && expressions_equal(&a.ty, &b.ty, &mut |a, b| self.types(a, b))
    }
}

fn expressions_equal(a: &TypeExpr, b: &TypeExpr, types: &mut dyn FnMut(&TypeId, &TypeId) -> bool) -> bool {
    use TypeExpr::{List, Map, OrArray, OrBool, OrStrings, Ref};
    match (a, b) {
        (Ref(a), Ref(b)) => types(a, b),
        (List(a), List(b))
        | (Map(a), Map(b))
        | (OrArray(a), OrArray(b))
        | (OrBool(a), OrBool(b))
        | (OrStrings(a), OrStrings(b)) => expressions_equal(a, b, types),
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hubgen_model::{TypeBody, Version};

    fn api(groups: &[&str]) -> Api {
        let mut api = Api::default();
        for group in groups {
            let id = TypeId::new(*group, "v1", "Spec");
            let fields = vec![Field::new("name", TypeExpr::String)];
            let spec = Type {
                id: id.clone(),
                body: TypeBody::Struct(fields),
                kind: None,
                since: None,
                until: None,
                description: None,
                refuses_unknown: false,
                facts: None,
            };
            let types = [("Spec".to_owned(), spec)].into();
            api.versions.insert(id.group_version, Version { types, ..Version::default() });
        }
        api
    }

    fn moved(kind: &str, from: &str, to: &str) -> Family {
        let (from, hub) = (GroupVersion::new(from, "v1"), GroupVersion::new(to, "v1"));
        Family { kind: kind.to_owned(), members: vec![from, hub.clone()], hub }
    }

    /// One kind moved from a to b, another from b to c.
    #[test]
    fn a_representing_type_is_not_shared() {
        let (a, b, c) =
            (TypeId::new("a", "v1", "Spec"), TypeId::new("b", "v1", "Spec"), TypeId::new("c", "v1", "Spec"));
        let sharing = canonical(&api(&["a", "b", "c"]), &[moved("One", "a", "b"), moved("Two", "b", "c")]);
        assert_eq!(
            (sharing.representing(&a), sharing.representing(&b), sharing.representing(&c)),
            (&c, &c, &c)
        );
    }

    #[test]
    fn groups_are_shared_only_where_a_kind_moved() {
        let sharing = canonical(&api(&["a", "b"]), &[]);
        assert!(sharing.is_empty());
    }

    /// One kind moved there, another one moved back.
    #[test]
    fn two_groups_that_exchange_kinds_agree_on_one_type() {
        let families = [moved("One", "a", "b"), moved("Two", "b", "a")];
        let sharing = canonical(&api(&["a", "b"]), &families);
        assert_eq!(sharing.len(), 1, "{sharing:?}");
    }
}
