//! Where a field goes in other versions, for its docs.

use std::collections::{BTreeMap, BTreeSet};

use hubgen_model::TypeId;
use hubgen_plan::{FamilyPlan, HUB, How, Link, Place};

/// By type and field, what other versions make of it.
#[derive(Default)]
pub struct Elsewhere {
    /// Places in the hub, by what the hub is called.
    moved: BTreeMap<(TypeId, String), BTreeMap<String, BTreeSet<String>>>,
    /// What the field always says.
    constant: BTreeMap<(TypeId, String), String>,
    /// Versions that cannot say it.
    kept: BTreeMap<(TypeId, String), BTreeSet<String>>,
}

impl Elsewhere {
    /// Gathers it from the plans of all families.
    pub fn find(plans: &[FamilyPlan]) -> Self {
        let mut out = Self::default();
        for plan in plans {
            for member in &plan.members {
                let How::Convert(mapping) = &member.how else { continue };
                for ((version, hub), pair) in &mapping.pairs {
                    for link in &pair.links {
                        out.note(version, hub, &member.group_version.api_version(), link);
                    }
                }
            }
        }
        out
    }

    fn note(&mut self, version: &TypeId, hub: &TypeId, api_version: &str, link: &Link) {
        match link {
            Link::Copy { version: from, hub: to, .. } if from.names() != to.names() => {
                self.moved(version, from, hub, format!("`{to}`"));
            }
            Link::Element { version: from, list, .. } => {
                self.moved(version, from, hub, format!("an element of `{list}`"));
            }
            Link::Split { version: from, number, name } => {
                self.moved(version, from, hub, format!("`{number}`"));
                self.moved(version, from, hub, format!("`{name}`"));
            }
            Link::Constant { version: from, value } => {
                self.constant.insert(key(version, from), value.clone());
            }
            Link::Kept { hub: place } => {
                self.kept.entry(key(hub, place)).or_default().insert(format!("`{api_version}`"));
            }
            Link::Hoist { version: from, list, element, .. }
            | Link::Head { version: from, list, element, .. } => {
                self.moved(version, from, hub, format!("`{}` of `{list}`", element.name));
            }
            Link::Function { version: from, hub: to, .. } => {
                let to: Vec<String> = to.iter().map(|place| format!("`{place}`")).collect();
                for from in from {
                    self.moved(version, from, hub, to.join(", "));
                }
            }
            Link::Copy { .. } | Link::Tag { .. } | Link::Always { .. } => {}
        }
    }

    fn moved(&mut self, version: &TypeId, from: &Place, hub: &TypeId, to: String) {
        let place = if hub.group_version.version == HUB {
            "In the hub".to_owned()
        } else {
            format!("In `{}`", hub.group_version.api_version())
        };
        self.moved.entry(key(version, from)).or_default().entry(place).or_default().insert(to);
    }

    /// Sentences about a field.
    pub fn sentences(&self, owner: &TypeId, field: &str) -> Vec<String> {
        let key = (owner.clone(), field.to_owned());
        let list = |items: &BTreeSet<String>| items.iter().cloned().collect::<Vec<_>>().join(", ");
        let mut out: Vec<String> =
            self.constant.get(&key).map(|value| format!("Always `{value}`.")).into_iter().collect();
        for (place, targets) in self.moved.get(&key).into_iter().flatten() {
            out.push(format!("{place}: {}.", list(targets)));
        }
        out.extend(self.kept.get(&key).map(|versions| format!("Kept in annotations by {}.", list(versions))));
        out
    }
}

/// The field of the type that the way begins with.
fn key(owner: &TypeId, place: &Place) -> (TypeId, String) {
    (owner.clone(), place.names().first().map_or_else(String::new, |name| (*name).to_owned()))
}
