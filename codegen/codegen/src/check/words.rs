//! Checks that the enums in users' source can be converted: generated ones contain every word, but users may write
//! enums that do not.

use std::collections::BTreeSet;

use hubgen_documents::schema::Fault;
use hubgen_model::TypeId;
use hubgen_plan::program::Op;
use hubgen_plan::program::ops::FieldCopy;
use hubgen_plan::sharing::Sharing;
use hubgen_plan::{Direction, FamilyPlan, How, Types};

use super::Faults;
use crate::enums::{Enum, Enums, owner, strings};
use crate::rust::Written;

/// All fields whose enums lack a word of another version, or that a rule needs as strings.
pub fn words(
    types: Types<'_>,
    sharing: &Sharing,
    plans: &[FamilyPlan],
    enums: &Enums<'_>,
    written: &Written,
) -> Vec<Fault> {
    let mut faults = Faults::default();
    let needed: BTreeSet<_> = strings::required(types, sharing, plans).into_iter().collect();
    for (id, field) in &needed {
        if let Some(words) = types.find(id).and_then(|ty| enums.field(id, ty.field(field)?))
            && written.words.contains_key(&words.id)
        {
            let (sort, help) = match written.words[&words.id].leaf {
                Some(_) => ("leaf", "write `Str`"),
                None => ("enum", "write `Str`, and list the words with `one_of(…)`"),
            };
            let message =
                format!("a rule about `{field}` needs text, and its type is the {sort} `{}`", words.id.name);
            faults.field(id, field, message, help);
        }
    }
    let mut check = Check { types, enums, faults };
    for plan in plans {
        for member in &plan.members {
            let How::Convert(mapping) = &member.how else { continue };
            for ((version, hub), pair) in &mapping.pairs {
                pair.to_hub.ops.iter().for_each(|op| check.op(op, Direction::ToHub, version, hub));
                pair.from_hub.ops.iter().for_each(|op| check.op(op, Direction::FromHub, version, hub));
            }
        }
    }
    check.faults.once()
}

struct Check<'a> {
    types: Types<'a>,
    enums: &'a Enums<'a>,
    faults: Faults,
}

impl<'a> Check<'a> {
    fn op(&mut self, op: &Op, direction: Direction, version: &TypeId, hub: &TypeId) {
        let (from, to) = match direction {
            Direction::ToHub => (version, hub),
            Direction::FromHub => (hub, version),
        };
        match op {
            Op::Copy(copy) => self.copy(copy, direction, from, to),
            Op::Word { to: path, cases, otherwise } => {
                let (Some(words), Some(owner)) = (self.closed(to, path), owner(self.types, to, path)) else {
                    return;
                };
                let all = cases.iter().map(|(_, word)| word).chain([otherwise]);
                for word in all.filter(|word| words.variant(word).is_none()) {
                    let (what, help) = match words.is_leaf {
                        true => ("which may be no value", "write `#[leaf(text, other, …)]` on it".to_owned()),
                        false => ("which is no variant", add(word, words)),
                    };
                    let message = format!("a rule sets the field to `{word}`, {what} of `{}`", words.id.name);
                    self.faults.field(&owner, &path.field().name, message, &help);
                }
            }
            _ => {}
        }
    }

    fn copy(&mut self, copy: &FieldCopy, direction: Direction, from: &TypeId, to: &TypeId) {
        let source = self.enums.at(self.types, from, &copy.from);
        if !copy.value.innermost().translations(direction).is_empty() {
            let has_leaf = [self.no_leaf(from, &copy.from), self.no_leaf(to, &copy.to)];
            if has_leaf.contains(&true) {
                return;
            }
        }
        let Some(target) = self.closed(to, &copy.to) else { return };
        if source.is_some_and(|source| source.id == target.id) {
            return;
        }
        // A hub of its own has no place in a file: the field of the version is what people can change.
        let (root, path) = match direction {
            Direction::ToHub => (from, &copy.from),
            Direction::FromHub => (to, &copy.to),
        };
        let Some(owner) = owner(self.types, root, path) else { return };
        let mut fault = |message, help: &str| self.faults.field(&owner, &path.field().name, message, help);
        let at = |id: &TypeId| match id.of_hub {
            true => "the hub".to_owned(),
            false => id.group_version.to_string(),
        };
        if target.is_leaf {
            let message = format!(
                "the field may contain any text at {}, but only what the leaf `{}` accepts at {}",
                at(from),
                target.id.name,
                at(to)
            );
            let help = format!(
                "use `{0}` in all versions, or write `#[leaf(text, other, …)]` on it: it then keeps other texts",
                target.id.name
            );
            return fault(message, &help);
        }
        let Some(source @ Enum { other: None, .. }) = source else {
            let message = format!(
                "the field may contain any text at {}, but only the words of the enum `{}` at {}",
                at(from),
                target.id.name,
                at(to)
            );
            let help = format!("add `#[field(other)] Other(Str)` to `{}`", target.id.name);
            return fault(message, &help);
        };
        let translations = copy.value.innermost().translations(direction);
        for variant in &source.variants {
            let word = &*variant.word;
            let word = translations.iter().find(|(from, _)| *from == word).map_or(word, |(_, to)| *to);
            if target.variant(word).is_none() {
                let message = format!(
                    "the enum `{}` of {} has no variant for `{word}`, which {} has",
                    target.id.name,
                    at(to),
                    at(from)
                );
                fault(message, &add(word, target));
            }
        }
    }

    /// Refuses a leaf where words are translated. Returns whether there is one.
    fn no_leaf(&mut self, root: &TypeId, path: &hubgen_plan::ResolvedPath) -> bool {
        let (Some(leaf), Some(owner)) = (
            self.enums.at(self.types, root, path).filter(|found| found.is_leaf),
            owner(self.types, root, path),
        ) else {
            return false;
        };
        let name = &path.field().name;
        let message =
            format!("a rule about `{name}` needs text, and its type is the leaf `{}`", leaf.id.name);
        self.faults.field(&owner, name, message, "write `Str`");
        true
    }

    /// The enum of a field, if it contains no other words.
    fn closed(&self, root: &TypeId, path: &hubgen_plan::ResolvedPath) -> Option<&'a Enum> {
        self.enums.at(self.types, root, path).filter(|words| words.other.is_none())
    }
}

fn add(word: &str, to: &Enum) -> String {
    format!(
        "add a variant for `{word}` to `{0}`, or `#[field(other)] Other(Str)`, which contains all other words",
        to.id.name
    )
}
