//! Checks that groups and versions become valid and distinct crates, modules and features.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use hubgen_model::rules::{Problem, Rules, Where};
use hubgen_model::{Api, GroupVersion, TypeId};

use super::Faults;
use crate::emit::{Module, crate_dir, is_ident};

/// Crates of this workspace that are not generated from a group.
const TAKEN: [&str; 17] = [
    "checks",
    "cli",
    "codegen",
    "derive",
    "derive-core",
    "diagnostic",
    "documents",
    "examples",
    "interpret",
    "kubernetes",
    "machinery",
    "model",
    "plan",
    "schemas",
    "server",
    "terminal",
    "tests",
];

/// Features and modules that every crate has.
const RESERVED: [&str; 3] = ["all", "default", "families"];

pub fn check(api: &Api, faults: &mut Faults) {
    let mut groups: BTreeMap<&str, &GroupVersion> = BTreeMap::new();
    for group_version in api.versions.keys() {
        let version = &group_version.version;
        if !is_ident(version) || RESERVED.contains(&version.as_str()) {
            faults.document(
                group_version,
                format!("`{version}` cannot be the name of a module and a feature"),
                "name versions as Kubernetes does: v1alpha1, v1beta2, v1",
            );
        }
        groups.entry(&group_version.group).or_insert(group_version);
    }
    let mut dirs: BTreeMap<&str, &GroupVersion> = BTreeMap::new();
    for first in groups.into_values() {
        let dir = crate_dir(&first.group);
        let is_package = dir.starts_with(|c: char| c.is_ascii_lowercase())
            && dir.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        if !is_package {
            faults.document(
                first,
                format!("the group's crate would be named `hubgen-{dir}`, which is not valid"),
                "name the group with a DNS name in lower case; its first label becomes the name of the crate",
            );
        } else if TAKEN.contains(&dir) {
            faults.document(
                first,
                format!(
                    "the group's crate would be named `hubgen-{dir}`, like another crate of this workspace"
                ),
                "give the group's name another first label",
            );
        } else if let Some(other) = dirs.insert(dir, first) {
            faults.document(
                first,
                format!(
                    "the group's crate would be named `hubgen-{dir}`, like the one of group {}",
                    other.group_or_core()
                ),
                "give one of the groups another first label, or generate them separately",
            );
        }
    }
    cycles(api, faults);
}

/// The groups whose types each group refers to, with one reference for each.
type Uses<'a, Reference> = BTreeMap<&'a str, BTreeMap<&'a str, Reference>>;

fn references(api: &Api) -> Uses<'_, (&TypeId, &str)> {
    let mut uses: Uses<'_, _> = BTreeMap::new();
    for ty in api.types() {
        for field in ty.fields() {
            let Some(target) = field.ty.named() else { continue };
            let (from, to) = (ty.id.group_version.group.as_str(), target.group_version.group.as_str());
            if from != to {
                uses.entry(from).or_default().entry(to).or_insert((&ty.id, field.name.as_str()));
            }
        }
    }
    uses
}

/// Reports cycles of dependencies between crates. Each cycle is reported at every reference in it,
/// since removing any one of them breaks it.
fn cycles(api: &Api, faults: &mut Faults) {
    let uses = references(api);
    for (from, targets) in &uses {
        for (to, (id, field)) in targets {
            let Some(path) = path(&uses, to, from) else { continue };
            faults.field(
                id,
                field,
                cycle(from, &path),
                "move the types that both groups need to a third group",
            );
        }
    }
}

/// Problems of families that would make the generated code invalid.
pub fn families(api: &Api, rules: &[Rules]) -> Vec<Problem> {
    [moves(api, rules), hubs(api, rules)].concat()
}

/// Hubs with more fields than their version are in a module of their own. No version may have its
/// name.
fn hubs(api: &Api, rules: &[Rules]) -> Vec<Problem> {
    let problem = |(index, rules): (usize, &Rules)| {
        let (add, hubs) = (rules.add.first()?, Module::hubs(&rules.hub.value.group));
        let name = hubs.name();
        let taken = GroupVersion::new(hubs.group(), name);
        api.versions.contains_key(&taken).then(|| Problem {
            place: Where::Rules(index, add.span.clone()),
            path: format!("{} {}", taken.group_or_core(), rules.kind.value),
            message: format!("the hub would be in the module `{name}`, like the types of version {taken}"),
            help: "rename the version, or remove `add` from the rules of its group".to_owned(),
        })
    };
    rules.iter().enumerate().filter_map(problem).collect()
}

/// Reports cycles between crates that arise because kinds moved between groups: the older group's
/// crate depends on that of the newer group.
fn moves(api: &Api, rules: &[Rules]) -> Vec<Problem> {
    let mut uses: Uses<'_, ()> = BTreeMap::new();
    for (from, targets) in references(api) {
        uses.entry(from).or_default().extend(targets.into_keys().map(|to| (to, ())));
    }
    let moves = || {
        rules.iter().enumerate().flat_map(|(index, rules)| {
            let from = rules.family.iter().map(|member| (member.value.group.as_str(), &member.span));
            from.map(move |(from, span)| (index, rules, from, rules.hub.value.group.as_str(), span))
        })
    };
    for (_, _, from, to, _) in moves().filter(|(_, _, from, to, _)| from != to) {
        uses.entry(from).or_default().insert(to, ());
    }
    moves()
        .filter_map(|(index, rules, from, to, span)| {
            let path = path(&uses, to, from).filter(|_| from != to)?;
            Some(Problem {
                place: Where::Rules(index, span.clone()),
                path: format!("{} {}", rules.hub.value.group_or_core(), rules.kind.value),
                message: cycle(from, &path),
                help: "let kinds move in one direction only between two groups".to_owned(),
            })
        })
        .collect()
}

fn cycle(from: &str, path: &[&str]) -> String {
    let path: Vec<_> = std::iter::once(&from).chain(path).map(|group| crate_dir(group)).collect();
    format!("the dependencies of crates would form a cycle: {}", path.join(" → "))
}

/// The shortest path from one group to another, including both.
fn path<'a, Reference>(uses: &Uses<'a, Reference>, from: &'a str, to: &str) -> Option<Vec<&'a str>> {
    let mut seen = BTreeSet::from([from]);
    let mut paths = VecDeque::from([vec![from]]);
    while let Some(path) = paths.pop_front() {
        let last = *path.last()?;
        if last == to {
            return Some(path);
        }
        for next in uses.get(last).into_iter().flat_map(BTreeMap::keys) {
            if seen.insert(next) {
                let mut path = path.clone();
                path.push(next);
                paths.push_back(path);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::TAKEN;

    #[test]
    fn every_crate_of_this_workspace_is_taken() {
        let manifest = include_str!("../../../Cargo.toml");
        let members = manifest.lines().find_map(|line| line.strip_prefix("members = ")).unwrap();
        let members: Vec<&str> = members.split('"').skip(1).step_by(2).collect();
        assert!(members.len() > 10, "{members:?}");
        // The package of `xtask` does not begin with `hubgen-`, and a group has no `*`.
        for member in members.into_iter().filter(|member| !matches!(*member, "xtask" | "generated/*")) {
            assert!(TAKEN.contains(&member), "{member} is missing in TAKEN");
        }
    }
}
