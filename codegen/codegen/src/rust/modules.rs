//! The modules of a user's crate: their files, and the items in them.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hubgen_documents::{Diagnostic, Source};
use syn::spanned::Spanned;
use syn::{Attribute, Item, Lit, Meta, UseTree, Visibility};

/// The path of a module or an item from the root of the crate: `["api", "v1"]`.
pub(super) type ItemPath = Vec<String>;

/// A module.
pub(super) struct Module {
    /// Its file.
    pub source: Source,
    /// Its items, without the modules in it.
    pub items: Vec<Item>,
    /// What `use` names in it, each with its path as it is written.
    pub uses: BTreeMap<String, WrittenPath>,
    /// The paths that end in `*`.
    pub globs: Vec<WrittenPath>,
    /// The condition under which it is compiled, if there is one: `#[cfg(feature = "beta")]`.
    pub condition: Option<String>,
}

/// A path as it is written.
#[derive(Clone, Debug)]
pub(super) struct WrittenPath {
    /// Whether it begins with `::`.
    pub is_global: bool,
    pub names: Vec<String>,
    /// Whether other modules see what it names: `pub use`.
    pub is_public: bool,
}

/// The modules below a module, itself included.
pub(super) struct Modules {
    pub all: BTreeMap<ItemPath, Module>,
}

impl Modules {
    /// Reads a module and all modules in it, except the one with generated code.
    pub(super) fn read(
        file: &Path,
        path: ItemPath,
        generated: &[String],
        errors: &mut Vec<Diagnostic>,
    ) -> Self {
        let mut reader = Reader { generated, all: BTreeMap::new(), errors };
        let help = "let `source` in hubgen.toml name a module that has a file of its own, such as `src/api`; one inside of \
                    another file, `mod api { … }`, is not read";
        reader.file(file, path, None, help);
        Self { all: reader.all }
    }
}

/// What to do about a module without a file.
const MISSING: &str = "add the file, or remove the module";

struct Reader<'a> {
    generated: &'a [String],
    all: BTreeMap<ItemPath, Module>,
    errors: &'a mut Vec<Diagnostic>,
}

impl Reader<'_> {
    fn file(&mut self, file: &Path, path: ItemPath, condition: Option<String>, help: &str) {
        let text = match fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) => {
                let is_plain = path.last().is_some_and(|name| file.file_stem() == Some(name.as_ref()));
                let message = match error.kind() {
                    io::ErrorKind::NotFound if is_plain => {
                        let other = file.with_extension("").join("mod.rs");
                        format!("is not there, and neither is {}", other.display())
                    }
                    _ => format!("cannot be read: {error}"),
                };
                self.errors.push(Diagnostic::file(file, message, help));
                return;
            }
        };
        let source = Source::new(file, text);
        match syn::parse_file(source.text()) {
            Ok(parsed) => {
                // Files of submodules are beside `mod.rs`, and below `v1` for `v1.rs`.
                let name = file.file_stem().unwrap_or_default();
                let folder = file.parent().unwrap_or(Path::new(""));
                let is_root = ["mod", "lib", "main"].iter().any(|root| name == *root);
                let folder = if is_root { folder.to_owned() } else { folder.join(name) };
                self.module(&source, &folder, path, parsed.items, condition);
            }
            Err(error) => {
                let span = error.span().byte_range();
                self.errors.push(source.error(span, "", format!("is not valid Rust: {error}"), "correct it"));
            }
        }
    }

    fn module(
        &mut self,
        source: &Source,
        folder: &Path,
        path: ItemPath,
        items: Vec<Item>,
        condition: Option<String>,
    ) {
        let mut module = Module {
            source: source.clone(),
            items: Vec::new(),
            uses: BTreeMap::new(),
            globs: Vec::new(),
            condition: condition.clone(),
        };
        for item in items {
            match item {
                Item::Mod(inner) => {
                    let name = inner.ident.to_string();
                    let inner_path: ItemPath = path.iter().cloned().chain([name.clone()]).collect();
                    let own = conditions(&inner.attrs);
                    // Tests have no types of the API.
                    if inner_path == self.generated || own.as_deref() == Some("#[cfg(test)]") {
                        continue;
                    }
                    let condition = own.or_else(|| condition.clone());
                    match inner.content {
                        Some((_, items)) => {
                            self.module(source, &folder.join(&name), inner_path, items, condition);
                        }
                        None => {
                            match inner.attrs.iter().find(|attribute| attribute.path().is_ident("path")) {
                                Some(attribute) => {
                                    let file = path_of(attribute).map(|file| {
                                        source.file().parent().unwrap_or(Path::new("")).join(file)
                                    });
                                    if let Some(file) = file {
                                        self.file(&file, inner_path, condition, MISSING);
                                    }
                                }
                                None => self.file(&file_of(folder, &name), inner_path, condition, MISSING),
                            }
                        }
                    }
                }
                Item::Use(item) => {
                    let start = WrittenPath {
                        is_global: item.leading_colon.is_some(),
                        names: Vec::new(),
                        is_public: !matches!(item.vis, Visibility::Inherited),
                    };
                    module.name(&start, &item.tree);
                }
                item => module.items.push(item),
            }
        }
        self.all.insert(path, module);
    }
}

impl Module {
    /// Adds what `use` names.
    fn name(&mut self, start: &WrittenPath, tree: &UseTree) {
        let with = |name: &syn::Ident| {
            let mut path = start.clone();
            path.names.push(name.to_string());
            path
        };
        match tree {
            UseTree::Path(path) => self.name(&with(&path.ident), &path.tree),
            UseTree::Name(name) if name.ident == "self" => {
                if let Some(last) = start.names.last() {
                    self.uses.insert(last.clone(), start.clone());
                }
            }
            UseTree::Name(name) => drop(self.uses.insert(name.ident.to_string(), with(&name.ident))),
            UseTree::Rename(rename) => {
                let path = if rename.ident == "self" { start.clone() } else { with(&rename.ident) };
                self.uses.insert(rename.rename.to_string(), path);
            }
            UseTree::Glob(_) => self.globs.push(start.clone()),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.name(start, tree)),
        }
    }
}

/// The first condition among attributes, as it is written.
pub(super) fn conditions(attributes: &[Attribute]) -> Option<String> {
    let attribute = attributes.iter().find(|attribute| attribute.path().is_ident("cfg"))?;
    attribute.span().source_text()
}

/// The file that `#[path = "…"]` names.
fn path_of(attribute: &Attribute) -> Option<PathBuf> {
    let Meta::NameValue(pair) = &attribute.meta else { return None };
    let syn::Expr::Lit(literal) = &pair.value else { return None };
    let Lit::Str(text) = &literal.lit else { return None };
    Some(PathBuf::from(text.value()))
}

/// The file of a module: `v1.rs`, or `v1/mod.rs` if that exists.
pub(super) fn file_of(folder: &Path, name: &str) -> PathBuf {
    let below = folder.join(name).join("mod.rs");
    if below.is_file() { below } else { folder.join(format!("{name}.rs")) }
}
