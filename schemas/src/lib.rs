//! What the Kubernetes APIs are, as text: the distilled schemas of every group version from 1.7 to 1.37, the rules by
//! which versions convert, their defaults, what a server does with objects of their kinds, and how clients show them.
//!
//! The generator reads these files to know Kubernetes' types, such as `ObjectMeta` and `Condition`, without a copy of
//! hubgen's repository. `schemas/README.md` describes their formats.
//!
//! ```
//! let (_, text) = hubgen_schemas::kubernetes().iter().find(|(path, _)| *path == "apps/v1.json").unwrap();
//! assert!(text.contains("\"DeploymentSpec\""));
//! ```
//!
//! The crate has no features and no dependencies.

/// Every file, sorted by its path: `<group>/<version>.json`, `rules/<group>.<Kind>.toml`, `rules/canonical.toml`,
/// `defaults/<group>.toml`, `behaviour/<group>.toml`, `columns/<group>.toml`, `boxes.toml` and `crate.md`, each with its
/// text.
///
/// Paths are relative to the folder that the generator reads, and contain `/` on every system.
pub fn kubernetes() -> &'static [(&'static str, &'static str)] {
    KUBERNETES
}

/// The roles and bindings that a kube-apiserver of the reference release makes when it starts, in JSON: facts, in the form
/// that `schemas/README.md` describes.
pub fn bootstrap() -> &'static str {
    include_str!("../access/bootstrap.json")
}

/// `build.rs` writes the list.
static KUBERNETES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/kubernetes.rs"));
