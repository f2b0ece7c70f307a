//! Collects the counterparts of a field in other versions, for its docs.

use std::collections::{BTreeMap, BTreeSet};

use hubgen_model::TypeId;
use hubgen_plan::program::ops::Op;
use hubgen_plan::{FamilyPlan, How, ResolvedPath};

/// The counterparts of fields in other versions, by type and field.
#[derive(Default)]
pub struct Elsewhere {
    /// Paths in the hub, by the description of the hub.
    moved: BTreeMap<(TypeId, String), BTreeMap<String, BTreeSet<String>>>,
    /// The value of fields that are constant.
    constant: BTreeMap<(TypeId, String), String>,
    /// The paths from the type, through the field, to what conversions drop.
    dropped: BTreeMap<(TypeId, String), BTreeSet<String>>,
    /// The versions that cannot represent the field.
    kept: BTreeMap<(TypeId, String), BTreeSet<String>>,
}

impl Elsewhere {
    /// Collects the counterparts from the plans of all families.
    pub fn find(plans: &[FamilyPlan]) -> Self {
        let mut out = Self::default();
        for plan in plans {
            for member in &plan.members {
                let How::Convert(mapping) = &member.how else { continue };
                for ((version, hub), pair) in &mapping.pairs {
                    for op in &pair.from_hub.ops {
                        out.note(version, hub, op);
                    }
                    for op in &pair.to_hub.ops {
                        if let Op::Drop { from } = op {
                            out.dropped.entry(key(version, from)).or_default().insert(format!("`{from}`"));
                        }
                    }
                    for place in &pair.kept {
                        let versions = out.kept.entry(key(hub, place)).or_default();
                        versions.insert(format!("`{}`", member.group_version.api_version()));
                    }
                }
            }
        }
        out
    }

    /// Records the field of the hub that a field of the version is converted from.
    fn note(&mut self, version: &TypeId, hub: &TypeId, op: &Op) {
        if let Some(copy) = op.copy().filter(|copy| copy.from.names() != copy.to.names()) {
            self.moved(version, &copy.to, hub, format!("`{}`", copy.from));
        }
        match op {
            Op::FromElement { list, element, .. } => {
                self.moved(version, &element.field, hub, format!("an element of `{list}`"));
            }
            Op::Join { number, name, to } => {
                self.moved(version, to, hub, format!("`{number}`"));
                self.moved(version, to, hub, format!("`{name}`"));
            }
            Op::Word { to, otherwise, .. } => {
                self.constant.insert(key(version, to), otherwise.clone());
            }
            Op::Gather { list, first, each } => {
                let first = first.iter().map(|first| (&first.field, &first.element));
                for (field, element) in first.chain(each.iter().map(|each| (&each.field, &each.element))) {
                    self.moved(version, field, hub, format!("`{}` of `{}`", element.name, list.from));
                }
            }
            Op::Call { from, to, .. } => {
                let from: Vec<String> = from.iter().map(|place| format!("`{place}`")).collect();
                for to in to {
                    self.moved(version, to, hub, from.join(", "));
                }
            }
            Op::Copy(_)
            | Op::Drop { .. }
            | Op::Split { .. }
            | Op::ToElement { .. }
            | Op::Spread { .. }
            | Op::Rest(_) => {}
        }
    }

    fn moved(&mut self, version: &TypeId, from: &ResolvedPath, hub: &TypeId, to: String) {
        let place = if hub.of_hub {
            "In the hub".to_owned()
        } else {
            format!("In `{}`", hub.group_version.api_version())
        };
        self.moved.entry(key(version, from)).or_default().entry(place).or_default().insert(to);
    }

    /// Sentences about a field, for its docs.
    pub fn sentences(&self, owner: &TypeId, field: &str) -> Vec<String> {
        let key = (owner.clone(), field.to_owned());
        let list = |items: &BTreeSet<String>| items.iter().cloned().collect::<Vec<_>>().join(", ");
        let mut out: Vec<String> =
            self.constant.get(&key).map(|value| format!("Always `{value}`.")).into_iter().collect();
        for (place, targets) in self.moved.get(&key).into_iter().flatten() {
            out.push(format!("{place}: {}.", list(targets)));
        }
        out.extend(self.dropped.get(&key).map(|paths| format!("Conversions drop {}.", list(paths))));
        out.extend(
            self.kept.get(&key).map(|versions| format!("Stored in annotations at {}.", list(versions))),
        );
        out
    }
}

/// The field of the type that the path begins with.
fn key(owner: &TypeId, place: &ResolvedPath) -> (TypeId, String) {
    (owner.clone(), place.names().first().map_or_else(String::new, |name| (*name).to_owned()))
}
