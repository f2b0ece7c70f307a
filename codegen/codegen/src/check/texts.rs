//! Which texts and maps of users' types are `String` and `BTreeMap`, not `Str` and `StrMap`.
//!
//! Conversions move texts. A hub of its own therefore has the types that the versions have, and all versions of a field
//! need the same.

use std::collections::BTreeMap;

use hubgen_documents::schema::Fault;
use hubgen_model::{Field, TypeId};
use hubgen_plan::program::ops::FieldCopy;
use hubgen_plan::program::{Callee, Op};
use hubgen_plan::{Direction, FamilyPlan, How, Pair, ResolvedPath, Types};

use super::Faults;
use crate::enums::owner;
use crate::rust::Written;

/// The texts and maps of fields.
#[derive(Default)]
pub struct Texts {
    /// For each text and map in a field, from the outside: whether it is of the standard library.
    fields: BTreeMap<(TypeId, String), Vec<bool>>,
}

impl Texts {
    /// Finds the types of a hub's fields.
    ///
    /// # Errors
    /// If a field has other types in another version, or if a rule needs others.
    pub fn find(types: Types<'_>, plans: &[FamilyPlan], written: &Written) -> Result<Self, Vec<Fault>> {
        let mut fields = BTreeMap::new();
        for (id, of_type) in &written.standard {
            fields.extend(of_type.iter().map(|(name, it)| ((id.clone(), name.clone()), it.clone())));
        }
        let mut search =
            Search { types, texts: Self { fields }, hubs: BTreeMap::new(), faults: Faults::default() };
        for plan in plans {
            // The version of the hub first: others must have its types.
            let (first, others): (Vec<_>, Vec<_>) =
                plan.members.iter().partition(|member| member.group_version == plan.hub.group_version);
            for member in first.into_iter().chain(others) {
                let How::Convert(mapping) = &member.how else { continue };
                for ((version, hub), pair) in &mapping.pairs {
                    search.pair(version, hub, pair);
                }
            }
        }
        let Search { texts, faults, .. } = search;
        let refused = faults.once();
        if refused.is_empty() { Ok(texts) } else { Err(refused) }
    }

    /// For each text and map in a field, from the outside: whether it is of the standard library. Others follow.
    pub fn field(&self, owner: &TypeId, field: &Field) -> &[bool] {
        self.fields.get(&(owner.clone(), field.name.clone())).map_or(&[], Vec::as_slice)
    }
}

struct Search<'a> {
    types: Types<'a>,
    texts: Texts,
    /// From which type and field those of a hub's field are.
    hubs: BTreeMap<(TypeId, String), TypeId>,
    faults: Faults,
}

impl Search<'_> {
    fn pair(&mut self, version: &TypeId, hub: &TypeId, pair: &Pair) {
        for (program, direction) in [(&pair.to_hub, Direction::ToHub), (&pair.from_hub, Direction::FromHub)] {
            let (from, to) = match direction {
                Direction::ToHub => (version, hub),
                Direction::FromHub => (hub, version),
            };
            for op in &program.ops {
                match op {
                    Op::Copy(FieldCopy { from: source, to: target, .. }) => match direction {
                        Direction::ToHub => self.copy((version, source), (hub, target)),
                        Direction::FromHub => self.copy((version, target), (hub, source)),
                    },
                    // A word becomes either; functions of users have the types of the fields.
                    Op::Word { .. } | Op::Call { function: Callee::Own { .. }, .. } => {}
                    op => {
                        op.reads().into_iter().for_each(|path| self.needs_ours(from, path));
                        op.writes().into_iter().for_each(|path| self.needs_ours(to, path));
                    }
                }
            }
        }
    }

    fn copy(&mut self, (version, own): (&TypeId, &ResolvedPath), (hub, place): (&TypeId, &ResolvedPath)) {
        let (Some(version), Some(hub)) = (owner(self.types, version, own), owner(self.types, hub, place))
        else {
            return;
        };
        let here = self.texts.field(&version, own.field()).to_vec();
        let key = (hub.clone(), place.field().name.clone());
        if hub.of_hub && !self.hubs.contains_key(&key) {
            self.hubs.insert(key.clone(), version);
            self.texts.fields.insert(key, here);
            return;
        }
        let there = self.texts.field(&hub, place.field());
        // The same without any of the standard library: a `Str` may be an enum of words elsewhere.
        if here == there || !here.iter().chain(there).any(|is_standard| *is_standard) {
            return;
        }
        let other = self.hubs.get(&key).unwrap_or(&hub);
        let names = |types: &[bool]| match types.iter().any(|is_standard| *is_standard) {
            true => "`String` or `BTreeMap`",
            false => "`Str`, `StrMap` or an enum",
        };
        let message =
            format!("the field is made of {} here, and of {} in {other}", names(&here), names(there),);
        let help = "write the same types in all versions, because conversions move texts and maps";
        self.faults.field(&version, &own.field().name, message, help);
    }

    fn needs_ours(&mut self, root: &TypeId, path: &ResolvedPath) {
        let Some(owner) = owner(self.types, root, path) else { return };
        if !owner.of_hub && self.texts.field(&owner, path.field()).contains(&true) {
            let message = "a rule about the field needs the texts and maps of hubgen-machinery".to_owned();
            let help = "write `Str` for `String`, and `StrMap` for `BTreeMap`, in all versions";
            self.faults.field(&owner, &path.field().name, message, help);
        }
    }
}
