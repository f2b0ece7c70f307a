//! Groups and versions become crates, modules and features.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use hubgen_model::rules::{Problem, Rules, Where};
use hubgen_model::{Api, GroupVersion, TypeId};

use super::Faults;
use crate::emit::{Module, crate_dir, is_ident};

/// Crates of this workspace that are not generated from a group.
const TAKEN: [&str; 11] = [
    "cli",
    "codegen",
    "derive",
    "derive-core",
    "documents",
    "interpret",
    "kubernetes",
    "machinery",
    "model",
    "plan",
    "server",
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
                format!("`{version}` cannot name a module and a feature"),
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
                format!("the group's crate would be named `hubgen-{dir}`"),
                "a group is a DNS name in small letters, and its first label names the crate",
            );
        } else if TAKEN.contains(&dir) {
            faults.document(
                first,
                format!("the group's crate would be `hubgen-{dir}`, which is another one"),
                "give the group another first label",
            );
        } else if let Some(other) = dirs.insert(dir, first) {
            faults.document(
                first,
                format!("the crate `hubgen-{dir}` is that of group {} already", other.group_or_core()),
                "the first label of a group names its crate: give one of them another, or generate them apart",
            );
        }
    }
    circles(api, faults);
}

/// Which groups name types of which others, with one place where each does.
type Uses<'a, Place> = BTreeMap<&'a str, BTreeMap<&'a str, Place>>;

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

/// Crates cannot depend on each other in a circle. Each circle is told once
/// for each of its steps: any one of them may be the one to give up.
fn circles(api: &Api, faults: &mut Faults) {
    let uses = references(api);
    for (from, targets) in &uses {
        for (to, (id, field)) in targets {
            let Some(way) = way(&uses, to, from) else { continue };
            faults.field(
                id,
                field,
                circle(from, &way),
                "move the types that both groups need to a group of their own",
            );
        }
    }
}

/// What keeps families from becoming Rust.
pub fn families(api: &Api, rules: &[Rules]) -> Vec<Problem> {
    [moves(api, rules), hubs(api, rules)].concat()
}

/// Hubs that hold more than their version have a module of their own, whose name
/// no version may have.
fn hubs(api: &Api, rules: &[Rules]) -> Vec<Problem> {
    let problem = |(index, rules): (usize, &Rules)| {
        let (add, hubs) = (rules.add.first()?, Module::hubs(&rules.hub.value.group));
        let name = hubs.name();
        let taken = GroupVersion::new(hubs.group(), name);
        api.versions.contains_key(&taken).then(|| Problem {
            place: Where::Rules(index, add.span.clone()),
            path: format!("{} {}", taken.group_or_core(), rules.kind.value),
            message: format!("the hub would be in the module `{name}`, which is that of the version {taken}"),
            help: "rename the version, or add no fields to hubs of its group".to_owned(),
        })
    };
    rules.iter().enumerate().filter_map(problem).collect()
}

/// Circles of crates, once it is known which groups kinds moved to: the older
/// group's crate depends on the newer one's.
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
            let way = way(&uses, to, from).filter(|_| from != to)?;
            Some(Problem {
                place: Where::Rules(index, span.clone()),
                path: format!("{} {}", rules.hub.value.group_or_core(), rules.kind.value),
                message: circle(from, &way),
                help: "kinds may move from one group to another, and none of the other's back".to_owned(),
            })
        })
        .collect()
}

fn circle(from: &str, way: &[&str]) -> String {
    let way: Vec<_> = std::iter::once(&from).chain(way).map(|group| crate_dir(group)).collect();
    format!("crates would depend on each other in a circle: {}", way.join(" → "))
}

/// The shortest way from one group to another, both ends included.
fn way<'a, Place>(uses: &Uses<'a, Place>, from: &'a str, to: &str) -> Option<Vec<&'a str>> {
    let mut seen = BTreeSet::from([from]);
    let mut ways = VecDeque::from([vec![from]]);
    while let Some(way) = ways.pop_front() {
        let last = *way.last()?;
        if last == to {
            return Some(way);
        }
        for next in uses.get(last).into_iter().flat_map(BTreeMap::keys) {
            if seen.insert(next) {
                let mut way = way.clone();
                way.push(next);
                ways.push_back(way);
            }
        }
    }
    None
}
