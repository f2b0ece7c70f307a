//! Families: a kind with its versions and the groups it moved through.

use std::collections::BTreeMap;

use hubgen_model::{Api, Declared, GroupVersion};

/// A kind with its versions and the groups it moved through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Family {
    /// The kind's name, the same in every version.
    pub kind: String,
    /// Every group version that contains it, oldest first: first the groups that it moved away
    /// from, then its home group; versions by rank.
    pub members: Vec<GroupVersion>,
    /// The version that the others convert through, in the kind's home group.
    pub hub: GroupVersion,
}

impl Family {
    /// The current group of the kind.
    pub fn home(&self) -> &str {
        &self.hub.group
    }

    /// Whether there is more than one version.
    pub fn has_versions(&self) -> bool {
        self.members.len() > 1
    }

    /// The display name: `apps Deployment`.
    pub fn title(&self) -> String {
        format!("{} {}", self.hub.group_or_core(), self.kind)
    }
}

/// Every family of the API: the declared ones, and for every other kind the versions in its one
/// group, with the highest-ranked version as the hub.
///
/// Kinds that the API only refers to have no family here. Lists belong to no family, because they are converted item by
/// item. Neither do types of the API machinery, which are one type with the names of many versions.
pub fn families(api: &Api, declared: &[Declared]) -> Vec<Family> {
    let mut by_name: BTreeMap<(String, String), Vec<GroupVersion>> = BTreeMap::new();
    for ty in api.own_types().filter(|ty| !ty.is_list() && ty.id.group_version.group != "meta.k8s.io") {
        for name in ty.kind.iter().flat_map(|kind| &kind.registered) {
            let members = by_name.entry((name.group_version.group.clone(), name.kind.clone())).or_default();
            members.push(name.group_version.clone());
        }
    }
    let mut families = Vec::new();
    for declared in declared {
        let mut members = declared.members.clone();
        members
            .extend(by_name.remove(&(declared.hub.group.clone(), declared.kind.clone())).unwrap_or_default());
        for member in &declared.members {
            by_name.remove(&(member.group.clone(), declared.kind.clone()));
        }
        members.sort();
        members.dedup();
        members.sort_by_key(|member| member.group == declared.hub.group);
        families.push(Family { kind: declared.kind.clone(), members, hub: declared.hub.clone() });
    }
    for ((_, kind), mut members) in by_name {
        members.sort();
        members.dedup();
        let Some(hub) = members.last().cloned() else { continue };
        families.push(Family { kind, members, hub });
    }
    families.sort_by(|a, b| (a.home(), &a.kind).cmp(&(b.home(), &b.kind)));
    families
}
