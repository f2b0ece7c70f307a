//! Emits Rust from the model: one crate for each group, and the crate that re-exports them.
//!
//! ```text
//! schemas → model → families, hubs, sharing → files → generated/
//! ```

mod behaviour;
mod callees;
mod canonical;
mod columns;
pub mod convert;
mod crds;
mod defaults;
mod description;
mod elsewhere;
mod enums;
mod face;
mod families;
mod folder;
mod group;
mod homes;
mod kinds;
mod layout;
mod manifest;
mod owned;
mod owned_files;
mod readme;
mod source;
mod types;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hubgen_model::GroupVersion;
use hubgen_model::behaviour::Behaviours;
use hubgen_model::canonical::CanonicalForms;
use hubgen_model::defaults::Defaults;
use hubgen_plan::sharing::Sharing;
use hubgen_plan::{Family, FamilyPlan, Types, report};

pub use self::crds::Crds;
pub(crate) use self::elsewhere::Elsewhere;
pub use self::homes::Homes;
pub use self::owned_files::files as owned_files;
use self::source::InvalidCode;
pub use self::types::Context;
use crate::boxed::Boxed;
use crate::check::Texts;
use crate::enums::Enums;
use crate::module::Module;
use crate::rust::Written;

/// How a version of a family converts to the hub and back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// With generated functions.
    Generated,
    /// Not at all, for this reason.
    NotConvertible(String),
}

/// The input of the emitter.
pub struct Input<'a> {
    /// Where the code of each group is.
    pub homes: &'a Homes<'a>,
    /// All types, of versions and of hubs.
    pub types: Types<'a>,
    /// Every family.
    pub families: &'a [Family],
    /// Defaults in addition to those of the schemas.
    pub defaults: &'a Defaults,
    /// Rewrites to canonical form.
    pub canonical: &'a CanonicalForms,
    /// What a server does with objects, beyond storing them.
    pub behaviours: &'a Behaviours,
    /// Which types of different versions are emitted as one.
    pub sharing: &'a Sharing,
    /// Which fields are boxed.
    pub boxed: &'a Boxed<'a>,
    /// Which string fields are enums.
    pub enums: &'a Enums<'a>,
    /// Which texts and maps are of the standard library.
    pub texts: &'a Texts,
    /// The CustomResourceDefinitions of kinds that were read from such.
    pub crds: &'a Crds,
    /// How the versions of each family map to the hub, for docs.
    pub plans: &'a [FamilyPlan],
    /// How each version of each family with several versions converts.
    pub conversions: &'a BTreeMap<(String, GroupVersion), Conversion>,
    /// Which types are in users' source.
    pub written: &'a Written,
    /// The front page of the crate that gathers all groups, in Markdown.
    pub front_page: Option<&'a str>,
    /// Conversion functions, by version.
    pub functions: &'a BTreeMap<GroupVersion, Vec<Functions>>,
}

/// How a kind converts at a version, as code.
pub enum Functions {
    /// The version's own type is the hub, and there is nothing to convert.
    Identity {
        /// The type.
        ty: String,
    },
    /// Functions of its own.
    Written {
        /// The kind.
        kind: String,
        /// The functions.
        code: proc_macro2::TokenStream,
        /// How its JSON converts without being decoded.
        edits: Option<proc_macro2::TokenStream>,
        /// The modules whose types the code names.
        names: BTreeSet<Module>,
    },
}

impl Functions {
    /// How the JSON of the kind converts without being decoded.
    fn edits(&self) -> Option<proc_macro2::TokenStream> {
        match self {
            Self::Written { edits, .. } => edits.clone(),
            Self::Identity { .. } => None,
        }
    }
}

/// The emitted code.
pub struct Emitted {
    /// Paths below the folder of generated code, and the content of each file.
    pub files: BTreeMap<PathBuf, String>,
    /// The crates that the code names and that exist, without the machinery, each with the features
    /// that the code needs.
    pub crates: BTreeMap<String, BTreeSet<String>>,
}

/// Emits all crates or modules, and the report of conversions.
///
/// # Errors
/// If generated code does not parse, which is a bug in the emitter. The message names the file.
pub fn emit(input: &Input<'_>) -> Result<Emitted, InvalidCode> {
    let elsewhere = Elsewhere::find(input.plans);
    let context = Context {
        homes: input.homes,
        api: input.types.api,
        sharing: input.sharing,
        boxed: input.boxed,
        enums: input.enums,
        texts: input.texts,
        elsewhere: &elsewhere,
        defaults: input.defaults,
        is_owned: false,
    };
    let mut groups = Module::by_group(input.types);
    groups.retain(|group, _| input.homes.is_emitted(group));
    let (homes, mut crates) = (input.homes, BTreeMap::new());
    let mut files = BTreeMap::new();
    for (group, modules) in &groups {
        for module in group::emit(input, &context, group, modules, &mut files)? {
            if let Some(package) = homes.package(module.group()).filter(|_| !homes.is_emitted(module.group()))
            {
                crates.entry(package).or_insert_with(BTreeSet::new).insert(module.name().to_owned());
            }
        }
    }
    if callees::calls_kubernetes(&files, Path::new("")) {
        crates.insert(callees::OF_KUBERNETES.to_owned(), BTreeSet::new());
    }
    face::emit(homes, &groups, input.crds, input.front_page, &mut files);
    let target = homes.target();
    if let Some(license) = &target.license {
        let manifests = files.keys().filter(|path| path.ends_with("Cargo.toml"));
        let licenses: Vec<PathBuf> = manifests.map(|path| path.with_file_name("LICENSE")).collect();
        files.extend(licenses.into_iter().map(|path| (path, license.clone())));
    }
    let first_line = target.first_line(&target.origins.rules());
    files.extend(
        report::emit(&first_line, input.types, input.plans, input.canonical)
            .map(|text| (PathBuf::from("CONVERSIONS.md"), text)),
    );
    Ok(Emitted { files, crates })
}
