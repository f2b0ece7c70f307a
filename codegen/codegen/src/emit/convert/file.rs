//! Emits the conversions of all kinds of one version as one file.

use std::collections::{BTreeSet, HashMap};

use hubgen_model::GroupVersion;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Item, Visibility};

use super::super::Functions;
use super::super::homes::Homes;
use super::super::source::InvalidCode;
use super::modules::imports;
use crate::module::Module;
use crate::naming::ident;

/// The content of `convert.rs`.
pub struct File {
    /// Imports and items.
    pub parts: Vec<TokenStream>,
    /// The modules whose types the code names, except its own.
    pub uses: BTreeSet<Module>,
}

/// The file of a version; `None` if it has no functions. If several kinds contain the same pair of
/// types, its functions are emitted once.
///
/// # Errors
/// If two kinds need different functions of the same name, or the code is not valid Rust.
pub fn file(
    homes: &Homes<'_>,
    own: &GroupVersion,
    functions: &[Functions],
) -> Result<Option<File>, InvalidCode> {
    let mut written: Vec<_> = functions
        .iter()
        .filter_map(|functions| match functions {
            Functions::Written { kind, code, names, .. } => Some((kind, code, names)),
            Functions::Identity { .. } => None,
        })
        .collect();
    if written.is_empty() {
        return Ok(None);
    }
    written.sort_by_key(|(kind, ..)| *kind);
    let mut items = Items::default();
    let mut names = BTreeSet::new();
    for (_, code, used) in &written {
        names.extend((*used).iter().cloned());
        let parsed: syn::File = syn::parse2((*code).clone()).map_err(|error| {
            InvalidCode(format!("the conversions of {own} are not valid Rust: {error}\n{code}"))
        })?;
        parsed.items.into_iter().try_for_each(|item| items.add(own, item))?;
    }
    let items = items.all;
    let code = quote!(#(#items)*);
    let own = Module::Version(own.clone());
    let imports = imports(homes, &own, &names, &code.to_string());
    names.remove(&own);
    Ok(Some(File { parts: vec![imports, code], uses: names }))
}

/// The items of a file, without duplicates.
#[derive(Default)]
struct Items {
    all: Vec<Item>,
    /// The index of each function, by name.
    functions: HashMap<String, usize>,
}

impl Items {
    fn add(&mut self, own: &GroupVersion, item: Item) -> Result<(), InvalidCode> {
        let Item::Fn(mut function) = item else {
            // A table of a type that several kinds have is there once.
            let code = item.to_token_stream().to_string();
            if !self.all.iter().any(|known| known.to_token_stream().to_string() == code) {
                self.all.push(item);
            }
            return Ok(());
        };
        let name = function.sig.ident.to_string();
        let Some(index) = self.functions.get(&name) else {
            self.functions.insert(name, self.all.len());
            self.all.push(Item::Fn(function));
            return Ok(());
        };
        let Item::Fn(known) = &mut self.all[*index] else { unreachable!("the map contains functions only") };
        // The function must be public if it is for one of the kinds. Only a public one has the docs of its visibility.
        if matches!(known.vis, Visibility::Inherited) {
            known.vis = function.vis.clone();
            known.attrs = function.attrs.clone();
        }
        function.vis = known.vis.clone();
        function.attrs = known.attrs.clone();
        if function.to_token_stream().to_string() == known.to_token_stream().to_string() {
            return Ok(());
        }
        Err(InvalidCode(format!("two kinds of {own} need different functions `{name}`")))
    }
}

/// The implementation for types that are their own hub and need no functions, if there are any.
pub fn identities(functions: &[Functions]) -> Option<TokenStream> {
    let types: Vec<_> = functions
        .iter()
        .filter_map(|functions| match functions {
            Functions::Identity { ty } => Some(ident(ty)),
            Functions::Written { .. } => None,
        })
        .collect();
    (!types.is_empty()).then(|| quote!(hubgen_machinery::convert::identity!(#(super::#types),*);))
}
