//! What a path means where it is written.

use std::collections::BTreeSet;

use super::tree::Tree;

/// Looks up paths in a crate.
pub struct Resolver<'a> {
    tree: &'a Tree,
    /// The names that are being looked up, each with its module: imports can name each other.
    open: Vec<(usize, String)>,
}

impl<'a> Resolver<'a> {
    pub fn new(tree: &'a Tree) -> Self {
        Self { tree, open: Vec::new() }
    }

    /// The modules that a path in a module goes through, to the one that defines what it names. None for what other
    /// crates define. Where the end of the path is unknown, such as what a macro defines, its beginning counts.
    pub fn modules(&mut self, module: usize, path: &[String]) -> BTreeSet<usize> {
        let lengths = (1..=path.len()).rev();
        lengths.into_iter().find_map(|length| self.walk(module, &path[..length])).unwrap_or_default()
    }

    fn walk(&mut self, module: usize, path: &[String]) -> Option<BTreeSet<usize>> {
        let Some((first, rest)) = path.split_first() else { return Some(BTreeSet::from([module])) };
        match first.as_str() {
            "crate" => self.walk(0, rest),
            "self" => self.walk(module, rest),
            "super" => self.walk(self.tree.modules[module].parent, rest),
            name => {
                let open = (module, name.to_owned());
                if self.open.contains(&open) {
                    return None;
                }
                self.open.push(open);
                let found = self.step(module, name, rest);
                self.open.pop();
                found
            }
        }
    }

    /// A name can stand for a module and for a function at once; all that it can stand for counts.
    fn step(&mut self, module: usize, name: &str, rest: &[String]) -> Option<BTreeSet<usize>> {
        let tree = self.tree;
        let here = &tree.modules[module];
        let mut found: Vec<BTreeSet<usize>> = Vec::new();
        if here.items.contains(name) {
            found.push(BTreeSet::new());
        }
        if let Some(&child) = here.children.get(name) {
            found.extend(self.walk(child, rest));
        }
        for import in here.imports.get(name).into_iter().flatten() {
            found.extend(self.walk(module, &[import, rest].concat()));
        }
        if found.is_empty() && !here.imports.contains_key(name) {
            for glob in &here.globs {
                found.extend(self.walk(module, &[glob.as_slice(), &[name.to_owned()], rest].concat()));
            }
        }
        if found.is_empty() {
            return None;
        }
        Some(found.into_iter().flatten().chain([module]).collect())
    }
}
