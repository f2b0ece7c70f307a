//! The plan of a family's conversions, as data.

use std::collections::BTreeSet;

use hubgen_model::{Field, GroupVersion, TypeId};

use crate::program::Mapping;
use crate::program::ops::{FieldCopy, Op, TypedTable};
use crate::program::{Callee, Direction};
use crate::{Family, ResolvedPath, Value};

/// The words of an op.
fn words_of<'a>(op: &'a Op, direction: Direction, out: &mut BTreeSet<(&'a str, &'a str)>) {
    match op {
        Op::Word { to, cases, otherwise } => {
            let words = cases.iter().map(|(_, word)| word).chain([otherwise]);
            out.extend(words.map(|word| (&*to.field().name, &**word)));
        }
        Op::Call { function: Callee::Table(TypedTable { table, .. }), from, to } => {
            for row in &table.rows {
                let (reads, writes) = match direction {
                    Direction::ToHub => (&row.version, &row.hub),
                    Direction::FromHub => (&row.hub, &row.version),
                };
                for (path, cell) in from.iter().zip(reads).chain(to.iter().zip(writes)) {
                    out.extend(cell.examples(&path.field().name));
                }
            }
        }
        Op::Rest(rest) => {
            let given = rest.given.iter().map(|place| &*place.field().name);
            out.extend(given.chain(rest.conflicts()).map(|name| (Field::REST, name)));
        }
        Op::FromElement { element, .. } => {
            out.extend(element.when.iter().map(|(place, word)| (&*place.field().name, &**word)));
        }
        _ => {}
    }
}

/// How a family converts.
#[derive(Clone, Debug, PartialEq)]
pub struct FamilyPlan {
    /// The family.
    pub family: Family,
    /// The type of the hub.
    pub hub: TypeId,
    /// All members.
    pub members: Vec<Member>,
    /// Annotations that have a meaning at some version. A hub has none of them.
    pub reserved: BTreeSet<String>,
}

impl FamilyPlan {
    /// Whether some version needs the stash for what it cannot represent.
    pub fn keeps(&self) -> bool {
        self.members.iter().any(|member| matches!(&member.how, How::Convert(mapping) if !mapping.exact))
    }

    /// The string values that the rules look for or write, each with the name of its field.
    pub fn words(&self) -> BTreeSet<(&str, &str)> {
        let mut out = BTreeSet::new();
        for member in &self.members {
            let How::Convert(mapping) = &member.how else { continue };
            for expected in mapping.expected_to_hub.iter().chain(&mapping.expected_from_hub) {
                let name = expected.path.rsplit('.').next().unwrap_or_default();
                out.extend(expected.words.iter().map(|word| (name, &**word)));
            }
            for FieldCopy { to, value, .. } in
                mapping.pairs.values().flat_map(|pair| pair.to_hub.ops.iter().filter_map(Op::copy))
            {
                if let Value::Number(form, _) = value.innermost() {
                    out.extend(form.examples().map(|text| (&*to.field().name, text)));
                }
            }
            for pair in mapping.pairs.values() {
                pair.to_hub.ops.iter().for_each(|op| words_of(op, Direction::ToHub, &mut out));
                pair.from_hub.ops.iter().for_each(|op| words_of(op, Direction::FromHub, &mut out));
            }
        }
        out
    }

    /// The fields that a version has once, and the hub in each element of a list. Lists in lists are left out.
    pub fn hoisted(&self, version: &GroupVersion) -> Vec<Hoisted> {
        let Some(member) = self.members.iter().find(|member| member.group_version == *version) else {
            return Vec::new();
        };
        let How::Convert(mapping) = &member.how else { return Vec::new() };
        let mut hoisted = Vec::new();
        let mut seen = BTreeSet::new();
        let mut todo = vec![((member.root.clone(), self.hub.clone()), Vec::new())];
        while let Some((key, above)) = todo.pop() {
            let Some(pair) = mapping.pairs.get(&key).filter(|_| seen.insert(key.clone())) else { continue };
            let path = |path: &ResolvedPath| -> Vec<String> {
                above.iter().cloned().chain(path.names().into_iter().map(str::to_owned)).collect()
            };
            for op in &pair.to_hub.ops {
                match op {
                    Op::Copy(FieldCopy { from, value: Value::Pair(version, hub), .. }) => {
                        todo.push(((version.clone(), hub.clone()), path(from)));
                    }
                    Op::Spread { list, each, .. } if !each.is_empty() => hoisted.push(Hoisted {
                        list: path(&list.from).join("."),
                        fields: each.iter().map(|each| path(&each.field).join(".")).collect(),
                    }),
                    _ => {}
                }
            }
        }
        hoisted
    }

    /// Whether the hub is a separate type.
    pub fn has_own_hub(&self) -> bool {
        self.hub.of_hub
    }
}

/// Fields that a version has once, and its hub in each element of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hoisted {
    /// The path of the list: `spec.versions`.
    pub list: String,
    /// The paths of the fields.
    pub fields: Vec<String>,
}

/// A member of a family.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Its group version.
    pub group_version: GroupVersion,
    /// Its type.
    pub root: TypeId,
    /// How it converts.
    pub how: How,
    /// Paths at which its objects may be invalid after a conversion, as its rules accept it.
    pub may_be_invalid: Vec<String>,
}

/// How a version converts.
#[derive(Clone, Debug, PartialEq)]
pub enum How {
    /// Through the hub.
    Convert(Mapping),
    /// Not at all, for this reason.
    NotConvertible(String),
}
