//! The conversions of all kinds of one version, as one file.

use std::collections::{BTreeSet, HashMap};

use hubgen_model::GroupVersion;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Item, Visibility};

use super::super::Functions;
use super::super::identifiers::ident;
use super::super::module::Module;
use super::modules::imports;

/// The content of `convert.rs`.
pub struct File {
    /// Imports and items.
    pub parts: Vec<TokenStream>,
    /// The modules whose types the code names, its own left out.
    pub uses: BTreeSet<Module>,
}

/// The file of a version; `None` where it has no functions. A pair of types that several kinds contain has its functions once.
///
/// # Errors
/// When two kinds need different functions of one name, or the code is no Rust.
pub fn file(own: &GroupVersion, functions: &[Functions]) -> Result<Option<File>, String> {
    let mut written: Vec<_> = functions
        .iter()
        .filter_map(|functions| match functions {
            Functions::Written { kind, code, names } => Some((kind, code, names)),
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
        let parsed: syn::File = syn::parse2((*code).clone())
            .map_err(|error| format!("the conversions of {own} are no Rust: {error}\n{code}"))?;
        parsed.items.into_iter().try_for_each(|item| items.add(own, item))?;
    }
    let items = items.all;
    let code = quote!(#(#items)*);
    let own = Module::Version(own.clone());
    let imports = imports(&own, &names, &code.to_string());
    names.remove(&own);
    Ok(Some(File { parts: vec![imports, code], uses: names }))
}

/// The items of a file, each of them once.
#[derive(Default)]
struct Items {
    all: Vec<Item>,
    /// Where the function of that name is.
    functions: HashMap<String, usize>,
}

impl Items {
    fn add(&mut self, own: &GroupVersion, item: Item) -> Result<(), String> {
        let Item::Fn(mut function) = item else {
            self.all.push(item);
            return Ok(());
        };
        let name = function.sig.ident.to_string();
        let Some(index) = self.functions.get(&name) else {
            self.functions.insert(name, self.all.len());
            self.all.push(Item::Fn(function));
            return Ok(());
        };
        let Item::Fn(known) = &mut self.all[*index] else { unreachable!("only functions are noted") };
        // One of the kinds may need it to be seen from another version.
        if matches!(known.vis, Visibility::Inherited) {
            known.vis = function.vis.clone();
        }
        function.vis = known.vis.clone();
        if function.to_token_stream().to_string() == known.to_token_stream().to_string() {
            return Ok(());
        }
        Err(format!("two kinds of {own} need different functions `{name}`"))
    }
}

/// What makes the types their own hub that need no functions, if there are any.
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
