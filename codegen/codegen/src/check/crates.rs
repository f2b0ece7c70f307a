//! Checks that groups and versions become valid and distinct crates, modules and features.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use hubgen_model::rules::{Problem, Rules, Where};
use hubgen_model::{Api, GroupVersion, TypeId};

use super::Faults;
use crate::module::Module;
use crate::naming::{is_ident, snake};
use crate::target::{Form, Target};

/// Crates of this workspace that are not generated from a group.
const TAKEN: [&str; 41] = [
    "bbolt",
    "checks",
    "cli",
    "cluster",
    "codegen",
    "definitions",
    "derive",
    "derive-core",
    "diagnostic",
    "documents",
    "examples",
    "facts",
    "helm",
    "interpret",
    "json",
    "kube",
    "kubernetes",
    "kubernetes-functions",
    "laws",
    "machinery",
    "manifest",
    "migrate",
    "model",
    "openapi",
    "patch",
    "plan",
    "releases",
    "rules",
    "schemas",
    "serve",
    "server",
    "stand-ins",
    "stored",
    "tables",
    "terminal",
    "test-server",
    "tests",
    "validation",
    "velero",
    "webhook",
    "yaml",
];

/// What the module that gathers all groups contains besides modules of groups.
const RESERVED_MODULES: [&str; 2] = ["machinery", "scheme"];

/// Features and modules that every crate has.
const RESERVED: [&str; 4] = ["all", "crds", "default", "families"];

pub fn check(api: &Api, target: &Target, faults: &mut Faults) {
    let mut groups: BTreeMap<&str, &GroupVersion> = BTreeMap::new();
    for (group_version, _) in api.own_versions() {
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
    let mut names: BTreeMap<String, &GroupVersion> = BTreeMap::new();
    for first in groups.into_values() {
        let naming = Naming::of(target, &first.group);
        if let Err((message, help)) = naming.check() {
            faults.document(first, message, &help);
        } else if let Some(other) = names.insert(naming.name.clone(), first) {
            let (message, help) = naming.clash(first, other);
            faults.document(first, message, &help);
        }
    }
    // Modules of one crate may refer to each other.
    if !matches!(target.form, Form::Modules { .. }) {
        cycles(api, target, faults);
    }
}

/// The groups that would get the name of another group in Rust: what is wrong, and what to do.
pub fn groups_with_one_name(api: &Api, target: &Target) -> Vec<(String, String)> {
    let groups: BTreeMap<&str, &GroupVersion> =
        api.own_versions().map(|(name, _)| (name.group.as_str(), name)).collect();
    let mut names: BTreeMap<String, &GroupVersion> = BTreeMap::new();
    let mut out = Vec::new();
    for version in groups.into_values() {
        let naming = Naming::of(target, &version.group);
        if let Some(other) = names.insert(naming.name.clone(), version) {
            let (message, help) = naming.clash(version, other);
            out.push((format!("{}: {message}", version.group_or_core()), help));
        }
    }
    out
}

/// The name that a group gets in Rust.
struct Naming<'a> {
    target: &'a Target,
    /// The name of the module, or the last part of the name of the crate.
    name: String,
}

impl<'a> Naming<'a> {
    fn of(target: &'a Target, group: &str) -> Self {
        let name = target.name(group);
        let name = if matches!(target.form, Form::Modules { .. }) { snake(&name) } else { name };
        Self { target, name }
    }

    /// What is wrong with the name, and what to do.
    fn check(&self) -> Result<(), (String, String)> {
        let name = &self.name;
        let is_lower = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        let is_valid = match self.target.form {
            Form::Modules { .. } => is_ident(name),
            _ => {
                name.starts_with(|c: char| c.is_ascii_lowercase())
                    && name.chars().all(|c| is_lower(c) || c == '-')
            }
        };
        let is_taken = match &self.target.form {
            Form::Kubernetes => TAKEN.contains(&name.as_str()),
            // The crate that gathers the others has the prefix itself as its name.
            Form::Crates { prefix } => prefix == "hubgen",
            Form::Modules { .. } => RESERVED_MODULES.contains(&name.as_str()),
        };
        if !is_valid {
            Err((format!("{}, which is not valid", self.result()), self.help().to_owned()))
        } else if is_taken {
            Err((format!("{}, like another of hubgen", self.result()), self.help().to_owned()))
        } else if matches!(&self.target.form, Form::Crates { prefix } if prefix == name) {
            Err((
                format!(
                    "the group's crate would be in the folder `{name}`, like the crate that gathers all groups"
                ),
                "choose another name for the group under [names] in hubgen.toml, or another prefix"
                    .to_owned(),
            ))
        } else {
            Ok(())
        }
    }

    /// What to say of a group that gets the name of another one, with a name that would do.
    fn clash(&self, group: &GroupVersion, other: &GroupVersion) -> (String, String) {
        let message = format!("{}, like the one of group {}", self.result(), other.group_or_core());
        let separator = match self.target.form {
            Form::Kubernetes => return (message, self.help().to_owned()),
            Form::Crates { .. } => "-",
            Form::Modules { .. } => "_",
        };
        let labels: Vec<&str> = group.group.split('.').take(2).collect();
        let name = labels.join(separator).replace('-', separator);
        let help = format!("write under [names] in hubgen.toml, for example: {:?} = {name:?}", group.group);
        (message, help)
    }

    fn result(&self) -> String {
        let name = &self.name;
        match &self.target.form {
            Form::Kubernetes => format!("the group's crate would be named `hubgen-{name}`"),
            Form::Crates { prefix } => format!("the group's crate would be named `{prefix}-{name}`"),
            Form::Modules { .. } => format!("the group's module would be named `{name}`"),
        }
    }

    fn help(&self) -> &'static str {
        match self.target.form {
            Form::Kubernetes => {
                "the first label of the group's name becomes the name of the crate: lower case, and unlike others"
            }
            Form::Crates { .. } => {
                "choose another name for the group under [names] in hubgen.toml, or another prefix than `hubgen`"
            }
            Form::Modules { .. } => "choose another name for the group under [names] in hubgen.toml",
        }
    }
}

/// The groups whose types each group refers to, with one reference for each.
type Uses<'a, Reference> = BTreeMap<&'a str, BTreeMap<&'a str, Reference>>;

fn references(api: &Api) -> Uses<'_, (&TypeId, &str)> {
    let mut uses: Uses<'_, _> = BTreeMap::new();
    for ty in api.own_types() {
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
fn cycles(api: &Api, target: &Target, faults: &mut Faults) {
    let uses = references(api);
    for (from, targets) in &uses {
        for (to, (id, field)) in targets {
            let Some(path) = path(&uses, to, from) else { continue };
            faults.field(
                id,
                field,
                cycle(target, from, &path),
                "move the types that both groups need to a third group",
            );
        }
    }
}

/// Problems of families that would make the generated code invalid.
pub fn families(api: &Api, rules: &[Rules], target: &Target) -> Vec<Problem> {
    let moves =
        if matches!(target.form, Form::Modules { .. }) { Vec::new() } else { moves(api, rules, target) };
    [moves, hubs(api, rules)].concat()
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
fn moves(api: &Api, rules: &[Rules], target: &Target) -> Vec<Problem> {
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
                message: cycle(target, from, &path),
                help: "let kinds move in one direction only between two groups".to_owned(),
            })
        })
        .collect()
}

fn cycle(target: &Target, from: &str, path: &[&str]) -> String {
    let path: Vec<_> = std::iter::once(&from).chain(path).map(|group| target.name(group)).collect();
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
        let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml");
        let manifest = std::fs::read_to_string(manifest).unwrap();
        let members = manifest.split("members = [").nth(1).and_then(|after| after.split(']').next()).unwrap();
        let mut count = 0;
        // Neither a group's crate nor the types of an example are among them.
        let is_own = |member: &&str| !member.starts_with("generated/") && !member.starts_with("examples/");
        for member in members.split('"').skip(1).step_by(2).filter(is_own) {
            let path = format!("{}/../../{member}/Cargo.toml", env!("CARGO_MANIFEST_DIR"));
            let manifest = std::fs::read_to_string(path).unwrap();
            let name = manifest.lines().find_map(|line| line.strip_prefix("name = \"hubgen-"));
            if let Some(name) = name.and_then(|name| name.strip_suffix('"')) {
                assert!(TAKEN.contains(&name), "{name} is missing in TAKEN");
                count += 1;
            }
        }
        assert!(count > 10, "{count}");
    }
}
