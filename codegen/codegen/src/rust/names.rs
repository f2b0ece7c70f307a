//! What a path in a module names.

use syn::{Item, Path, Type};

use super::modules::{ItemPath, Module, Modules, WrittenPath};

/// What a path names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// A struct or an enum of the modules that are read.
    Own(ItemPath),
    /// An item of the language or of another crate: `Vec`, `hubgen_meta::v1::ObjectMeta`.
    Outside(ItemPath),
    /// An item of the user's crate that is not in the modules that are read.
    Unread(ItemPath),
}

/// How many `use` and `type` items a path may lead through.
const DEPTH: usize = 32;

impl Modules {
    /// What a path in a module names.
    pub(super) fn resolve(&self, module: &ItemPath, path: &Path) -> Named {
        let names = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let is_global = path.leading_colon.is_some();
        self.find(module, &WrittenPath { is_global, names, is_public: false }, DEPTH)
    }

    /// The outermost module that exports an item: `v1` for `v1::key::PrivateKey`, where `v1` contains
    /// `pub use self::key::PrivateKey`. Modules such as `key` are often private.
    pub(super) fn exported_from(&self, item: &ItemPath) -> ItemPath {
        let Some((name, module)) = item.split_last() else { return ItemPath::new() };
        let exports = |outer: &ItemPath| {
            let Some(content) = self.all.get(outer) else { return false };
            let named = content.uses.get(name).is_some_and(|path| path.is_public);
            let globbed = content.globs.iter().any(|path| path.is_public);
            (named || globbed)
                && self.absolute([outer, std::slice::from_ref(name)].concat(), DEPTH)
                    == Named::Own(item.clone())
        };
        let outer = (1..module.len()).map(|length| module[..length].to_vec());
        outer.into_iter().find(exports).unwrap_or_else(|| module.to_vec())
    }

    /// The type that an alias of a module stands for: `type Names = Vec<Str>`.
    pub(super) fn alias(&self, item: &ItemPath) -> Option<(ItemPath, &Type)> {
        let (name, module) = item.split_last()?;
        let items = &self.all.get(module)?.items;
        items.iter().find_map(|item| match item {
            Item::Type(alias) if alias.ident == *name && alias.generics.params.is_empty() => {
                Some((module.to_vec(), &*alias.ty))
            }
            _ => None,
        })
    }

    fn find(&self, module: &ItemPath, path: &WrittenPath, depth: usize) -> Named {
        let outside = || Named::Outside(path.names.clone());
        let Some((first, rest)) = path.names.split_first().filter(|_| depth > 0) else { return outside() };
        if path.is_global {
            return outside();
        }
        match first.as_str() {
            "crate" => return self.absolute(rest.to_vec(), depth),
            "self" => return self.absolute([module, rest].concat(), depth),
            "super" => {
                let mut parent = module.clone();
                parent.pop();
                let ups = rest.iter().take_while(|name| *name == "super").count();
                parent.truncate(parent.len().saturating_sub(ups));
                return self.absolute([&parent, &rest[ups..]].concat(), depth);
            }
            _ => {}
        }
        let here = [module, std::slice::from_ref(first)].concat();
        if self.all.contains_key(&here) || self.declares(module, first) {
            return self.absolute([&here, rest].concat(), depth);
        }
        let Some(own) = self.all.get(module) else { return outside() };
        if let Some(used) = own.uses.get(first) {
            let mut target = used.clone();
            target.names.extend_from_slice(rest);
            return self.used(module, &target, depth);
        }
        self.globbed(module, own, first, rest, depth).unwrap_or_else(outside)
    }

    /// What the path of `use` in a module names. It begins with a name of the module, or of a crate.
    fn used(&self, module: &ItemPath, path: &WrittenPath, depth: usize) -> Named {
        let Some(first) = path.names.first() else { return Named::Outside(Vec::new()) };
        let is_here = path.is_global
            || ["crate", "self", "super"].contains(&first.as_str())
            || self.all.contains_key(&[module, std::slice::from_ref(first)].concat())
            || self.declares(module, first)
            || self.all[module].uses.get(first).is_some_and(|other| other.names.first() != Some(first));
        if is_here && depth > 0 {
            self.find(module, path, depth - 1)
        } else {
            Named::Outside(path.names.clone())
        }
    }

    /// What a path of the crate names.
    fn absolute(&self, path: ItemPath, depth: usize) -> Named {
        let Some((name, parent)) = path.split_last() else { return Named::Unread(path) };
        // The longest part of the path that is a module.
        let known = (0..path.len()).rev().find(|length| self.all.contains_key(&path[..*length]));
        let Some(known) = known else { return Named::Unread(path) };
        if known == parent.len() && self.declares(&parent.to_vec(), name) {
            return Named::Own(path);
        }
        // What the module itself uses.
        let module = &self.all[&path[..known]];
        let (first, rest) = (&path[known], &path[known + 1..]);
        let within = path[..known].to_vec();
        if let Some(used) = module.uses.get(first).filter(|_| depth > 0) {
            let mut target = used.clone();
            target.names.extend_from_slice(rest);
            return self.used(&within, &target, depth);
        }
        self.globbed(&within, module, first, rest, depth).unwrap_or(Named::Unread(path))
    }

    /// What a name is that a path with `*` brings into a module.
    fn globbed(
        &self,
        module: &ItemPath,
        own: &Module,
        first: &str,
        rest: &[String],
        depth: usize,
    ) -> Option<Named> {
        if depth == 0 || PRELUDE.contains(&first) {
            return None;
        }
        own.globs.iter().find_map(|glob| {
            let mut target = glob.clone();
            target.names.push(first.to_owned());
            target.names.extend_from_slice(rest);
            match self.used(module, &target, depth - 1) {
                found @ Named::Own(_) => Some(found),
                // What other crates contain is not known, except for ours.
                found @ Named::Outside(_) if is_ours(&glob.names, first) => Some(found),
                _ => None,
            }
        })
    }

    /// Whether a module contains a struct, an enum or an alias with that name.
    fn declares(&self, module: &ItemPath, name: &str) -> bool {
        let items = self.all.get(module).map(|module| module.items.as_slice()).unwrap_or_default();
        items.iter().any(|item| match item {
            Item::Struct(item) => item.ident == name,
            Item::Enum(item) => item.ident == name,
            Item::Type(item) => item.ident == name,
            Item::Union(item) => item.ident == name,
            _ => false,
        })
    }
}

/// Names of the language that no `*` replaces.
const PRELUDE: [&str; 11] =
    ["Option", "Vec", "Box", "String", "bool", "i32", "i64", "u32", "u64", "f32", "f64"];

/// What hubgen-machinery exports at its root of the types that fields can have, and the modules of the others.
const MACHINERY: [&str; 4] = ["Str", "StrMap", "json", "scalar"];

/// Whether a name may be one of ours, by a path with `*`.
fn is_ours(glob: &[String], name: &str) -> bool {
    match glob.first().map(String::as_str) {
        Some("hubgen_machinery") => MACHINERY.contains(&name),
        Some(package) => package.starts_with("hubgen_") && !MACHINERY.contains(&name),
        None => false,
    }
}
