//! The fields that conversions need as strings.

use std::collections::HashSet;

use hubgen_model::rules::Form;
use hubgen_model::{Field, TypeId};
use hubgen_plan::program::ops::{FieldCopy, Op};
use hubgen_plan::sharing::Sharing;
use hubgen_plan::{FamilyPlan, How, Mapping, ResolvedPath, Types, Value};

use super::owner;

/// Fields by the types that contain them, and their JSON names.
pub(crate) type Fields = HashSet<(TypeId, String)>;

/// The fields that functions take or return, that elements of lists are selected by, or that
/// annotations contain. All others are copied, and an enum and a string convert to each other.
pub(crate) fn required(types: Types<'_>, sharing: &Sharing, plans: &[FamilyPlan]) -> Fields {
    let mut found = Required { types, sharing, fields: Fields::new() };
    for plan in plans {
        for member in &plan.members {
            if let How::Convert(mapping) = &member.how {
                found.mapping(&plan.hub, mapping);
            }
        }
    }
    found.fields
}

struct Required<'a> {
    types: Types<'a>,
    sharing: &'a Sharing,
    fields: Fields,
}

impl Required<'_> {
    fn mapping(&mut self, hub_root: &TypeId, mapping: &Mapping) {
        for ((version, hub), pair) in &mapping.pairs {
            pair.to_hub.ops.iter().for_each(|op| self.op(op, version, hub));
            pair.from_hub.ops.iter().for_each(|op| self.op(op, hub, version));
        }
        for kept in mapping.kept.iter().filter(|kept| !matches!(kept.annotation.form, Form::Version(_))) {
            self.at(hub_root, &kept.path);
        }
    }

    fn op(&mut self, op: &Op, from: &TypeId, to: &TypeId) {
        match op {
            Op::Copy(copy) => self.copy(copy, from, to),
            // The word converts to what the field is, and JSON to either.
            Op::Word { .. } | Op::Drop { .. } | Op::Rest(_) => {}
            Op::Call { from: arguments, to: results, .. } => {
                arguments.iter().for_each(|path| self.at(from, path));
                results.iter().for_each(|path| self.at(to, path));
            }
            Op::Split { name, .. } => self.at(to, name),
            Op::Join { name, .. } => self.at(from, name),
            Op::ToElement { element, .. } | Op::FromElement { element, .. } => {
                let version = if matches!(op, Op::ToElement { .. }) { from } else { to };
                self.at(version, &element.field);
                self.at(&element.id, &element.value);
                element.when.iter().for_each(|(path, _)| self.at(&element.id, path));
            }
            Op::Spread { list, first, each } | Op::Gather { list, first, each } => {
                self.copy(list, from, to);
                // The fields beside the list are those of the version, and the elements' are those of the hub.
                let (version, hub_list) = match op {
                    Op::Spread { .. } => (from, &list.to),
                    _ => (to, &list.from),
                };
                let element = hub_list.field().ty.named().cloned();
                for each in each {
                    self.at(version, &each.field);
                    element.iter().for_each(|id| self.field(id, &each.element));
                }
                for first in first {
                    self.at(version, &first.field);
                    self.field(&first.id, &first.element);
                }
            }
        }
    }

    fn copy(&mut self, copy: &FieldCopy, from: &TypeId, to: &TypeId) {
        let Value::Wrapped(id, name) = copy.value.innermost() else { return };
        self.at(from, &copy.from);
        self.at(to, &copy.to);
        if let Some(field) = self.types.find(id).and_then(|ty| ty.field(name)) {
            self.field(id, field);
        }
    }

    fn at(&mut self, root: &TypeId, path: &ResolvedPath) {
        if let Some(owner) = owner(self.types, root, path) {
            self.field(&owner, path.field());
        }
    }

    fn field(&mut self, owner: &TypeId, field: &Field) {
        self.fields.insert((self.sharing.representing(owner).clone(), field.name.clone()));
    }
}
