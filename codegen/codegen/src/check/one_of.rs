//! Checks that enums of objects in users' source can be converted: variant by variant, and by nothing that names a
//! field in them.

use hubgen_documents::schema::Fault;
use hubgen_model::TypeId;
use hubgen_plan::program::Op;
use hubgen_plan::program::ops::Absence;
use hubgen_plan::{FamilyPlan, How, Pair, ResolvedPath, Types};

use super::Faults;
use crate::rust::Written;

/// All enums of objects that do not convert.
pub fn one_of(types: Types<'_>, plans: &[FamilyPlan], written: &Written) -> Vec<Fault> {
    let mut check = Check { types, written, faults: Faults::default() };
    for plan in plans {
        for member in &plan.members {
            let How::Convert(mapping) = &member.how else { continue };
            for ((version, hub), pair) in &mapping.pairs {
                check.pair(version, hub, pair);
            }
            for kept in &mapping.kept {
                check.path(&plan.hub, &kept.path);
            }
        }
    }
    check.faults.once()
}

struct Check<'a> {
    types: Types<'a>,
    written: &'a Written,
    faults: Faults,
}

impl Check<'_> {
    fn pair(&mut self, version: &TypeId, hub: &TypeId, pair: &Pair) {
        for (program, from, to) in [(&pair.to_hub, version, hub), (&pair.from_hub, hub, version)] {
            for path in program.ops.iter().flat_map(read) {
                self.path(from, path);
            }
            for path in program.ops.iter().flat_map(Op::writes) {
                self.path(to, path);
            }
        }
        if !self.written.is_one_of(version) && !self.written.is_one_of(hub) {
            return;
        }
        if self.written.is_one_of(version) != self.written.is_one_of(hub) {
            // The hub has fields of several versions then, and is a struct.
            let (this, other) = if self.written.is_one_of(version) { (version, hub) } else { (hub, version) };
            let message = format!("`{}` is an enum of objects, but a struct in {}", this.name, place(other));
            return self.faults.ty(this, message, "write a struct with an optional field for each variant");
        }
        let variants = |id: &TypeId| self.types.find(id).map_or(0, |ty| ty.fields().len());
        for (program, from, to) in [(&pair.to_hub, version, hub), (&pair.from_hub, hub, version)] {
            let is_empty_absent =
                |op: &Op| op.copy().is_some_and(|copy| copy.absence == Absence::EmptyIsAbsent);
            if program.ops.iter().any(is_empty_absent) {
                let message = format!(
                    "`{}` is an enum of objects, of which one is there, be it empty or not",
                    version.name
                );
                let help = "remove its fields from `empty-is-absent`, and name the field that contains it";
                return self.faults.ty(version, message, help);
            }
            let copied = program.ops.iter().filter(|op| matches!(op, Op::Copy(_))).count();
            if copied != program.ops.len() || copied != variants(from) || copied != variants(to) {
                let message = format!(
                    "`{}` does not have the same variants in {} and {}",
                    version.name,
                    place(version),
                    place(hub)
                );
                let help = "an object has exactly one of the variants: give both versions the same ones, or write structs with an optional field for each";
                return self.faults.ty(version, message, help);
            }
        }
    }

    /// Refuses a path through an enum.
    fn path(&mut self, root: &TypeId, path: &ResolvedPath) {
        let mut owner = root.clone();
        for field in &path.0 {
            if self.written.is_one_of(&owner) && path.0.len() > 1 {
                let message = format!(
                    "a rule about `{}` names a field in `{}`, which is an enum of objects",
                    path.names().join("."),
                    owner.name
                );
                let help = "write a struct with an optional field for each variant, or remove the rule";
                return self.faults.field(&owner, &field.name, message, help);
            }
            let Some(next) = field.ty.named() else { return };
            owner = next.clone();
        }
    }
}

/// All fields that an op reads, those included that have no effect if they are absent.
fn read(op: &Op) -> Vec<&ResolvedPath> {
    let mut out = op.reads();
    match op {
        Op::Word { cases, .. } => out.extend(cases.iter().map(|(path, _)| path)),
        Op::ToElement { element, .. } => out.push(&element.field),
        Op::Drop { from } => out.push(from),
        _ => {}
    }
    out
}

fn place(id: &TypeId) -> String {
    if id.of_hub { "the hub".to_owned() } else { id.group_version.to_string() }
}
