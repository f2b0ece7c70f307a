//! Where the code of each group is: which crates or modules, and by which paths code names them.

use std::collections::BTreeSet;
use std::path::PathBuf;

use hubgen_model::{Api, TypeId};
use proc_macro2::TokenStream;
use quote::quote;
use syn::Ident;

use crate::module::Module;
use crate::naming::{ident, kubernetes_name, name_ident, snake, table_name};
use crate::target::{Form, Target};

/// The homes of all groups of an API: of those that are emitted, and of those that other crates
/// contain.
pub struct Homes<'a> {
    target: &'a Target,
    emitted: BTreeSet<&'a str>,
}

impl<'a> Homes<'a> {
    /// The homes for a target. Groups that the API only refers to are in Kubernetes' crates.
    pub fn new(target: &'a Target, api: &'a Api) -> Self {
        Self { target, emitted: api.own_versions().map(|(name, _)| name.group.as_str()).collect() }
    }

    /// What the code is generated for.
    pub fn target(&self) -> &'a Target {
        self.target
    }

    /// Whether code is emitted for a group. The types of other groups are in crates that exist.
    pub fn is_emitted(&self, group: &str) -> bool {
        self.emitted.contains(group)
    }

    /// Whether conversions declare what they do not distinguish, for the laws that users check. The
    /// canonical forms of Kubernetes' own types are those of upstream.
    pub fn declare_canonical(&self) -> bool {
        self.target.form != Form::Kubernetes
    }

    /// Whether each group is a crate.
    pub fn are_crates(&self) -> bool {
        !matches!(self.target.form, Form::Modules { .. })
    }

    /// A group in the name of its crate or module: `rbac`, `cert-manager`.
    fn name(&self, group: &str) -> String {
        if self.is_emitted(group) { self.target.name(group) } else { kubernetes_name(group).to_owned() }
    }

    /// The crate of a group, if it has one of its own: `hubgen-rbac`.
    pub fn package(&self, group: &str) -> Option<String> {
        let name = self.name(group);
        match &self.target.form {
            Form::Crates { prefix } if self.is_emitted(group) => Some(format!("{prefix}-{name}")),
            Form::Modules { .. } if self.is_emitted(group) => None,
            _ => Some(format!("hubgen-{name}")),
        }
    }

    /// The crate that gathers all groups, if each is a crate: `hubgen-kubernetes`.
    pub fn face(&self) -> Option<String> {
        match &self.target.form {
            Form::Kubernetes => Some("hubgen-kubernetes".to_owned()),
            Form::Crates { prefix } => Some(prefix.clone()),
            Form::Modules { .. } => None,
        }
    }

    /// A group's folder below the folder of generated code: its crate, or its module.
    pub fn folder(&self, group: &str) -> PathBuf {
        let name = self.name(group);
        if self.are_crates() { PathBuf::from(name) } else { PathBuf::from(snake(&name)) }
    }

    /// The folder that contains a folder for each module of a group.
    pub fn sources(&self, group: &str) -> PathBuf {
        let folder = self.folder(group);
        if self.are_crates() { folder.join("src") } else { folder }
    }

    /// The file with the items of a group that belong to no module.
    pub fn root_file(&self, group: &str) -> PathBuf {
        self.sources(group).join(if self.are_crates() { "lib.rs" } else { "mod.rs" })
    }

    /// A group as a module of what gathers all groups: `rbac`.
    pub fn gathered(&self, group: &str) -> Ident {
        name_ident(&self.name(group))
    }

    /// The path of what contains a group's modules, as code of the group names it: `crate`.
    pub fn inside(&self, group: &str) -> TokenStream {
        match &self.target.form {
            Form::Modules { path } => {
                let (path, name) = (path.iter().map(|name| ident(name)), self.gathered(group));
                quote!(crate #(::#path)* ::#name)
            }
            _ => quote!(crate),
        }
    }

    /// The same path, as code of other groups names it: `hubgen_rbac`.
    pub fn outside(&self, group: &str) -> TokenStream {
        match self.package(group) {
            Some(package) => {
                let name = ident(&package.replace('-', "_"));
                quote!(#name)
            }
            None => self.inside(group),
        }
    }

    /// A name for a module of another group, since versions of two groups can have the same name:
    /// `rbac_v1`.
    pub fn alias(&self, module: &Module) -> Ident {
        ident(&format!("{}_{}", snake(&self.name(module.group())), module.name()))
    }

    /// The path by which code in a file of `from` names a module.
    pub fn path(&self, from: &Module, to: &Module) -> TokenStream {
        let name = to.ident();
        if to == from {
            return quote!(super);
        }
        let group = to.group();
        let parent = if to.is_in_same_group(from) { self.inside(group) } else { self.outside(group) };
        quote!(#parent::#name)
    }

    /// The path by which code in a file of `from` names a type.
    pub fn type_path(&self, from: &Module, id: &TypeId) -> TokenStream {
        let (module, name) = (Module::of(id), ident(&id.name));
        let module = self.path(from, &module);
        quote!(#module::#name)
    }

    /// The path by which code in a file of `from` names facts about a type, such as its defaults.
    /// `table` is the file in the type's module that contains them.
    pub fn table_path(&self, from: &Module, id: &TypeId, table: &str) -> TokenStream {
        let (module, table, name) = (Module::of(id), ident(table), table_name(id));
        let module = self.path(from, &module);
        quote!(#module::#table::#name)
    }
}
