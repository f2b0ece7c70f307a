//! Collects the modules that conversion functions name, and emits the imports for them.

use std::cell::RefCell;
use std::collections::BTreeSet;

use hubgen_model::TypeId;
use proc_macro2::TokenStream;
use quote::quote;

use super::super::Functions;
use super::super::homes::Homes;
use crate::module::Module;
use crate::naming::ident;

/// Types are named with their module (`v2::MetricSpec`), since the types of the version and of the
/// hub usually have the same name.
pub(super) struct Modules<'a> {
    homes: &'a Homes<'a>,
    own: &'a Module,
    used: RefCell<BTreeSet<Module>>,
}

impl<'a> Modules<'a> {
    pub(super) fn new(homes: &'a Homes<'a>, own: &'a Module) -> Self {
        Self { homes, own, used: RefCell::default() }
    }

    /// Where the code of each group is.
    pub(super) fn homes(&self) -> &'a Homes<'a> {
        self.homes
    }

    pub(super) fn path(&self, id: &TypeId) -> TokenStream {
        let module = self.module(Module::of(id));
        let name = ident(&id.name);
        quote!(#module::#name)
    }

    /// The path of a function in another module.
    pub(super) fn function(&self, module: Module, name: &syn::Ident) -> TokenStream {
        let module = self.module(module);
        quote!(#module::convert::#name)
    }

    fn module(&self, module: Module) -> syn::Ident {
        let is_local = module.is_in_same_group(self.own);
        let name = if is_local { module.ident() } else { self.homes.alias(&module) };
        self.used.borrow_mut().insert(module);
        name
    }

    /// The functions of a kind, with the modules that they name.
    pub(super) fn finish(self, kind: &str, code: TokenStream, edits: Option<TokenStream>) -> Functions {
        Functions::Written { kind: kind.to_owned(), code, edits, names: self.used.into_inner() }
    }
}

/// The imports of a version's file of conversions: the modules in `names`, and the parts of the
/// machinery that `code` uses.
pub(super) fn imports(homes: &Homes<'_>, own: &Module, names: &BTreeSet<Module>, code: &str) -> TokenStream {
    let has = |word: &str| names_first(code, word);
    let mut items = Vec::new();
    if has("convert ::") {
        items.push(quote!(self));
    }
    if has("Canonical ::") {
        items.push(quote!(Canonical));
    }
    items.push(quote!(Convert));
    items.push(quote!(ConvertError));
    if has("annotation ::") {
        items.push(quote!(annotation));
    }
    if has("functions ::") {
        items.push(quote!(functions));
    }
    let mut imports = Vec::new();
    if has("conversions ::") {
        imports.push(quote!(
            use hubgen_kubernetes_functions::conversions;
        ));
    }
    imports.push(quote!(use hubgen_machinery::convert::{#(#items),*};));
    if code.contains("CompiledEdits") {
        imports.push(quote!(
            use hubgen_machinery::tree::CompiledEdits;
        ));
    }
    for (module, types) in [
        (quote!(hubgen_machinery::json), &["Raw"][..]),
        (quote!(hubgen_machinery::reflect), &["DeepCopy", "Held", "Text"][..]),
        (quote!(hubgen_machinery::scalar), &["IntOrString", "Quantity"][..]),
        (quote!(hubgen_machinery), &["Str", "StrMap"][..]),
    ] {
        let is_used = |name: &&&str| match **name {
            "DeepCopy" => code.contains("deep_copy ()"),
            name => has(name),
        };
        let used: Vec<_> = types.iter().filter(is_used).map(|name| ident(name)).collect();
        imports.push(match &used[..] {
            [] => quote!(),
            [one] => quote!(use #module::#one;),
            several => quote!(use #module::{#(#several),*};),
        });
    }
    let (local, foreign): (Vec<_>, Vec<_>) = names.iter().partition(|module| module.is_in_same_group(own));
    for module in foreign {
        let (group, name, alias) = (homes.outside(module.group()), module.ident(), homes.alias(module));
        imports.push(quote!(use #group::#name as #alias;));
    }
    let group = homes.inside(own.group());
    imports.push(match &*local.into_iter().map(Module::ident).collect::<Vec<_>>() {
        [] => quote!(),
        [one] => quote!(use #group::#one;),
        several => quote!(use #group::{#(#several),*};),
    });
    quote!(#(#imports)*)
}

/// Whether the code contains a path that begins with `start`, such as `convert ::`. It can also be
/// a part of another name, or a later part of a path: `crate::convert::days`.
pub(super) fn names_first(code: &str, start: &str) -> bool {
    let is_inside =
        |before: &str| before.ends_with(":: ") || before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let goes_on = |after: &str| after.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    code.match_indices(start).any(|(at, _)| !is_inside(&code[..at]) && !goes_on(&code[at + start.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_beginning_of_a_path_is_imported() {
        let code = |tokens: TokenStream| tokens.to_string();
        assert!(names_first(&code(quote!(let a = convert::present(b);)), "convert ::"));
        assert!(names_first(&code(quote!(a(crate::convert::days, convert::join))), "convert ::"));
        assert!(!names_first(&code(quote!(let a = crate::convert::days::to_hub(b);)), "convert ::"));
        assert!(names_first(
            &code(quote!(
                fn a(b: Option<Str>) {}
            )),
            "Str"
        ));
        assert!(!names_first(&code(quote!(let a: StrMap<v1::Str> = b;)), "Str"));
        assert!(!names_first(&code(quote!(let a = ::my_functions::days::to_hub(b);)), "functions ::"));
    }
}
