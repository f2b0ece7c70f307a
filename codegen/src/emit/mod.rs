//! From the model to Rust: one crate per group and the face that gathers them.
//!
//! ```text
//! schemas → model → families, hubs, sharing → files → generated/
//! ```

pub mod convert;
mod defaults;
mod elsewhere;
mod face;
mod families;
mod kinds;
mod krate;
mod layout;
mod names;
mod normals;
mod source;
mod types;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use hubgen_model::defaults::Defaults;
use hubgen_model::normal::Normals;
use hubgen_model::{Api, GroupVersion};
use hubgen_plan::sharing::Sharing;
use hubgen_plan::{Family, FamilyPlan, report};

use self::elsewhere::Elsewhere;
pub use self::names::{crate_dir, field_ident, type_path};
pub(crate) use self::names::{field_name, is_ident, module_ident};
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
    /// The whole API, hub types included (in the pseudo version `hub`).
    pub api: &'a Api,
    /// Every family.
    pub families: &'a [Family],
    /// Defaults beyond the schemas'.
    pub defaults: &'a Defaults,
    /// What types say twice or in two ways.
    pub normals: &'a Normals,
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
        /// The group versions whose types the code names.
        names: BTreeSet<GroupVersion>,
    },
}

/// Writes all crates and the report of conversions: paths below `generated/`,
/// and what is in each file.
///
/// # Errors
/// When generated code does not parse, which is a fault of the emitter; the
/// message names the file.
pub fn emit(input: &Input<'_>) -> Result<BTreeMap<PathBuf, String>, String> {
    let recursion = Recursion::find(input.api, input.sharing);
    let elsewhere = Elsewhere::find(input.plans);
    let context = Context {
        api: input.api,
        sharing: input.sharing,
        recursion: &recursion,
        elsewhere: &elsewhere,
        defaults: input.defaults,
    };
    let mut groups: BTreeMap<&str, Vec<&GroupVersion>> = BTreeMap::new();
    for group_version in input.api.versions.keys() {
        groups.entry(&group_version.group).or_default().push(group_version);
    }
    let mut files = BTreeMap::new();
    for (group, versions) in &groups {
        krate::emit(input, &context, group, versions, &mut files)?;
    }
    face::emit(&groups, &mut files);
    files.extend(
        report::emit(input.api, input.plans, input.normals)
            .map(|text| (PathBuf::from("CONVERSIONS.md"), text)),
    );
    Ok(files)
}
