//! Manifests of the generated crates.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use hubgen_model::{Api, GroupVersion};

use super::callees;
use super::homes::Homes;
use crate::module::Module;
use crate::target::Form;

/// The manifest of a group's crate: a feature for each module, which enables every module that it uses.
/// `callees` are the crates whose functions its conversions call: the workspace specifies where they are.
pub fn group(
    homes: &Homes<'_>,
    api: &Api,
    group: &str,
    uses: &BTreeMap<&Module, BTreeSet<Module>>,
    callees: &BTreeSet<String>,
) -> String {
    let package = |group: &str| homes.package(group).unwrap_or_default();
    let title = if group.is_empty() { "core" } else { group };
    let whose = if is_kubernetes(homes) { "Kubernetes API" } else { "API" };
    let mut out =
        head(homes, &package(group), &format!("Types of the {whose} group {title}, with all its versions."));
    // The examples are in the crate that gathers all groups.
    out.push_str("doctest = false\n\n[features]\n");
    let is_served = |version: &GroupVersion| api.versions[version].until.is_none();
    let served = |module: &&&Module| module.version().is_some_and(is_served);
    let quoted = |module: &&Module| format!("\"{}\"", module.name());
    let all: Vec<String> = uses.keys().map(quoted).collect();
    let served: Vec<String> = uses.keys().filter(served).map(quoted).collect();
    let default = feature("default", &served);
    let _ = writeln!(out, "# {}\n{default}", default_versions(homes));
    let _ = writeln!(out, "# All versions.\n{}", feature("all", &all));
    let mut groups = BTreeMap::new();
    for (module, uses) in uses {
        let (own, others): (Vec<_>, Vec<_>) = uses.iter().partition(|other| other.is_in_same_group(module));
        let mut features: Vec<String> = own.iter().map(quoted).collect();
        // Without `dep:`, an optional dependency would be a feature itself.
        let dependencies: BTreeMap<String, &str> =
            others.iter().map(|other| (package(other.group()), other.group())).collect();
        features.extend(dependencies.keys().map(|package| format!("\"dep:{package}\"")));
        features
            .extend(others.iter().map(|other| format!("\"{}/{}\"", package(other.group()), other.name())));
        groups.extend(dependencies);
        let _ = writeln!(out, "{}", feature(module.name(), &features));
    }
    let dependency = |(package, group): (String, &str)| {
        format!("{package} = {{ {}, optional = true, default-features = false }}", source(homes, group))
    };
    let callees = callees.iter().map(|name| match &**name {
        callees::OF_KUBERNETES => of_hubgen(homes, name),
        name => format!("{name}.workspace = true"),
    });
    out + &dependencies(homes, groups.into_iter().map(dependency).chain(callees))
}

/// The manifest of the crate that gathers all groups.
pub fn face<'a>(homes: &Homes<'_>, groups: impl Iterator<Item = &'a str>) -> String {
    let crates: BTreeMap<String, &str> =
        groups.map(|group| (homes.package(group).unwrap_or_default(), group)).collect();
    let of_each = |feature: &str| -> String {
        crates.keys().map(|package| format!("    \"{package}/{feature}\",\n")).collect()
    };
    let whose = if is_kubernetes(homes) { "Kubernetes API" } else { "API" };
    let mut out = head(
        homes,
        &homes.face().unwrap_or_default(),
        &format!("Types of every {whose} group, with all versions."),
    );
    let _ = write!(
        out,
        "\n[features]\n# All versions.\ndefault = [\"all\"]\nall = [\n{}]\n# {}\ncurrent = [\n{}]\n",
        of_each("all"),
        default_versions(homes),
        of_each("default"),
    );
    let dependency = |(package, group): (&String, &&str)| {
        format!("{package} = {{ {}, default-features = false }}", source(homes, group))
    };
    out + &dependencies(homes, crates.iter().map(dependency))
}

fn is_kubernetes(homes: &Homes<'_>) -> bool {
    homes.target().form == Form::Kubernetes
}

/// Which versions the default features enable.
fn default_versions(homes: &Homes<'_>) -> &'static str {
    if is_kubernetes(homes) {
        "The versions that the reference release serves."
    } else {
        "The versions that are served."
    }
}

/// Where cargo finds the crate of a group.
fn source(homes: &Homes<'_>, group: &str) -> String {
    let (version, folder) = (version(homes), homes.folder(group));
    if !homes.is_emitted(group) {
        format!("version = \"{version}\"")
    } else if is_kubernetes(homes) {
        // The path counts in the repository, the version in a registry.
        format!("version = \"{version}\", path = \"../{}\"", folder.display())
    } else {
        format!("path = \"../{}\"", folder.display())
    }
}

/// The version of the machinery and of Kubernetes' crates, for crates outside of their workspace.
fn version<'a>(homes: &Homes<'a>) -> &'a str {
    homes.target().generator.version.as_deref().unwrap_or(env!("CARGO_PKG_VERSION"))
}

/// What every manifest begins with. Generated code has no unit tests.
fn head(homes: &Homes<'_>, package: &str, description: &str) -> String {
    let target = homes.target();
    let facts = if is_kubernetes(homes) {
        "version.workspace = true\nedition.workspace = true\nrust-version.workspace = true\n\
         license.workspace = true\ninclude.workspace = true\n"
    } else {
        "version = \"0.1.0\"\nedition = \"2024\"\npublish = false\n"
    };
    // How people find it in a registry.
    let found = if is_kubernetes(homes) {
        "keywords = [\"kubernetes\", \"api\", \"protobuf\", \"hubgen\"]\ncategories = [\"api-bindings\"]\n"
    } else {
        ""
    };
    let command = if is_kubernetes(homes) {
        format!("Generated by `{}`. Do not edit.", target.generator.command)
    } else {
        target.first_line(&target.origins.all())
    };
    format!(
        "# {command}\n\n[package]\nname = \"{package}\"\n{facts}description = \"{description}\"\n{found}\n\
         [lib]\ntest = false\n"
    )
}

/// The crates that a crate uses, and the machinery.
fn dependencies(homes: &Homes<'_>, crates: impl Iterator<Item = String>) -> String {
    let mut lines: Vec<String> = crates.collect();
    lines.push(of_hubgen(homes, "hubgen-machinery"));
    lines.sort();
    format!("\n[dependencies]\n{}\n", lines.join("\n"))
}

/// A crate of hubgen that is not generated.
fn of_hubgen(homes: &Homes<'_>, package: &str) -> String {
    if is_kubernetes(homes) {
        format!("{package}.workspace = true")
    } else {
        format!("{package} = \"{}\"", version(homes))
    }
}

/// A feature and the features that it enables, on one line if they fit.
fn feature(name: &str, features: &[String]) -> String {
    let line = format!("{name} = [{}]", features.join(", "));
    if line.len() <= 100 { line } else { format!("{name} = [\n    {},\n]", features.join(",\n    ")) }
}
