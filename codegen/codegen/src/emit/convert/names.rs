//! Names the functions of pairs of types. Several kinds may contain a type, and each may have rules of its own for it.

use std::collections::BTreeMap;

use hubgen_model::{GroupVersion, TypeId};
use hubgen_plan::program::ops::Op;
use hubgen_plan::{Direction, FamilyPlan, Mapping, Pair, Value};

use crate::naming::snake;

/// A pair of types and all pairs below it.
type Reach<'a> = BTreeMap<&'a (TypeId, TypeId), &'a Pair>;

/// The kinds whose functions for a type are the same, and what these functions are made of.
struct Users<'a> {
    kinds: Vec<&'a FamilyPlan>,
    reach: Reach<'a>,
}

/// Which kinds have the same functions for a type of a version.
#[derive(Default)]
pub(super) struct Names<'a> {
    /// By the version that contains the functions, and the name of the type.
    users: BTreeMap<&'a GroupVersion, BTreeMap<&'a str, Vec<Users<'a>>>>,
}

impl<'a> Names<'a> {
    /// Adds the functions that the module of a version contains for a kind.
    pub(super) fn add(&mut self, plan: &'a FamilyPlan, root: &'a TypeId, mapping: &'a Mapping) {
        for key in mapping.pairs.keys() {
            let of_version = self.users.entry(&root.group_version).or_default();
            let users = of_version.entry(&key.0.name).or_default();
            let reach = reach(mapping, key);
            match users.iter_mut().find(|users| users.reach == reach) {
                Some(known) => known.kinds.push(plan),
                None => users.push(Users { kinds: vec![plan], reach }),
            }
        }
    }

    /// The function for a type, as the module of a version has it for a kind: `ref_to_hub`, or `ref_of_cluster_to_hub` if
    /// other kinds convert the type in another way. Kinds with the same functions share one name, that of the first of
    /// them: a type in which all of them have this type then calls the same function for each.
    pub(super) fn function(
        &self,
        module: &GroupVersion,
        plan: &'a FamilyPlan,
        version: &TypeId,
        direction: Direction,
    ) -> String {
        let mut name = snake(&version.name);
        if self.users(module, version).len() > 1 {
            let first = self.kinds(module, plan, version)[0];
            name = format!("{name}_of_{}", snake(&first.family.kind));
        }
        match direction {
            Direction::ToHub => format!("{name}_to_hub"),
            Direction::FromHub => format!("{name}_from_hub"),
        }
    }

    /// The kinds that use the function of a kind for a type.
    pub(super) fn kinds(
        &self,
        module: &GroupVersion,
        plan: &'a FamilyPlan,
        version: &TypeId,
    ) -> Vec<&'a FamilyPlan> {
        let has_kind = |users: &&Users<'_>| users.kinds.iter().any(|kind| std::ptr::eq(*kind, plan));
        let users = self.users(module, version).iter().find(has_kind);
        users.map_or_else(|| vec![plan], |users| users.kinds.clone())
    }

    fn users(&self, module: &GroupVersion, version: &TypeId) -> &[Users<'a>] {
        let of_version = self.users.get(module);
        of_version.and_then(|types| types.get(&*version.name)).map_or(&[], Vec::as_slice)
    }
}

/// A pair and all pairs that its conversion reaches.
fn reach<'a>(mapping: &'a Mapping, key: &'a (TypeId, TypeId)) -> Reach<'a> {
    let mut out = Reach::new();
    let mut todo = vec![key];
    while let Some(key) = todo.pop() {
        let Some(pair) = mapping.pairs.get(key).filter(|_| !out.contains_key(key)) else { continue };
        out.insert(key, pair);
        for value in
            [&pair.to_hub, &pair.from_hub].into_iter().flat_map(|program| &program.ops).flat_map(Op::values)
        {
            if let Value::Pair(version, hub) = value.innermost() {
                let next = mapping.pairs.get_key_value(&(version.clone(), hub.clone()));
                todo.extend(next.map(|(key, _)| key));
            }
        }
    }
    out
}
