//! The modules of a crate, as they are declared.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use syn::visit::Visit;
use syn::{Attribute, Item};

use super::paths;

/// A module, with the names that are in it.
#[derive(Default)]
pub struct Module {
    pub name: String,
    pub parent: usize,
    pub file: PathBuf,
    pub children: BTreeMap<String, usize>,
    /// What is defined here, other than modules.
    pub items: BTreeSet<String>,
    /// Names that `use` brings here, each with the paths that it stands for.
    pub imports: BTreeMap<String, Vec<Vec<String>>>,
    /// Paths whose names `use path::*` brings here.
    pub globs: Vec<Vec<String>>,
    /// The paths that it names, each with the first line.
    pub named: BTreeMap<Vec<String>, usize>,
}

/// All modules of a crate. The first is its root, whose parent is itself.
pub struct Tree {
    pub modules: Vec<Module>,
}

impl Tree {
    pub fn of_file(root: &Path) -> Self {
        let mut tree = Self { modules: Vec::new() };
        let folder = root.parent().expect("a file is in a folder");
        tree.add_file("crate", 0, root, folder);
        tree
    }

    pub fn of_text(text: &str) -> Self {
        let mut tree = Self { modules: Vec::new() };
        let items = syn::parse_file(text).expect("the text is Rust").items;
        tree.add("crate", 0, Path::new("lib.rs"), Path::new(""), &items);
        tree
    }

    /// The modules from the root to this one, both included.
    pub fn ancestry(&self, mut module: usize) -> Vec<usize> {
        let mut line = vec![module];
        while module != 0 {
            module = self.modules[module].parent;
            line.push(module);
        }
        line.reverse();
        line
    }

    /// Adds the module in this file, whose children have their files in this folder.
    fn add_file(&mut self, name: &str, parent: usize, file: &Path, folder: &Path) -> usize {
        let text =
            std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let parsed = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        self.add(name, parent, file, folder, &parsed.items)
    }

    fn add(&mut self, name: &str, parent: usize, file: &Path, folder: &Path, items: &[Item]) -> usize {
        let index = self.modules.len();
        self.modules.push(Module {
            name: name.to_owned(),
            parent,
            file: file.to_owned(),
            ..Module::default()
        });
        for item in items.iter().filter(|item| !attributes(item).iter().any(is_for_tests)) {
            if let Item::Mod(module) = item {
                self.add_child(index, module, file, folder);
                continue;
            }
            let module = &mut self.modules[index];
            module.items.extend(name_of(item));
            paths::Reader { module }.visit_item(item);
        }
        index
    }

    fn add_child(&mut self, parent: usize, module: &syn::ItemMod, file: &Path, folder: &Path) {
        let name = module.ident.to_string();
        let child = if let Some((_, items)) = &module.content {
            self.add(&name, parent, file, &folder.join(&name), items)
        } else if let Some(path) = module.attrs.iter().find_map(path_of) {
            let file = file.parent().expect("a file is in a folder").join(path);
            let folder = file.parent().expect("a file is in a folder").to_owned();
            self.add_file(&name, parent, &file, &folder)
        } else {
            let own = folder.join(&name);
            let file = folder.join(format!("{name}.rs"));
            let file = if file.exists() { file } else { own.join("mod.rs") };
            self.add_file(&name, parent, &file, &own)
        };
        self.modules[parent].children.insert(name, child);
    }
}

/// `#[cfg(test)]`, `#[test]`, and whatever else asks for `test`.
pub fn is_for_tests(attribute: &Attribute) -> bool {
    let tokens = match &attribute.meta {
        syn::Meta::List(list) if list.path.is_ident("cfg") => list.tokens.to_string(),
        _ => String::new(),
    };
    let has = |wanted: &str| tokens.split(|c: char| !c.is_alphanumeric()).any(|word| word == wanted);
    attribute.path().is_ident("test") || has("test") && !has("not")
}

/// The file that `#[path = "…"]` names.
fn path_of(attribute: &Attribute) -> Option<String> {
    match &attribute.meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(path), .. }) => Some(path.value()),
            _ => None,
        },
        _ => None,
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn name_of(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::TraitAlias(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}
