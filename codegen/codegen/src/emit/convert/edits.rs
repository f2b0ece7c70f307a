//! Emits how the JSON of a kind converts without being decoded: the edits of the plan, as data.

use std::collections::BTreeMap;

use hubgen_plan::edits::{
    Blank, Case, Change, Each, Edit, Edits, Element, Expected, First, NoValue, Path, VersionEdits, edits,
};
use hubgen_plan::program::ops::{Callee, Op};
use proc_macro2::TokenStream;
use quote::quote;

use super::super::description::doc;
use super::super::{callees, homes::Homes};
use super::modules::names_first;
use super::{Context, terms, value, value_table};
use crate::naming::{ident, snake};

/// The constant of the `Convert` implementation and the items that it names; `None` where a rule needs typed objects.
pub(super) fn emit(context: &Context<'_>) -> Option<(TokenStream, TokenStream)> {
    let root = &context.member.root;
    if !is_emitted(context.modules.homes()) || !context.plan.reserved.is_empty() {
        return None;
    }
    let edits = edits(context.types, context.mapping, root, &context.plan.hub).ok()?;
    let name = ident(&snake(&root.name).to_uppercase());
    let docs = doc(&[format!("How the JSON of `{}` becomes that of the hub, and back.", root.name)]);
    let value = version(&edits);
    let item = quote! {
        #docs
        pub(super) static #name: VersionEdits = #value;
    };
    let (compiled, functions) = functions(context);
    let constant = constant(context, &compiled);
    Some((constant, quote!(#item #functions)))
}

/// The constant of the `Convert` implementation.
pub(super) fn constant(context: &Context<'_>, compiled: &TokenStream) -> TokenStream {
    let terms = context.plan.keeps().then(|| {
        let terms = terms::path(context);
        quote!(.in_terms(|| #terms))
    });
    quote!(const JSON: Option<CompiledEdits> = Some(#compiled #terms);)
}

/// Whether this is emitted at all. Kubernetes' own objects convert as typed ones.
pub(super) fn is_emitted(homes: &Homes<'_>) -> bool {
    homes.declare_canonical()
}

/// The edits with the functions that they call and the machinery does not have, and the item that lists these.
fn functions(context: &Context<'_>) -> (TokenStream, TokenStream) {
    let root = &context.member.root;
    let name = ident(&snake(&root.name).to_uppercase());
    let ops = context.mapping.pairs.values().flat_map(|pair| &pair.to_hub.ops);
    let called: BTreeMap<&str, (TokenStream, TokenStream)> = ops
        .filter_map(|op| match op {
            Op::Call { function: Callee::Own { module, .. }, .. } => {
                let path = callees::path(module);
                Some((&**module, (quote!(#path::to_hub), quote!(#path::from_hub))))
            }
            Op::Call { function: Callee::Named { name, .. }, .. } if callees::is_of_kubernetes(name) => {
                Some((&**name, (callees::named(name, "to_hub"), callees::named(name, "from_hub"))))
            }
            _ => None,
        })
        .collect();
    if called.is_empty() {
        return (quote!(CompiledEdits::of(&super::edits::#name)), TokenStream::new());
    }
    let function = ident(&format!("{}_functions", snake(&root.name)));
    let whose = if called.keys().any(|name| callees::is_of_kubernetes(name)) { "" } else { " of this crate" };
    let docs = doc(&[format!("The functions{whose} that convert `{}`.", root.name)]);
    let with = called.into_iter().map(|(name, (to_hub, from_hub))| quote!(.with(#name, #to_hub, #from_hub)));
    let compiled = quote!(CompiledEdits::of(&super::edits::#name).with_functions(super::edits::#function));
    let item = quote! {
        #docs
        pub(super) fn #function() -> Functions {
            Functions::none() #(#with)*
        }
    };
    (compiled, item)
}

/// The types of the machinery that edits may have.
const NAMES: &[&str] = &[
    "Blank",
    "Case",
    "Change",
    "Each",
    "Edit",
    "Edits",
    "Element",
    "Expected",
    "First",
    "NoValue",
    "Path",
    "VersionEdits",
];

/// The content of `edits.rs`: imports and items.
pub fn file(items: &[TokenStream]) -> Vec<TokenStream> {
    let code = quote!(#(#items)*);
    let text = code.to_string();
    let mut names: Vec<syn::Ident> = NAMES
        .iter()
        .filter(|name| text.split(|c: char| !c.is_alphanumeric()).any(|word| word == **name))
        .map(|name| ident(name))
        .collect();
    names.sort();
    let conversions = names_first(&text, "conversions ::").then(|| {
        quote!(
            use hubgen_kubernetes_functions::conversions;
        )
    });
    let convert = names_first(&text, "convert ::").then(|| {
        quote!(
            use hubgen_machinery::convert;
        )
    });
    let functions = text.contains("Functions ::").then(|| {
        quote!(
            use hubgen_machinery::convert::Functions;
        )
    });
    let reflect = if text.contains("Text ::") {
        quote!(hubgen_machinery::reflect::{Held, Text})
    } else {
        quote!(hubgen_machinery::reflect::Held)
    };
    let imports = quote! {
        #conversions
        #convert
        #functions
        use #reflect;
        use hubgen_machinery::tree::{#(#names),*};
    };
    vec![imports, code]
}

fn version(edits: &VersionEdits) -> TokenStream {
    let VersionEdits { to_hub, from_hub, exact, expected_to_hub, expected_from_hub } = edits;
    let (to_hub, from_hub) = (list(to_hub, pair), list(from_hub, pair));
    let (expected_to_hub, expected_from_hub) =
        (list(expected_to_hub, expected), list(expected_from_hub, expected));
    quote! {
        VersionEdits {
            to_hub: #to_hub,
            from_hub: #from_hub,
            exact: #exact,
            expected_to_hub: #expected_to_hub,
            expected_from_hub: #expected_from_hub,
        }
    }
}

fn list<T>(items: &[T], emit: impl Fn(&T) -> TokenStream) -> TokenStream {
    let items = items.iter().map(emit);
    quote!(Held::Static(&[#(#items),*]))
}

fn text(text: &String) -> TokenStream {
    quote!(Text::Static(#text))
}

fn path(names: &Path) -> TokenStream {
    quote!(Path::of(&[#(#names),*]))
}

fn word((at, word): &(Path, String)) -> TokenStream {
    let (at, word) = (path(at), text(word));
    quote!((#at, #word))
}

fn expected(Expected { path: at, words }: &Expected) -> TokenStream {
    let (at, words) = (path(at), list(words, text));
    quote!(Expected { path: #at, words: #words })
}

fn pair(Edits { name, strangers, refuses, drops, edits }: &Edits) -> TokenStream {
    let (name, strangers, drops, edits) =
        (text(name), list(strangers, path), list(drops, path), list(edits, edit));
    quote! {
        Edits { name: #name, strangers: #strangers, refuses: #refuses, drops: #drops, edits: #edits }
    }
}

fn edit(edit: &Edit) -> TokenStream {
    match edit {
        Edit::Change { path: at, change: how } => {
            let (at, how) = (path(at), change(how));
            quote!(Edit::Change { path: #at, change: #how })
        }
        Edit::Move { from, to, change: how } => {
            let (from, to, how) = (path(from), path(to), change(how));
            quote!(Edit::Move { from: #from, to: #to, change: #how })
        }
        Edit::Present { from, to } => {
            let (from, to) = (path(from), path(to));
            quote!(Edit::Present { from: #from, to: #to })
        }
        Edit::Empty { to, zeros, nulls } => {
            let (to, zeros, nulls) = (path(to), list(zeros, path), list(nulls, path));
            quote!(Edit::Empty { to: #to, zeros: #zeros, nulls: #nulls })
        }
        Edit::Hollow { to, nothing: values, makes } => {
            let (to, values) = (path(to), list(values, nothing));
            quote!(Edit::Hollow { to: #to, nothing: #values, makes: #makes })
        }
        Edit::Null { to } => {
            let to = path(to);
            quote!(Edit::Null { to: #to })
        }
        Edit::Required { to, empty } => {
            let (to, empty) = (path(to), text(empty));
            quote!(Edit::Required { to: #to, empty: #empty })
        }
        Edit::Made { to, value, without } => {
            let (to, value, without) = (path(to), text(value), path(without));
            quote!(Edit::Made { to: #to, value: #value, without: #without })
        }
        Edit::Word { to, cases, otherwise } => {
            let (to, cases, otherwise) = (path(to), list(cases, case), text(otherwise));
            quote!(Edit::Word { to: #to, cases: #cases, otherwise: #otherwise })
        }
        Edit::Table { table, from, to } => {
            let (table, from, to) = (value_table::value(table), list(from, path), list(to, path));
            quote!(Edit::Table { table: #table, from: #from, to: #to })
        }
        Edit::Call { function, from, reads, to } => {
            let (function, from, to) = (text(function), list(from, path), list(to, path));
            let reads = list(reads, path);
            quote!(Edit::Call { function: #function, from: #from, reads: #reads, to: #to })
        }
        Edit::Split { from, number, name } => {
            let (from, number, name) = (path(from), path(number), path(name));
            quote!(Edit::Split { from: #from, number: #number, name: #name })
        }
        Edit::Join { number, name, to } => {
            let (number, name, to) = (path(number), path(name), path(to));
            quote!(Edit::Join { number: #number, name: #name, to: #to })
        }
        Edit::Filled { path: at } => {
            let at = path(at);
            quote!(Edit::Filled { path: #at })
        }
        Edit::Determined { path: at } => {
            let at = path(at);
            quote!(Edit::Determined { path: #at })
        }
        Edit::ToElement { list: at, element: which } => {
            let (at, which) = (path(at), element(which));
            quote!(Edit::ToElement { list: #at, element: #which })
        }
        Edit::FromElement { list: at, element: which } => {
            let (at, which) = (path(at), element(which));
            quote!(Edit::FromElement { list: #at, element: #which })
        }
        Edit::Spread { list: at, first: firsts, each: eachs } => {
            let (at, firsts, eachs) = (path(at), list(firsts, first), list(eachs, each));
            quote!(Edit::Spread { list: #at, first: #firsts, each: #eachs })
        }
        Edit::Gather { list: at, first: firsts, each: eachs } => {
            let (at, firsts, eachs) = (path(at), list(firsts, first), list(eachs, each));
            quote!(Edit::Gather { list: #at, first: #firsts, each: #eachs })
        }
    }
}

fn change(how: &Change) -> TokenStream {
    match how {
        Change::Same => quote!(Change::Same),
        Change::Object(name) => {
            let name = text(name);
            quote!(Change::Object(#name))
        }
        Change::List(inner) => {
            let inner = change(inner);
            quote!(Change::List(Held::Static(&#inner)))
        }
        Change::Map(inner) => {
            let inner = change(inner);
            quote!(Change::Map(Held::Static(&#inner)))
        }
        Change::Wrap(name) => {
            let name = text(name);
            quote!(Change::Wrap(#name))
        }
        Change::Unwrap(name, empty) => {
            let (name, empty) = (text(name), text(empty));
            quote!(Change::Unwrap(#name, #empty))
        }
        Change::ToItems { key, writes_empty, value } => {
            let (key, value) = (text(key), change(value));
            quote!(Change::ToItems { key: #key, writes_empty: #writes_empty, value: Held::Static(&#value) })
        }
        Change::ToEntries(key, inner) => {
            let (key, inner) = (text(key), change(inner));
            quote!(Change::ToEntries(#key, Held::Static(&#inner)))
        }
        Change::ToText(form) => {
            let form = value::number_text(*form);
            quote!(Change::ToText(#form))
        }
        Change::ToNumber(form, bits) => {
            let (form, bits) = (value::number_text(*form), ident(&format!("{bits:?}")));
            quote!(Change::ToNumber(#form, convert::Bits::#bits))
        }
        Change::Words(words) => {
            let words = list(words, |(from, to)| {
                let (from, to) = (text(from), text(to));
                quote!((#from, #to))
            });
            quote!(Change::Words(#words))
        }
    }
}

fn nothing(NoValue { path: at, value }: &NoValue) -> TokenStream {
    let at = path(at);
    let value = match value {
        Blank::Null => quote!(Blank::Null),
        Blank::Empty => quote!(Blank::Empty),
        Blank::Number => quote!(Blank::Number),
        Blank::Quantity => quote!(Blank::Quantity),
        Blank::Duration => quote!(Blank::Duration),
    };
    quote!(NoValue { path: #at, value: #value })
}

fn case(Case { path: at, word, empty }: &Case) -> TokenStream {
    let (at, word, empty) = (path(at), text(word), optional(empty.as_ref()));
    quote!(Case { path: #at, word: #word, empty: #empty })
}

fn element(Element { field, field_empty, when, value, empty, last }: &Element) -> TokenStream {
    let (field, when, value) = (path(field), list(when, word), path(value));
    let [field_empty, empty] = [field_empty, empty].map(|empty| optional(empty.as_ref()));
    quote! {
        Element {
            field: #field,
            field_empty: #field_empty,
            when: #when,
            value: #value,
            empty: #empty,
            last: #last,
        }
    }
}

fn optional(value: Option<&String>) -> TokenStream {
    match value.map(text) {
        Some(value) => quote!(Some(#value)),
        None => quote!(None),
    }
}

fn first(First { field, element, set }: &First) -> TokenStream {
    let (field, element, set) = (path(field), text(element), list(set, text));
    quote!(First { field: #field, element: #element, set: #set })
}

fn each(Each { field, element, empty, change: how }: &Each) -> TokenStream {
    let (field, element, empty, how) = (path(field), text(element), optional(empty.as_ref()), change(how));
    quote!(Each { field: #field, element: #element, empty: #empty, change: #how })
}
