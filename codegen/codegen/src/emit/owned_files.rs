//! The files of source that users own from then on: one for each version, and the modules that contain them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use hubgen_model::Type;
use proc_macro2::TokenStream;
use quote::quote;

use super::homes::Homes;
use super::source::{self, InvalidCode};
use super::types::{self, Context};
use crate::naming::ident;

/// The files of all versions, below the folder of the source, and the modules that contain them. `context` has no
/// shared types: each version has its own.
///
/// # Errors
/// If the code does not parse, which is a bug in the emitter. The message names the file.
pub fn files(homes: &Homes<'_>, context: &Context<'_>) -> Result<BTreeMap<PathBuf, String>, InvalidCode> {
    let mut files = BTreeMap::new();
    let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, version) in context.api.own_versions() {
        groups.entry(&name.group).or_default().push(&name.version);
        let path = homes.folder(&name.group).join(format!("{}.rs", name.version));
        let types: Vec<&Type> = version.types.values().filter(|ty| !ty.is_list()).collect();
        let docs = format!("The types of `{}`.", name.api_version());
        files.insert(path.clone(), source::owned(&path, &docs, &types::emit(context, &types))?);
    }
    let mut root = vec![quote!(
        pub mod generated;
    )];
    for (group, versions) in groups {
        let path = homes.folder(group).join("mod.rs");
        let modules: TokenStream =
            versions.iter().map(|name| ident(name)).map(|name| quote!(pub mod #name;)).collect();
        let docs = format!("The versions of `{group}`.");
        files.insert(path.clone(), source::owned(&path, &docs, &modules)?);
        let name = homes.gathered(group);
        root.push(quote!(pub mod #name;));
    }
    let path = PathBuf::from("mod.rs");
    let text = source::owned(
        &path,
        "The types of this API. `hubgen generate` reads them.",
        &root.into_iter().collect(),
    )?;
    files.insert(path, text);
    Ok(files)
}
