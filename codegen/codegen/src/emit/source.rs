//! Source text: formatted items below a first line that names their origin.

use std::fmt;
use std::path::Path;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Item, ItemUse, UseTree, Visibility};

use crate::target::Target;

/// Code that the emitter must not write, because it is not valid Rust or contradicts other code: the file, and the
/// code.
#[derive(Debug)]
pub struct InvalidCode(pub(super) String);

impl fmt::Display for InvalidCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidCode {}

/// What a file begins with: its origin, and that it must not be edited.
pub fn preamble(target: &Target, origin: &str) -> String {
    format!("// {}\n\n", target.first_line(origin))
}

/// The documentation of a crate, from Markdown.
pub fn docs(markdown: &str) -> String {
    let lines = markdown
        .lines()
        .map(|line| if line.is_empty() { "//!\n".to_owned() } else { format!("//! {line}\n") });
    lines.collect()
}

/// Formats a file of several parts, separated by empty lines.
///
/// # Errors
/// If a part is not valid Rust. The message contains the file's name.
pub fn file(
    target: &Target,
    path: &Path,
    origin: &str,
    parts: &[TokenStream],
) -> Result<String, InvalidCode> {
    let mut paragraphs = Vec::new();
    for part in parts.iter().filter(|part| !part.is_empty()) {
        let parsed: syn::File = syn::parse2(part.clone()).map_err(|error| {
            InvalidCode(format!("{}: the emitter wrote invalid Rust: {error}\n{part}", path.display()))
        })?;
        if !parsed.attrs.is_empty() {
            paragraphs.push(print(parsed.attrs, Vec::new()));
        }
        paragraphs.extend(runs(parsed.items).into_iter().map(|items| print(Vec::new(), items)));
    }
    Ok(preamble(target, origin) + &paragraphs.join("\n"))
}

/// Formats a file that users own from then on, with documentation of the module.
///
/// # Errors
/// If it is not valid Rust. The message contains the file's name.
pub fn owned(path: &Path, docs: &str, code: &TokenStream) -> Result<String, InvalidCode> {
    let parsed: syn::File = syn::parse2(code.clone()).map_err(|error| {
        InvalidCode(format!("{}: the emitter wrote invalid Rust: {error}\n{code}", path.display()))
    })?;
    let items = runs(parsed.items).into_iter().map(|items| print(Vec::new(), items));
    let items = items.collect::<Vec<_>>().join("\n");
    // The printer writes the arrows of columns in attributes as two tokens. The path after them is a plain text,
    // or a raw one with or without hashes.
    let arrows = ["\"", "r\"", "r#"];
    let items = arrows
        .iter()
        .fold(items, |items, path| items.replace(&format!("\" = >{path}"), &format!("\" => {path}")));
    Ok(format!("//! {docs}\n\n{items}"))
}

/// Formats a module of several parts, for a file that rustfmt formats.
///
/// # Errors
/// If a part is not valid Rust. The message contains the file's name.
pub fn module(path: &Path, name: &str, docs: &str, parts: &[TokenStream]) -> Result<String, InvalidCode> {
    let parsed: syn::File = syn::parse2(parts.iter().cloned().collect()).map_err(|error| {
        InvalidCode(format!("{}: the emitter wrote invalid Rust: {error}", path.display()))
    })?;
    let items = runs(parsed.items).into_iter().map(|items| print(Vec::new(), items));
    let items = items.collect::<Vec<_>>().join("\n");
    let mut out = format!("\n/// {docs}\n#[rustfmt::skip]\npub mod {name} {{\n");
    for line in items.lines() {
        out.push_str(if line.is_empty() { "" } else { "    " });
        out.push_str(line);
        out.push('\n');
    }
    Ok(out + "}\n")
}

/// Splits items into runs that are printed without empty lines between them: imports with the same
/// root, modules, exports. Every other item is a run. (The printer never inserts empty lines
/// between items.)
fn runs(items: Vec<Item>) -> Vec<Vec<Item>> {
    let (mut imports, rest): (Vec<_>, Vec<_>) = items.into_iter().partition(is_import);
    imports.iter_mut().for_each(sort_names);
    imports.sort_by_cached_key(|item| (root(item), item.to_token_stream().to_string()));
    let joins = |last: &Item, item: &Item| match (last, item) {
        (Item::Use(_), Item::Use(_)) if is_import(item) => root(last).group() == root(item).group(),
        (Item::Use(_), Item::Use(_)) | (Item::Mod(_), Item::Mod(_)) => true,
        _ => false,
    };
    let mut runs: Vec<Vec<Item>> = Vec::new();
    for item in imports.into_iter().chain(rest) {
        match runs.last_mut() {
            Some(run) if run.last().is_some_and(|last| joins(last, &item)) => run.push(item),
            _ => runs.push(vec![item]),
        }
    }
    runs
}

fn is_import(item: &Item) -> bool {
    matches!(item, Item::Use(ItemUse { vis: Visibility::Inherited, .. }))
}

/// The root of an import, in the usual order of imports.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Root {
    Std,
    Other,
    Super,
    Crate,
}

impl Root {
    /// Roots that share a block of imports.
    fn group(self) -> Self {
        if self == Self::Super { Self::Crate } else { self }
    }
}

fn root(item: &Item) -> Root {
    let Item::Use(ItemUse { tree: UseTree::Path(path), .. }) = item else { return Root::Other };
    match path.ident.to_string().as_str() {
        "std" => Root::Std,
        "super" => Root::Super,
        "crate" => Root::Crate,
        _ => Root::Other,
    }
}

/// Sorts the names in braces.
fn sort_names(item: &mut Item) {
    let Item::Use(ItemUse { tree, .. }) = item else { return };
    let mut tree = tree;
    loop {
        match tree {
            UseTree::Path(path) => tree = &mut path.tree,
            UseTree::Group(group) => {
                let mut names: Vec<UseTree> = group.items.iter().cloned().collect();
                names.sort_by_cached_key(|name| {
                    let name = name.to_token_stream().to_string();
                    (name != "self", name)
                });
                group.items = names.into_iter().collect();
                return;
            }
            _ => return,
        }
    }
}

fn print(attrs: Vec<syn::Attribute>, items: Vec<Item>) -> String {
    let text = prettyplease::unparse(&syn::File { shebang: None, attrs, items, frontmatter: None });
    // The printer does not insert empty lines between the items of a block either.
    let starts = ["    fn ", "    pub fn ", "    const "];
    let is_constant = |line: &str| line.starts_with("    const ") && line.ends_with(';');
    let mut out = String::with_capacity(text.len());
    let mut last = "";
    for line in text.lines() {
        let ends = ["    }", "    ];", "    );"].contains(&last)
            || last.starts_with("    type ")
            || is_constant(last);
        if ends && starts.iter().any(|start| line.starts_with(start)) {
            out.push('\n');
        }
        out.push_str(line);
        out.push('\n');
        last = line;
    }
    out
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    /// A path with a backslash or a quote is a raw text, with hashes where it needs them.
    #[test]
    fn arrows_of_columns_are_one_token() {
        let code = quote! {
            #[hubgen(
                column("Plain" => ".spec.a"),
                column("Owner" => r".metadata.labels['example\.com/owner']"),
                column("Ready" => r#".status.conditions[?(@.type=="Ready")].status"#)
            )]
            struct Alpha;
        };
        let text = owned(Path::new("alpha.rs"), "Alpha.", &code).unwrap();
        for expected in [
            r#"column("Plain" => ".spec.a")"#,
            r#"column("Owner" => r".metadata.labels['example\.com/owner']")"#,
            r###"column("Ready" => r#".status.conditions[?(@.type=="Ready")].status"#)"###,
        ] {
            assert!(text.contains(expected), "expected {expected} in\n{text}");
        }
        syn::parse_file(&text).unwrap();
    }
}
