//! Emits the code of one group, as a crate or as a module: manifest, root and modules.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;

use hubgen_model::{Api, GroupVersion, Kind, Origin, Type, Version};
use hubgen_plan::Family;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::defaults::Tables;
use super::folder::Folder;
use super::homes::Homes;
use super::kinds::{self, ByMember};
use super::layout::{TypeFile, layout};
use super::source::{self, InvalidCode, docs, preamble};
use super::types::{self, Context};
use super::{
    Functions, Input, behaviour, callees, canonical, columns, convert, crds, description, families, manifest,
    readme,
};
use crate::module::Module;
use crate::naming::{ident, module_ident};
use crate::rust::Written;
use crate::target::Form;

/// Adds all files of one group. Returns the modules of other groups that its code names.
pub fn emit(
    input: &Input<'_>,
    context: &Context<'_>,
    group: &str,
    modules: &[Module],
    files: &mut BTreeMap<PathBuf, String>,
) -> Result<BTreeSet<Module>, InvalidCode> {
    let homes = input.homes;
    let tables = Tables::find(homes, input.types.api, input.defaults);
    let by_member: ByMember<'_> = input
        .families
        .iter()
        .flat_map(|family| family.members.iter().map(move |member| ((member, family.kind.as_str()), family)))
        .collect();
    let emitter = Emitter { input, context, tables: &tables, by_member: &by_member };
    let mut uses = BTreeMap::new();
    for module in modules {
        uses.insert(module, emitter.module(module, files)?);
    }
    let origin = emitter.origin(group);
    let is_used =
        |family: &&Family| family.has_versions() && family.members.iter().any(|member| member.group == group);
    let used: Vec<&Family> = input.families.iter().filter(is_used).collect();
    let path = homes.root_file(group);
    let families = if used.is_empty() {
        String::new()
    } else {
        source::module(
            &path,
            "families",
            "Kinds with all their versions.",
            &families::emit(used.iter().copied(), input.plans),
        )?
    };
    let columns = match columns::emit(input.behaviours, group) {
        none if none.is_empty() => String::new(),
        parts => source::module(
            &path,
            "columns",
            "The columns in which clients show the objects of kinds.",
            &parts,
        )?,
    };
    let crds = crds::of_group(input.crds, group);
    if !crds.is_empty() {
        files.insert(homes.sources(group).join("crds.rs"), crds::file(homes, group, &crds, &origin));
    }
    files.insert(path, root(input, group, modules, &(families + &columns), &origin));
    if homes.are_crates() {
        let (folder, package) = (homes.folder(group), homes.package(group).unwrap_or_default());
        let front_page = front_page(homes, input.types.api, group, modules);
        let readme = readme::group(homes.target(), &package, &origin, &front_page);
        files.insert(folder.join("README.md"), readme);
        let mut callees = callees::crates(input.plans, group);
        if callees::calls_kubernetes(files, &folder) {
            callees.insert(callees::OF_KUBERNETES.to_owned());
        }
        let manifest = manifest::group(homes, input.types.api, group, &uses, &callees);
        files.insert(folder.join("Cargo.toml"), manifest);
    }
    let named = uses.into_values().flatten();
    Ok(named.filter(|module| module.group() != group).collect())
}

struct Emitter<'a> {
    input: &'a Input<'a>,
    context: &'a Context<'a>,
    tables: &'a Tables<'a>,
    by_member: &'a ByMember<'a>,
}

impl Emitter<'_> {
    /// Where a group is written, for the first lines of files.
    fn origin(&self, group: &str) -> String {
        let origins = &self.input.homes.target().origins;
        let versions = self.input.types.api.own_versions().filter(|(name, _)| name.group == group);
        let (written, read): (Vec<_>, Vec<_>) =
            versions.partition(|(_, version)| version.origin == Origin::Written);
        if written.is_empty() {
            origins.documents(group, "*")
        } else {
            origins.of_source(group, !read.is_empty())
        }
    }

    /// Adds the files of one module; returns the modules that they name.
    fn module(
        &self,
        module: &Module,
        files: &mut BTreeMap<PathBuf, String>,
    ) -> Result<BTreeSet<Module>, InvalidCode> {
        let (sharing, target) = (self.input.sharing, self.input.homes.target());
        let (shared, own): (Vec<&Type>, Vec<&Type>) =
            module.types(self.input.types).into_iter().partition(|ty| sharing.is_shared(&ty.id));
        let (written, own): (Vec<&Type>, Vec<&Type>) =
            own.into_iter().partition(|ty| self.input.written.types.contains_key(&ty.id));
        let referenced =
            own.iter().chain(&written).flat_map(|ty| ty.fields()).filter_map(|field| field.ty.named());
        let named = referenced.chain(shared.iter().map(|ty| &ty.id));
        let enums = self.input.enums.elsewhere(module, &module.types(self.input.types));
        let mut folder = Folder {
            target,
            path: self.input.homes.sources(module.group()).join(module.name()),
            origin: match module {
                Module::Version(version) => match written.first() {
                    Some(ty) => self.input.written.types[&ty.id].path(),
                    None => target.origins.documents(&version.group, &version.version),
                },
                Module::Hubs { .. } => format!("the conversion rules in {}", target.origins.rules()),
            },
            uses: named
                .map(|id| Module::of(sharing.representing(id)))
                .chain(enums.into_iter().map(Module::of))
                .collect(),
            modules: Vec::new(),
            items: Vec::new(),
            files,
        };
        let type_files = layout(&own, sharing);
        for file in &type_files {
            let name = module_ident(&file.root.id.name);
            folder.add(&name.to_string(), &[types::emit(self.context, &file.types)])?;
        }
        if let Some(version) = module.version() {
            let all: Vec<&Type> = written.iter().chain(&own).copied().collect();
            self.facts(version, &all, &mut folder)?;
        }
        let modules = std::mem::take(&mut folder.modules);
        let mut parts = self.gathered(module, &type_files, &shared, modules);
        parts.extend(self.written(module));
        parts.append(&mut folder.items);
        folder.add("mod", &parts)?;
        folder.uses.remove(module);
        Ok(folder.uses)
    }

    /// Adds everything of a version except its types: conversions, defaults, canonical forms,
    /// kinds.
    fn facts(
        &self,
        version: &GroupVersion,
        own: &[&Type],
        folder: &mut Folder<'_>,
    ) -> Result<(), InvalidCode> {
        let functions = self.input.functions.get(version).map(Vec::as_slice).unwrap_or_default();
        if let Some(file) = convert::file(self.input.homes, version, functions)? {
            folder.add("convert", &file.parts)?;
            folder.uses.extend(file.uses);
            // Public in the crate: other versions that keep JSON of this version in annotations
            // call its functions.
            folder.modules.push(quote!(
                #[doc(hidden)]
                pub mod convert;
            ));
        }
        let edits: Vec<TokenStream> = functions.iter().filter_map(Functions::edits).collect();
        if !edits.is_empty() {
            folder.add("edits", &convert::edits_file(&edits))?;
            folder.modules.push(quote!(
                mod edits;
            ));
        }
        if let Some(parts) = self.tables.emit(version) {
            let origin = folder.target.origins.defaults(&folder.origin);
            folder.add_from(&origin, "defaults", &parts)?;
            folder.uses.extend(self.tables.uses(version));
            folder.modules.push(quote!(
                pub mod defaults;
            ));
        }
        if let Some(parts) = canonical::emit(self.input.canonical, version) {
            folder.add("canonical", &parts)?;
            folder.modules.push(quote!(
                pub mod canonical;
            ));
        }
        let kinds = kinds_of(own);
        if !kinds.is_empty() {
            for (ty, _) in &kinds {
                let seen_to = self.input.canonical.below(self.input.types.api, ty);
                folder.uses.extend(seen_to.into_iter().map(|(_, id)| Module::of(id)));
            }
            folder.items = kinds::emit(self.input, self.by_member, self.tables, version, &kinds);
            folder.items.extend(kinds::resources(self.input.written, &kinds));
            folder.items.extend(convert::identities(functions).map(kinds::here));
            folder.items.extend(crds::implement(
                self.input.homes,
                self.input.crds,
                self.input.written,
                &kinds,
            ));
        }
        Ok(())
    }

    /// Exports of the types that are in users' source, so that all code finds them here.
    fn written(&self, module: &Module) -> Option<TokenStream> {
        let Module::Version(version) = module else { return None };
        let Written { types, words, .. } = self.input.written;
        let types = types.iter().map(|(id, place)| (id, &place.module, place.fingerprint));
        let words = words.iter().map(|(id, words)| (id, &words.module, words.fingerprint));
        let mut by_module: BTreeMap<&Vec<String>, Vec<syn::Ident>> = BTreeMap::new();
        let mut fingerprints = BTreeMap::new();
        for (id, path, fingerprint) in types.chain(words).filter(|(id, ..)| id.group_version == *version) {
            by_module.entry(path).or_default().push(ident(&id.name));
            fingerprints.insert(&id.name, fingerprint);
        }
        let exports = by_module.into_iter().map(|(path, mut names)| {
            names.sort();
            let path = path.iter().map(|name| ident(name));
            quote!(pub use crate #(::#path)* ::{#(#names),*};)
        });
        let command = &self.input.homes.target().generator.command;
        let asserted = fingerprints.iter().map(|(name, fingerprint)| {
            let message = format!("`{name}` has changed: run `{command}`");
            let (name, fingerprint) = (ident(name), hexadecimal(*fingerprint));
            quote!(assert!(#name::FINGERPRINT == #fingerprint, #message);)
        });
        let docs = description::doc(&["Stale code does not compile.".to_owned()]);
        let asserted = (!fingerprints.is_empty()).then(|| {
            quote! {
                #docs
                const _: () = {
                    use hubgen_machinery::reflect::Fingerprint as _;
                    #(#asserted)*
                };
            }
        });
        Some(quote!(#(#exports)* #asserted))
    }

    /// The beginning of `mod.rs`: its submodules, and exports of all its types.
    fn gathered(
        &self,
        module: &Module,
        type_files: &[TypeFile<'_>],
        shared: &[&Type],
        mut modules: Vec<TokenStream>,
    ) -> Vec<TokenStream> {
        let docs = match module {
            Module::Version(group_version) => {
                let version = &self.input.types.api.versions[group_version];
                format!(" `{}`{}.", group_version.api_version(), releases(version))
            }
            Module::Hubs { .. } => " Hubs that have more fields than any version.".to_owned(),
        };
        modules.extend(type_files.iter().map(|file| {
            let module = module_ident(&file.root.id.name);
            quote!(mod #module;)
        }));
        // Sorted by name, without regard to visibility and attributes.
        let name = |module: &TokenStream| module.to_string().rsplit(' ').nth(1).map(str::to_owned);
        modules.sort_by_key(name);
        let mut exports: Vec<_> = type_files
            .iter()
            .map(|file| {
                let module = module_ident(&file.root.id.name);
                let enums =
                    file.types.iter().flat_map(|ty| self.input.enums.after(ty)).map(|words| &words.id);
                let mut names: Vec<&str> =
                    file.types.iter().map(|ty| &ty.id).chain(enums).map(|id| id.name.as_str()).collect();
                names.sort_unstable();
                let names: Vec<_> = names.into_iter().map(ident).collect();
                match &*names {
                    [name] => quote!(pub use self::#module::#name;),
                    names => quote!(pub use self::#module::{#(#names),*};),
                }
            })
            .collect();
        exports.sort_by_key(ToString::to_string);
        // Types that another module defines, grouped by that module.
        let mut foreign: BTreeMap<Module, Vec<syn::Ident>> = BTreeMap::new();
        for ty in shared {
            let place = Module::of(self.input.sharing.representing(&ty.id));
            foreign.entry(place).or_default().push(ident(&ty.id.name));
        }
        let types: Vec<&Type> =
            type_files.iter().flat_map(|file| &file.types).chain(shared).copied().collect();
        for id in self.input.enums.elsewhere(module, &types) {
            foreign.entry(Module::of(id)).or_default().push(ident(&id.name));
        }
        let foreign = foreign.into_iter().map(|(place, mut names)| {
            names.sort();
            let place = self.input.homes.path(module, &place);
            quote!(pub use #place::{#(#names),*};)
        });
        vec![quote!(#![doc = #docs]), quote!(#(#modules)*), quote!(#(#exports)*), quote!(#(#foreign)*)]
    }
}

/// A number that means nothing to people.
fn hexadecimal(number: u64) -> Literal {
    format!("{number:#x}").parse().expect("a literal")
}

/// The front page of a group: its modules, and the features that enable them.
fn front_page(homes: &Homes<'_>, api: &Api, group: &str, modules: &[Module]) -> String {
    let name =
        if group.is_empty() { "The core group".to_owned() } else { format!("The API group `{group}`") };
    let mut out = format!("{name}, with all its versions.\n\n");
    if !homes.are_crates() {
        out.push_str("| module | content |\n| --- | --- |\n");
        for module in modules {
            let name = module.name();
            let _ = match module.version() {
                Some(version) => writeln!(out, "| `{name}` | `{}` |", version.api_version()),
                None => writeln!(out, "| `{name}` | hubs that have more fields than any version |"),
            };
        }
        return out;
    }
    out.push_str(
        "Each version is a module. A feature of the same name enables it, and the modules that it uses.\n\n\
         | feature | module |\n| --- | --- |\n",
    );
    for module in modules {
        let name = module.name();
        let _ = match module.version() {
            Some(version) => {
                let default = if api.versions[version].until.is_none() { ", a default" } else { "" };
                writeln!(
                    out,
                    "| `{name}`{default} | `{}`{} |",
                    version.api_version(),
                    releases(&api.versions[version])
                )
            }
            None => writeln!(out, "| `{name}` | hubs that have more fields than any version |"),
        };
    }
    let face = homes.face().unwrap_or_default();
    let _ = write!(out, "| `all` | all of these |\n\nThe crate `{face}` gathers all groups.");
    out.push_str(if homes.target().form == Form::Kubernetes {
        " Its front page has examples.\n"
    } else {
        "\n"
    });
    out
}

/// The releases that had a version, to follow its name.
fn releases(version: &Version) -> String {
    match (version.since, version.until) {
        (Some(since), Some(until)) => format!(", releases {since} to {until}"),
        (Some(since), None) => format!(", since release {since}"),
        _ => String::new(),
    }
}

/// The file with what belongs to no module: the modules themselves, registration, families, columns.
fn root(input: &Input<'_>, group: &str, modules: &[Module], families: &str, origin: &str) -> String {
    let homes = input.homes;
    let mut out = preamble(homes.target(), origin);
    out.push_str(&docs(&front_page(homes, input.types.api, group, modules)));
    out.push('\n');
    let mut types = modules.iter().flat_map(|module| module.types(input.types));
    let is_described =
        |ty: &Type| ty.description.is_some() || ty.fields().iter().any(|field| field.description.is_some());
    if types.any(is_described) {
        out.push_str("// Descriptions come from the schemas and are not written for rustdoc.\n");
        out.push_str("#![allow(rustdoc::all, clippy::doc_lazy_continuation)]\n\n");
    }
    let priority = input.behaviours.priorities.get(group);
    let names = if priority.is_some() { "{PriorityRow, Scheme}" } else { "Scheme" };
    let _ = writeln!(out, "use hubgen_machinery::scheme::{names};\n");
    // The modules are already formatted, but differently from rustfmt.
    let enabled = |module: &Module, indent: &str| match homes.are_crates() {
        true => format!("{indent}#[cfg(feature = \"{}\")]\n", module.name()),
        false => String::new(),
    };
    if !crds::of_group(input.crds, group).is_empty() {
        out.push_str("#[rustfmt::skip]\npub mod crds;\n\n");
    }
    for module in modules {
        let (cfg, name) = (enabled(module, ""), module.name());
        let _ = writeln!(out, "{cfg}#[rustfmt::skip]\npub mod {name};\n");
    }
    if let Some(priority) = priority {
        out.push_str(&behaviour::priority(group, priority));
    }
    let which = if homes.are_crates() { "all enabled versions" } else { "all versions" };
    let _ = writeln!(out, "/// Registers the kinds of {which} with a Scheme.");
    let kinds = modules.iter().map(|module| (module, own_kinds(input, module)));
    let registered: Vec<_> = kinds.filter(|(_, kinds)| !kinds.is_empty()).collect();
    if registered.is_empty() && priority.is_none() {
        out.push_str("pub fn register(_: &mut Scheme) {}\n");
        return out + families;
    }
    if homes.are_crates() {
        out.push_str("#[cfg_attr(not(feature = \"all\"), allow(unused_variables))]\n");
    }
    out.push_str("pub fn register(scheme: &mut Scheme) {\n");
    if priority.is_some() {
        out.push_str("    scheme.prioritize(&PRIORITY);\n");
    }
    for (module, kinds) in registered {
        let (cfg, name) = (enabled(module, "    "), module.name());
        let _ = writeln!(out, "{cfg}    scheme.register({name}::KINDS);");
        if !kinds::everywhere(&kinds).is_empty() {
            let _ = writeln!(
                out,
                "{cfg}    for kinds in {name}::OF_EVERY_VERSION {{\n        scheme.register(kinds);\n    }}"
            );
        }
    }
    out.push_str("}\n");
    out + families
}

/// The kinds that a module itself defines. Types of hubs are not kinds, since clients cannot name
/// them.
fn own_kinds<'a>(input: &Input<'a>, module: &Module) -> Vec<(&'a Type, &'a Kind)> {
    let mut types = module.types(input.types);
    types.retain(|ty| !input.sharing.is_shared(&ty.id));
    kinds_of(&types)
}

fn kinds_of<'a>(types: &[&'a Type]) -> Vec<(&'a Type, &'a Kind)> {
    types.iter().filter_map(|ty| Some((*ty, ty.kind.as_ref()?))).collect()
}
