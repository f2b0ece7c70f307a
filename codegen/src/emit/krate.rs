//! One group's crate: manifest, root, and a module for each version.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;

use hubgen_model::{Api, GroupVersion, Kind, Type};
use hubgen_plan::{Family, HUB};
use proc_macro2::TokenStream;
use quote::quote;

use super::defaults::Tables;
use super::kinds::{self, ByMember};
use super::layout::{TypeFile, layout};
use super::names::{crate_dir, crate_ident, ident, module_ident, package, version_ident};
use super::source::{file, preamble};
use super::types::{self, Context};
use super::{Input, convert, families, normals};

/// Adds all files of one crate.
pub fn emit(
    input: &Input<'_>,
    context: &Context<'_>,
    group: &str,
    versions: &[&GroupVersion],
    files: &mut BTreeMap<PathBuf, String>,
) -> Result<(), String> {
    let tables = Tables::find(input.api, input.defaults);
    let by_member: ByMember<'_> = input
        .families
        .iter()
        .flat_map(|family| family.members.iter().map(move |member| ((member, family.kind.as_str()), family)))
        .collect();
    let krate = Krate {
        input,
        context,
        tables: &tables,
        by_member: &by_member,
        root: PathBuf::from(crate_dir(group)),
    };
    let mut uses = BTreeMap::new();
    for version in versions {
        uses.insert(*version, krate.version(version, files)?);
    }
    let origin = origin(group, "*");
    let is_used =
        |family: &&Family| family.has_versions() && family.members.iter().any(|member| member.group == group);
    let used: Vec<&Family> = input.families.iter().filter(is_used).collect();
    if !used.is_empty() {
        let path = krate.root.join("src/families.rs");
        let text = file(&path, &origin, &families::emit(used.iter().copied(), input.plans))?;
        files.insert(path, text);
    }
    files.insert(krate.root.join("src/lib.rs"), root(input, group, versions, !used.is_empty(), &origin));
    files.insert(krate.root.join("Cargo.toml"), manifest(input, group, &uses));
    Ok(())
}

fn origin(group: &str, version: &str) -> String {
    let group = if group.is_empty() { "core" } else { group };
    format!("schemas/kubernetes/{group}/{version}.json")
}

struct Krate<'a> {
    input: &'a Input<'a>,
    context: &'a Context<'a>,
    tables: &'a Tables<'a>,
    by_member: &'a ByMember<'a>,
    root: PathBuf,
}

impl Krate<'_> {
    /// Adds the files of one version; gives the versions that they name.
    fn version(
        &self,
        group_version: &GroupVersion,
        files: &mut BTreeMap<PathBuf, String>,
    ) -> Result<BTreeSet<GroupVersion>, String> {
        let version = &self.input.api.versions[group_version];
        let folder = self.root.join("src").join(&group_version.version);
        let origin = if group_version.version == HUB {
            "the conversion rules in schemas/kubernetes/rules".to_owned()
        } else {
            origin(&group_version.group, &group_version.version)
        };
        let mut add = |path: PathBuf, parts: &[TokenStream]| -> Result<(), String> {
            let text = file(&path, &origin, parts)?;
            files.insert(path, text);
            Ok(())
        };
        let sharing = self.input.sharing;
        let (shared, own): (Vec<&Type>, Vec<&Type>) =
            version.types.values().partition(|ty| sharing.is_shared(&ty.id));
        let mut uses = BTreeSet::new();
        let type_files = layout(&own, sharing);
        for file in &type_files {
            let name = module_ident(&file.root.id.name);
            add(folder.join(format!("{name}.rs")), &[types::emit(self.context, &file.types)])?;
        }
        for ty in &own {
            let referenced = ty.fields().iter().filter_map(|field| field.ty.named());
            uses.extend(referenced.map(|id| sharing.of(id).group_version.clone()));
        }
        uses.extend(shared.iter().map(|ty| sharing.of(&ty.id).group_version.clone()));

        let mut modules = Vec::new();
        let functions = self.input.functions.get(group_version).map(Vec::as_slice).unwrap_or_default();
        if let Some(file) = convert::file(group_version, functions)? {
            add(folder.join("convert.rs"), &file.parts)?;
            uses.extend(file.uses);
            // Versions whose JSON another one keeps in annotations are called
            // from there.
            modules.push(quote!(
                #[doc(hidden)]
                pub mod convert;
            ));
        }
        let defaults = self.tables.emit(group_version);
        if defaults.is_some() {
            uses.extend(self.tables.uses(group_version).into_iter().cloned());
            modules.push(quote!(
                pub mod defaults;
            ));
        }
        if let Some(parts) = normals::emit(self.input.normals, group_version) {
            add(folder.join("normals.rs"), &parts)?;
            modules.push(quote!(
                pub mod normals;
            ));
        }
        let kinds = own_kinds(self.input, group_version);
        for (ty, _) in &kinds {
            let seen_to = self.input.normals.below(self.input.api, ty);
            uses.extend(seen_to.into_iter().map(|(_, id)| id.group_version.clone()));
        }
        let has_kinds = has_kinds(self.input.api, group_version);
        if has_kinds {
            let mut parts = kinds::emit(self.input, self.by_member, self.tables, group_version, &kinds);
            parts.extend(convert::identities(functions));
            add(folder.join("kinds.rs"), &parts)?;
            modules.push(quote!(
                mod kinds;
            ));
        }
        add(folder.join("mod.rs"), &self.module(group_version, &type_files, &shared, modules, has_kinds))?;
        if let Some(parts) = defaults {
            let path = folder.join("defaults.rs");
            let text = file(&path, &format!("{origin} and schemas/kubernetes/defaults"), &parts)?;
            files.insert(path, text);
        }
        uses.remove(group_version);
        Ok(uses)
    }

    fn module(
        &self,
        group_version: &GroupVersion,
        type_files: &[TypeFile<'_>],
        shared: &[&Type],
        mut modules: Vec<TokenStream>,
        has_kinds: bool,
    ) -> Vec<TokenStream> {
        let version = &self.input.api.versions[group_version];
        let releases = match (version.since, version.until) {
            (Some(since), Some(until)) => format!(", releases {since} to {until}"),
            (Some(since), None) => format!(", since release {since}"),
            _ => String::new(),
        };
        let docs = if group_version.version == HUB {
            "Hubs that hold more than any one version.".to_owned()
        } else {
            format!("`{}`{releases}.", group_version.api_version())
        };
        let docs = format!(" {docs}");
        modules.extend(type_files.iter().map(|file| {
            let module = module_ident(&file.root.id.name);
            quote!(mod #module;)
        }));
        // By name, whatever stands before it.
        let name = |module: &TokenStream| module.to_string().rsplit(' ').nth(1).map(str::to_owned);
        modules.sort_by_key(name);
        let mut exports: Vec<_> = type_files
            .iter()
            .map(|file| {
                let module = module_ident(&file.root.id.name);
                let mut names: Vec<&str> = file.types.iter().map(|ty| ty.id.name.as_str()).collect();
                names.sort_unstable();
                let names: Vec<_> = names.into_iter().map(ident).collect();
                match &*names {
                    [name] => quote!(pub use self::#module::#name;),
                    names => quote!(pub use self::#module::{#(#names),*};),
                }
            })
            .collect();
        if has_kinds {
            let everywhere = kinds::everywhere(&own_kinds(self.input, group_version));
            exports.push(if everywhere.is_empty() {
                quote!(
                    pub use self::kinds::KINDS;
                )
            } else {
                quote!(
                    pub use self::kinds::{KINDS, OF_EVERY_VERSION};
                )
            });
        }
        exports.sort_by_key(ToString::to_string);
        // What another version defines, gathered by where it stands.
        let mut foreign: BTreeMap<&GroupVersion, Vec<syn::Ident>> = BTreeMap::new();
        for ty in shared {
            foreign.entry(&self.input.sharing.of(&ty.id).group_version).or_default().push(ident(&ty.id.name));
        }
        let foreign = foreign.into_iter().map(|(place, names)| {
            let version = version_ident(place);
            let krate = if crate_dir(&place.group) == crate_dir(&group_version.group) {
                quote!(crate)
            } else {
                let krate = crate_ident(&place.group);
                quote!(#krate)
            };
            quote!(pub use #krate::#version::{#(#names),*};)
        });
        vec![quote!(#![doc = #docs]), quote!(#(#modules)*), quote!(#(#exports)*), quote!(#(#foreign)*)]
    }
}

fn root(
    input: &Input<'_>,
    group: &str,
    versions: &[&GroupVersion],
    has_families: bool,
    origin: &str,
) -> String {
    let mut out = preamble(origin);
    let api = input.api;
    let name = if group.is_empty() { "The core group".to_owned() } else { format!("The group `{group}`") };
    let _ = writeln!(out, "//! {name}, in every version that it ever had.\n");
    let types = || versions.iter().flat_map(|version| api.versions[*version].types.values());
    let is_described =
        |ty: &Type| ty.description.is_some() || ty.fields().iter().any(|field| field.description.is_some());
    if types().any(is_described) {
        out.push_str("// Descriptions are text, written for other readers than rustdoc.\n");
        out.push_str("#![allow(rustdoc::all, clippy::doc_lazy_continuation)]\n\n");
    }
    out.push_str("use hubgen_machinery::scheme::Scheme;\n\n");
    // The printer that wrote the modules is not rustfmt.
    if has_families {
        out.push_str("#[rustfmt::skip]\npub mod families;\n\n");
    }
    for version in versions {
        let name = version_ident(version);
        let _ = writeln!(out, "#[cfg(feature = \"{name}\")]\n#[rustfmt::skip]\npub mod {name};\n");
    }
    out.push_str("/// Tells a Scheme of the kinds of every version that is switched on.\n");
    let registered: Vec<_> = versions.iter().filter(|version| has_kinds(api, version)).collect();
    if registered.is_empty() {
        out.push_str("pub fn register(_: &mut Scheme) {}\n");
        return out;
    }
    out.push_str("#[cfg_attr(not(feature = \"all\"), allow(unused_variables))]\n");
    out.push_str("pub fn register(scheme: &mut Scheme) {\n");
    for version in registered {
        let name = version_ident(version);
        let _ = writeln!(out, "    #[cfg(feature = \"{name}\")]\n    scheme.register({name}::KINDS);");
        if !kinds::everywhere(&own_kinds(input, version)).is_empty() {
            let _ = writeln!(
                out,
                "    #[cfg(feature = \"{name}\")]\n    for kinds in {name}::OF_EVERY_VERSION {{\n        scheme.register(kinds);\n    }}"
            );
        }
    }
    out.push_str("}\n");
    out
}

/// The kinds that a version itself defines.
fn own_kinds<'a>(input: &Input<'a>, group_version: &GroupVersion) -> Vec<(&'a Type, &'a Kind)> {
    let types = input.api.versions[group_version].types.values();
    let own = types.filter(|ty| !input.sharing.is_shared(&ty.id));
    own.filter_map(|ty| Some((ty, ty.kind.as_ref()?))).collect()
}

/// Whether a version has kinds. Those of hubs are the business of the versions
/// that convert to them.
fn has_kinds(api: &Api, group_version: &GroupVersion) -> bool {
    group_version.version != HUB && api.versions[group_version].types.values().any(|ty| ty.kind.is_some())
}

fn manifest(
    input: &Input<'_>,
    group: &str,
    uses: &BTreeMap<&GroupVersion, BTreeSet<GroupVersion>>,
) -> String {
    let package_name = package(group);
    let title = if group.is_empty() { "core" } else { group };
    let mut out = format!(
        "# Generated by `cargo xtask generate`. Do not edit.\n\n\
         [package]\nname = \"{package_name}\"\n\
         version.workspace = true\nedition.workspace = true\nrust-version.workspace = true\nlicense.workspace = true\n\
         description = \"The Kubernetes API group {title}, in every version that it ever had.\"\n\n\
         [lib]\ntest = false\ndoctest = false\n\n[features]\n"
    );
    let is_served =
        |version: &&&GroupVersion| version.version != HUB && input.api.versions[**version].until.is_none();
    let served: Vec<&&GroupVersion> = uses.keys().filter(is_served).collect();
    let all: Vec<&&GroupVersion> = uses.keys().collect();
    let quoted = |versions: &[&&GroupVersion]| {
        versions.iter().map(|version| format!("\"{}\"", version.version)).collect::<Vec<_>>()
    };
    let _ = writeln!(out, "# What the reference release serves.\n{}", feature("default", &quoted(&served)));
    let _ = writeln!(out, "# The whole archive.\n{}", feature("all", &quoted(&all)));
    let mut crates = BTreeSet::new();
    for (version, uses) in uses {
        let (own, others): (Vec<_>, Vec<_>) =
            uses.iter().partition(|other| crate_dir(&other.group) == crate_dir(group));
        let mut features: Vec<String> = own.iter().map(|own| format!("\"{}\"", own.version)).collect();
        for other in others {
            crates.insert(crate_dir(&other.group));
            features.push(format!("\"{}/{}\"", package(&other.group), other.version));
        }
        let _ = writeln!(out, "{}", feature(&version.version, &features));
    }
    out.push_str("\n[dependencies]\n");
    let mut dependencies = vec!["hubgen-machinery.workspace = true".to_owned()];
    dependencies.extend(crates.iter().map(|dir| {
        format!("hubgen-{dir} = {{ path = \"../{dir}\", optional = true, default-features = false }}")
    }));
    dependencies.sort();
    for dependency in dependencies {
        out.push_str(&dependency);
        out.push('\n');
    }
    out
}

/// A feature and what it switches on: on one line where it fits.
fn feature(name: &str, features: &[String]) -> String {
    let line = format!("{name} = [{}]", features.join(", "));
    if line.len() <= 100 { line } else { format!("{name} = [\n    {},\n]", features.join(",\n    ")) }
}
