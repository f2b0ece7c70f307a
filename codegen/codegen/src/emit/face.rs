//! The face: one crate, or one module, that gathers all groups.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use super::crds::{self, Crds};
use super::homes::Homes;
use super::source::{docs, preamble};
use super::{manifest, readme};
use crate::module::Module;
use crate::target::Form;

/// Adds the files of the face.
///
/// `front_page` is its front page in Markdown.
pub fn emit(
    homes: &Homes<'_>,
    groups: &BTreeMap<&str, Vec<Module>>,
    crds: &Crds,
    front_page: Option<&str>,
    files: &mut BTreeMap<PathBuf, String>,
) {
    let target = homes.target();
    let front_page = front_page.unwrap_or("Types of every API group, with all versions.");
    let mut root = preamble(target, &target.origins.all());
    root.push_str(&docs(front_page));
    let named = |group: &&str| (homes.gathered(group).to_string(), homes.outside(group).to_string());
    let mut modules: Vec<(String, String)> = groups.keys().map(named).collect();
    modules.sort();
    let with_crds = groups.keys().filter(|group| !crds::of_group(crds, group).is_empty());
    let mut with_crds: Vec<String> = with_crds.map(|group| named(group).0).collect();
    with_crds.sort();
    match homes.face() {
        Some(_) => {
            root.push_str("\n#![deny(missing_docs)]\n\n");
            for (module, krate) in &modules {
                let _ = writeln!(root, "pub use {krate} as {module};");
            }
        }
        None => {
            root.push_str(ALLOWED);
            for (module, _) in &modules {
                let _ = writeln!(root, "pub mod {module};");
            }
        }
    }
    let import = if with_crds.is_empty() { "" } else { "use hubgen_machinery::crd::Crd;\n" };
    let enabled = if homes.face().is_some() { " whose version is enabled" } else { "" };
    let _ = write!(
        root,
        "\npub use hubgen_machinery as machinery;\n{import}use hubgen_machinery::scheme::Scheme;\n\n\
         /// A Scheme of every kind{enabled}.\n\
         pub fn scheme() -> Scheme {{\n    let mut scheme = Scheme::new();\n",
    );
    for (module, _) in &modules {
        let _ = writeln!(root, "    {module}::register(&mut scheme);");
    }
    root.push_str("    scheme\n}\n");
    if !with_crds.is_empty() {
        let all: Vec<String> = with_crds.iter().map(|module| format!("{module}::crds::all()")).collect();
        let _ = write!(
            root,
            "\n/// The CustomResourceDefinitions of all kinds, each with all versions.\n\
             pub fn crds() -> Vec<Crd> {{\n    [{}].concat()\n}}\n",
            all.join(", ")
        );
    }
    let Some(package) = homes.face() else {
        files.insert(PathBuf::from("mod.rs"), root);
        return;
    };
    let is_kubernetes = target.form == Form::Kubernetes;
    let folder = PathBuf::from(if is_kubernetes { "kubernetes" } else { &package });
    files.insert(folder.join("README.md"), readme::face(target, &package, front_page));
    files.insert(folder.join("Cargo.toml"), manifest::face(homes, groups.keys().copied()));
    files.insert(folder.join("src/lib.rs"), root);
}

/// Lints that concern code which people write.
const ALLOWED: &str = "
// Nothing here is written by hand, and a program may use only a part of it.
#![allow(clippy::all, clippy::pedantic)]
#![allow(dead_code, missing_docs, unreachable_pub, unused_imports)]

";
