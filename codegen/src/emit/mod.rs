//! From the model to Rust: one crate per group and the face that gathers them.
//!
//! ```text
//! schemas → model → families, hubs, sharing → files → generated/
//! ```

mod canonical;
pub mod convert;
mod defaults;
mod elsewhere;
mod face;
mod families;
mod folder;
mod identifiers;
mod kinds;
mod krate;
mod layout;
mod module;
mod paths;
mod source;
mod types;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use hubgen_model::GroupVersion;
use hubgen_model::canonical::CanonicalForms;
use hubgen_model::defaults::Defaults;
use hubgen_plan::sharing::Sharing;
use hubgen_plan::{Family, FamilyPlan, Types, report};

use self::elsewhere::Elsewhere;
pub use self::identifiers::{crate_dir, field_ident};
pub(crate) use self::identifiers::{field_name, is_ident, module_ident};
pub use self::module::Module;
pub use self::paths::type_path;
pub use self::types::{Context, Recursion};

/// How one version of a family gets to the hub and back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// By generated functions.
    Generated,
    /// Never, for this reason.
    NotConvertible(String),
}

/// What the emitter writes from.
pub struct Input<'a> {
    /// All types: the versions' and the hubs'.
    pub types: Types<'a>,
    /// Every family.
    pub families: &'a [Family],
    /// Defaults beyond the schemas'.
    pub defaults: &'a Defaults,
    /// What types say twice or in two ways.
    pub canonical: &'a CanonicalForms,
    /// Which types are one.
    pub sharing: &'a Sharing,
    /// How the versions of each family map, for docs.
    pub plans: &'a [FamilyPlan],
    /// How each version of each family with several versions converts.
    pub conversions: &'a BTreeMap<(String, GroupVersion), Conversion>,
    /// Conversion functions, by version.
    pub functions: &'a BTreeMap<GroupVersion, Vec<Functions>>,
}

/// How one kind at one version converts, as code.
pub enum Functions {
    /// The version's own type is the hub, and nothing has to be done.
    Identity {
        /// The type.
        ty: String,
    },
    /// By functions of its own.
    Written {
        /// The kind.
        kind: String,
        /// The functions.
        code: proc_macro2::TokenStream,
        /// The modules whose types the code names.
        names: BTreeSet<Module>,
    },
}

/// Writes all crates and the report of conversions: paths below `generated/`,
/// and what is in each file.
///
/// # Errors
/// When generated code does not parse, which is a fault of the emitter; the
/// message names the file.
pub fn emit(input: &Input<'_>) -> Result<BTreeMap<PathBuf, String>, String> {
    let recursion = Recursion::find(input.types, input.sharing);
    let elsewhere = Elsewhere::find(input.plans);
    let context = Context {
        api: input.types.api,
        sharing: input.sharing,
        recursion: &recursion,
        elsewhere: &elsewhere,
        defaults: input.defaults,
    };
    let groups = Module::by_group(input.types);
    let mut files = BTreeMap::new();
    for (group, modules) in &groups {
        krate::emit(input, &context, group, modules, &mut files)?;
    }
    face::emit(&groups, &mut files);
    files.extend(
        report::emit(input.types, input.plans, input.canonical)
            .map(|text| (PathBuf::from("CONVERSIONS.md"), text)),
    );
    Ok(files)
}
