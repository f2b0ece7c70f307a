//! The paths that the items of a module name.

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{ImplItemFn, ItemUse, Macro, Path, Stmt, UseTree};

use super::tree::{Module, is_for_tests};

/// Macros whose tokens are code of another crate.
const OF_OTHERS: [&str; 3] = ["quote", "quote_spanned", "parse_quote"];

/// Adds to a module what an item names.
pub struct Reader<'a> {
    pub module: &'a mut Module,
}

impl Reader<'_> {
    fn name(&mut self, path: Vec<String>, line: usize) {
        self.module.named.entry(path).or_insert(line);
    }

    fn read_use(&mut self, tree: &UseTree, before: &[String], line: usize) {
        let with = |name: &proc_macro2::Ident| {
            let name = name.to_string();
            let is_self = name == "self" && !before.is_empty();
            before.iter().cloned().chain((!is_self).then_some(name)).collect::<Vec<_>>()
        };
        match tree {
            UseTree::Path(tree) => self.read_use(&tree.tree, &with(&tree.ident), line),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.read_use(tree, before, line)),
            UseTree::Glob(_) => {
                self.module.globs.push(before.to_vec());
                self.name(before.to_vec(), line);
            }
            UseTree::Name(name) => {
                let path = with(&name.ident);
                self.import(path.last().cloned().unwrap_or_default(), path, line);
            }
            UseTree::Rename(rename) => self.import(rename.rename.to_string(), with(&rename.ident), line),
        }
    }

    fn import(&mut self, name: String, path: Vec<String>, line: usize) {
        self.name(path.clone(), line);
        self.module.imports.entry(name).or_default().push(path);
    }

    /// The paths in the tokens of a macro, whose grammar nobody knows.
    fn read_tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut line = 0;
        // Colons since the last word; something else before a word, such as a dot, makes it no path.
        let mut between = String::new();
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if between != "::" || path.is_empty() {
                        self.end(&mut path, line);
                    }
                    if !matches!(between.as_str(), "." | "::") || !path.is_empty() {
                        line = ident.span().start().line;
                        path.push(ident.to_string());
                    }
                    between.clear();
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' && between == ":" => between.push(':'),
                TokenTree::Punct(punct) => between = punct.as_char().to_string(),
                TokenTree::Group(group) => {
                    self.end(&mut path, line);
                    self.read_tokens(group.stream());
                    between.clear();
                }
                TokenTree::Literal(_) => between.clear(),
            }
        }
        self.end(&mut path, line);
    }

    fn end(&mut self, path: &mut Vec<String>, line: usize) {
        if !path.is_empty() {
            self.name(std::mem::take(path), line);
        }
    }
}

impl<'a> Visit<'a> for Reader<'_> {
    fn visit_item_use(&mut self, item: &'a ItemUse) {
        if item.leading_colon.is_none() {
            self.read_use(&item.tree, &[], item.use_token.span.start().line);
        }
    }

    fn visit_path(&mut self, path: &'a Path) {
        if path.leading_colon.is_none() {
            let names: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            self.name(names, path.segments[0].ident.span().start().line);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, called: &'a Macro) {
        self.visit_path(&called.path);
        let is_of_others = |name: &syn::Ident| OF_OTHERS.iter().any(|other| name == other);
        if !called.path.get_ident().is_some_and(is_of_others) {
            self.read_tokens(called.tokens.clone());
        }
    }

    fn visit_attribute(&mut self, _: &'a syn::Attribute) {}

    fn visit_impl_item_fn(&mut self, item: &'a ImplItemFn) {
        if !item.attrs.iter().any(is_for_tests) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_stmt(&mut self, statement: &'a Stmt) {
        // A module inside of a function is nothing that anybody else can name.
        if !matches!(statement, Stmt::Item(syn::Item::Mod(_))) {
            visit::visit_stmt(self, statement);
        }
    }
}
