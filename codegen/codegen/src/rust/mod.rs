//! Reads users' Rust into the model: modules with structs and enums that have `#[derive(ApiType)]`.
//!
//! In three steps: `modules` finds files and items, and `found` those with the derive; `names` and `field_type` find
//! what types refer to; and `types` makes types of the model, to which `flatten` adds the fields of flattened objects.
//! `rules` lowers attributes about older versions to conversion rules. Attributes are parsed by the derive itself.

mod differences;
mod facts;
mod field_type;
mod flatten;
mod found;
pub(crate) mod kinds;
mod modules;
mod names;
mod rules;
mod types;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

pub use self::rules::Lowered;
use hubgen_documents::{Diagnostic, Source};
use hubgen_model::{Api, Facts, GroupVersion, TypeId};

/// The module of a user's crate that contains the types of an API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// Its file: `src/api/mod.rs`.
    pub file: PathBuf,
    /// Its path from the root of the crate: `["api"]`.
    pub module: Vec<String>,
    /// The path of the module with generated code, which is not read.
    pub generated: Vec<String>,
}

/// What users' Rust defines.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// The types. They may refer to those of Kubernetes, which it does not contain.
    pub api: Api,
    /// Where each type is written. Lists of kinds are not written, but generated.
    pub types: BTreeMap<TypeId, Place>,
    /// The enums of words, and the leaves, which are enums without words of their own.
    pub words: BTreeMap<TypeId, Words>,
    /// The conversion rules that attributes specify.
    pub rules: Vec<Lowered>,
    /// The types that are in a `Box` wherever they are optional, each with a field as an example.
    pub boxed: BTreeMap<TypeId, bool>,
    /// The fields with texts or maps: for each of these, from the outside, whether it is a `String` or `BTreeMap`, not
    /// a `Str` or `StrMap`.
    pub standard: BTreeMap<TypeId, BTreeMap<String, Vec<bool>>>,
}

/// Where a type is written.
#[derive(Clone, Debug)]
pub struct Place {
    /// Its module: `["api", "v1"]`.
    pub module: Vec<String>,
    /// Its file.
    pub source: Source,
    /// Its name in the file.
    pub span: Range<usize>,
    /// The names of its fields in the file, by their names in JSON.
    pub fields: BTreeMap<String, Range<usize>>,
    /// Whether it is an enum of objects, which is one field of the object.
    pub is_one_of: bool,
    /// Whether the derive makes the definition of the kind, unless generated code has one.
    pub defines: bool,
    /// By which generated code notices that the type has changed.
    pub fingerprint: u64,
}

impl Place {
    /// The path of its module: `crate::api::v1`.
    pub fn path(&self) -> String {
        let names = self.module.iter().map(String::as_str);
        ["crate"].into_iter().chain(names).collect::<Vec<_>>().join("::")
    }
}

/// An enum of words, or a leaf.
#[derive(Clone, Debug)]
pub struct Words {
    /// Its module.
    pub module: Vec<String>,
    /// Its variants: name in Rust, and word.
    pub words: Vec<(String, String)>,
    /// The variant that contains all other words; `None` if they are refused.
    pub other: Option<String>,
    /// What the schema of a leaf specifies about its texts; `None` for an enum.
    pub leaf: Option<Facts>,
    /// The fields that contain it: type, and name in JSON.
    pub fields: Vec<(TypeId, String)>,
    /// By which generated code notices that the enum has changed.
    pub fingerprint: u64,
}

impl Written {
    /// Whether a type is an enum of objects.
    pub fn is_one_of(&self, id: &TypeId) -> bool {
        self.types.get(id).is_some_and(|place| place.is_one_of)
    }

    /// Turns errors in rules that were lowered into errors at the attributes.
    pub fn locate_rules(&self, schemas: &Path, errors: Vec<Diagnostic>) -> Vec<Diagnostic> {
        let locate = |error| self.rules.iter().fold(error, |error, rules| rules.locate(schemas, error));
        errors.into_iter().map(locate).collect()
    }

    /// Turns an error at a type in the schema of a version into one at the type in its file.
    pub fn locate(&self, schemas: &Path, error: Diagnostic) -> Diagnostic {
        let Some((place, field)) = self.place(schemas, &error) else { return error };
        let span = field.and_then(|field| place.fields.get(field)).unwrap_or(&place.span);
        let path = error.path.trim_start_matches("components.schemas.").replace(".properties.", ".");
        place.source.error(span.clone(), path, error.message.clone(), error.help.clone())
    }

    /// The type and the field that an error in a schema is about.
    fn place<'a>(&'a self, schemas: &Path, error: &'a Diagnostic) -> Option<(&'a Place, Option<&'a str>)> {
        let file = error.file.strip_prefix(schemas).ok()?;
        let mut names = error.path.strip_prefix("components.schemas.")?.split('.');
        let name = names.next()?;
        let field = names.nth(1);
        let is_here = |id: &&TypeId| {
            let folder =
                file.parent().is_some_and(|folder| folder == Path::new(id.group_version.group_or_core()));
            folder
                && file.file_stem().is_some_and(|stem| *stem == *id.group_version.version)
                && id.name == name
        };
        let id = self.types.keys().find(is_here)?;
        Some((&self.types[id], field))
    }
}

/// Reads a module and all modules in it. `kubernetes` are the group versions that types may refer to.
///
/// # Errors
/// All errors, in the order of files and lines.
pub fn read(root: &Root, kubernetes: impl Iterator<Item = GroupVersion>) -> Result<Written, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let modules = modules::Modules::read(&root.file, root.module.clone(), &root.generated, &mut errors);
    let written = types::assemble(&modules, &field_type::crates(kubernetes), &mut errors);
    errors.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
    if errors.is_empty() { Ok(written) } else { Err(errors) }
}

/// The file of a module by the path that `hubgen.toml` names: `src/api` is `src/api.rs` or
/// `src/api/mod.rs`.
pub fn file_of(path: &Path) -> PathBuf {
    if path.extension().is_some_and(|extension| extension == "rs") {
        return path.to_owned();
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    modules::file_of(path.parent().unwrap_or(Path::new("")), &name)
}
