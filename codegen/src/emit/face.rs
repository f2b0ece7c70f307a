//! The face: one crate that gathers all groups.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use super::identifiers::{crate_ident, face_ident};
use super::manifest;
use super::module::Module;
use super::source::{docs, preamble};

/// Adds the files of `hubgen-kubernetes`.
///
/// `front_page` is its front page in Markdown.
pub fn emit(
    groups: &BTreeMap<&str, Vec<Module>>,
    front_page: Option<&str>,
    files: &mut BTreeMap<PathBuf, String>,
) {
    files.insert(PathBuf::from("kubernetes/Cargo.toml"), manifest::face(groups.keys().copied()));

    let mut root = preamble("schemas/kubernetes");
    root.push_str(&docs(front_page.unwrap_or("Types of every API group, with all versions.")));
    root.push_str("\n#![deny(missing_docs)]\n\n");
    let mut modules: Vec<(String, String)> =
        groups.keys().map(|group| (face_ident(group).to_string(), crate_ident(group).to_string())).collect();
    modules.sort();
    for (module, krate) in &modules {
        let _ = writeln!(root, "pub use {krate} as {module};");
    }
    root.push_str(
        "\npub use hubgen_machinery as machinery;\nuse hubgen_machinery::scheme::Scheme;\n\n\
         /// A Scheme of every kind whose version is enabled.\n\
         pub fn scheme() -> Scheme {\n    let mut scheme = Scheme::new();\n",
    );
    for (module, _) in &modules {
        let _ = writeln!(root, "    {module}::register(&mut scheme);");
    }
    root.push_str("    scheme\n}\n");
    files.insert(PathBuf::from("kubernetes/src/lib.rs"), root);
}
