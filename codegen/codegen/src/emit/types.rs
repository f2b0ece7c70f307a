//! Emits a type as a struct with the derive macro.

use std::collections::{BTreeMap, BTreeSet};

use hubgen_model::defaults::{Condition, DefaultStep, Defaults, Is};
use hubgen_model::{Api, Field, ListType, Omit, Presence, Resource, Scope, Type, TypeExpr, TypeId};
use hubgen_plan::sharing::Sharing;
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::description::{description, doc, wrapped};
use super::elsewhere::Elsewhere;
use super::enums;
use super::homes::Homes;
use super::owned;
use crate::boxed::Boxed;
use crate::check::Texts;
use crate::enums::{Enum, Enums};
use crate::module::Module;
use crate::naming::{field_ident, ident, is_derived_name};

/// What the emission of a type depends on.
pub struct Context<'a> {
    /// Where the code of each group is.
    pub homes: &'a Homes<'a>,
    /// The whole API.
    pub api: &'a Api,
    /// Which types of different versions are emitted as one.
    pub sharing: &'a Sharing,
    /// Which fields are boxed.
    pub boxed: &'a Boxed<'a>,
    /// Which string fields are enums.
    pub enums: &'a Enums<'a>,
    /// Which texts and maps are of the standard library.
    pub texts: &'a Texts,
    /// The counterparts of fields in other versions.
    pub elsewhere: &'a Elsewhere,
    /// Defaults in addition to those of the schemas.
    pub defaults: &'a Defaults,
    /// Whether users own the code from then on. Then attributes specify all that schemas do, and comments are
    /// descriptions alone.
    pub is_owned: bool,
}

/// A file of types of one module, without its preamble: imports and structs.
pub fn emit(context: &Context<'_>, types: &[&Type]) -> TokenStream {
    let Some(first) = types.first() else { return TokenStream::new() };
    let enums = types.iter().flat_map(|ty| context.enums.after(ty)).map(|words| words.id.name.as_str());
    let own = types.iter().map(|ty| ty.id.name.as_str()).chain(enums).collect();
    let from = Module::of(&first.id);
    let mut imports = Imports { homes: context.homes, from, own, used: BTreeMap::new() };
    let items: Vec<TokenStream> = types.iter().map(|ty| emit_type(context, ty, &mut imports)).collect();
    let imports = imports.finish();
    quote!(#imports #(#items)*)
}

/// A struct, and the constants and enums for the words of its fields.
fn emit_type(context: &Context<'_>, ty: &Type, imports: &mut Imports<'_>) -> TokenStream {
    let item = emit_struct(context, ty, imports);
    let enums = context.enums.after(ty).map(|words| enums::emit(words, &string(imports)));
    let enums: Vec<TokenStream> = enums.collect();
    let constants = enums::constants(ty, &context.enums.constants(ty));
    quote!(#item #constants #(#enums)*)
}

fn emit_struct(context: &Context<'_>, ty: &Type, imports: &mut Imports<'_>) -> TokenStream {
    let fields: Vec<TokenStream> =
        ty.fields().iter().map(|field| emit_field(context, ty, field, imports)).collect();
    let name = ident(&ty.id.name);
    let kind =
        ty.kind.as_ref().filter(|kind| !kind.bare).and_then(|kind| kind.registered.first()).map(|name| {
            let (group, version, kind) = (&name.group_version.group, &name.group_version.version, &name.kind);
            if group.is_empty() {
                quote!(#[kind(version = #version, kind = #kind)])
            } else {
                quote!(#[kind(group = #group, version = #version, kind = #kind)])
            }
        });
    let (docs, kind) = if context.is_owned {
        (owned::docs(ty.description.as_ref()), owned::of_type(context.api, ty))
    } else {
        (doc(&type_docs(context.api, ty)), quote!(#kind))
    };
    let unknown = ty.refuses_unknown.then(|| quote!(#[unknown(refuse)]));
    quote! {
        #docs
        #[derive(ApiType)]
        #kind
        #unknown
        pub struct #name { #(#fields)* }
    }
}

fn emit_field(context: &Context<'_>, owner: &Type, field: &Field, imports: &mut Imports<'_>) -> TokenStream {
    let name = field_ident(field);
    let words = context.enums.field(&owner.id, field);
    let mut ty = match words {
        Some(words) => enum_type(&field.ty, &words.id, imports),
        None => {
            let mut standard = context.texts.field(&owner.id, field).iter().copied();
            rust_type(context, &field.ty, &mut standard, imports)
        }
    };
    if context.boxed.field(field) {
        let boxed = imports.prelude("Box", quote!(std::boxed::Box));
        ty = quote!(#boxed<#ty>);
    }
    if field.may_be_absent() {
        ty = option(&ty, imports);
    }
    if field.is_nullable() {
        ty = option(&ty, imports);
    }
    let mut attributes = attributes(owner, field, words);
    if context.is_owned && !field.is_rest() {
        attributes.extend(owned::of_field(owner, field));
    }
    let attributes = (!attributes.is_empty()).then(|| quote!(#[field(#(#attributes),*)]));
    let docs = if context.is_owned {
        owned::docs(field.description.as_ref())
    } else {
        doc(&field_docs(context, owner, field))
    };
    quote! {
        #docs
        #attributes
        pub #name: #ty,
    }
}

/// A type. `standard` has for each text and map in it, from the outside, whether it is of the standard library.
fn rust_type(
    context: &Context<'_>,
    ty: &TypeExpr,
    standard: &mut dyn Iterator<Item = bool>,
    imports: &mut Imports<'_>,
) -> TokenStream {
    match ty {
        TypeExpr::Bool => quote!(bool),
        TypeExpr::Int32 => quote!(i32),
        TypeExpr::Int64 => quote!(i64),
        TypeExpr::Float => quote!(f32),
        TypeExpr::Double => quote!(f64),
        TypeExpr::Uint16 => quote!(u16),
        TypeExpr::Uint32 => quote!(u32),
        TypeExpr::Uint64 => quote!(u64),
        TypeExpr::String if standard.next() == Some(true) => standard_string(imports),
        TypeExpr::String => string(imports),
        TypeExpr::Bytes => list(&quote!(u8), imports),
        TypeExpr::Time => imports.machinery("scalar", "Time"),
        TypeExpr::MicroTime => imports.machinery("scalar", "MicroTime"),
        TypeExpr::Duration => imports.machinery("scalar", "Duration"),
        TypeExpr::Quantity => imports.machinery("scalar", "Quantity"),
        TypeExpr::IntOrString => imports.machinery("scalar", "IntOrString"),
        TypeExpr::Raw(_) => imports.machinery("json", "Raw"),
        TypeExpr::Strings => imports.machinery("reflect", "Strings"),
        TypeExpr::List(element) => {
            let element = element_type(context, element, standard, imports);
            list(&element, imports)
        }
        TypeExpr::Map(value) => {
            let is_standard = standard.next() == Some(true);
            let value = element_type(context, value, standard, imports);
            if is_standard {
                let map = imports.path("BTreeMap", quote!(std::collections::BTreeMap));
                let key = standard_string(imports);
                quote!(#map<#key, #value>)
            } else {
                let map = imports.path("StrMap", quote!(hubgen_machinery::StrMap));
                quote!(#map<#value>)
            }
        }
        TypeExpr::OrBool(value) => union(context, "OrBool", value, standard, imports),
        TypeExpr::OrArray(value) => union(context, "OrArray", value, standard, imports),
        TypeExpr::OrStrings(value) => union(context, "OrStrings", value, standard, imports),
        TypeExpr::Ref(id) => imports.named(context.sharing.representing(id)),
    }
}

/// The type of a field that contains words of an enum, perhaps in lists and maps.
fn enum_type(ty: &TypeExpr, id: &TypeId, imports: &mut Imports<'_>) -> TokenStream {
    match ty {
        TypeExpr::List(inner) => list(&enum_type(inner, id, imports), imports),
        TypeExpr::Map(inner) => {
            let value = enum_type(inner, id, imports);
            let map = imports.path("StrMap", quote!(hubgen_machinery::StrMap));
            quote!(#map<#value>)
        }
        _ => imports.named(id),
    }
}

fn string(imports: &mut Imports<'_>) -> TokenStream {
    imports.path("Str", quote!(hubgen_machinery::Str))
}

fn standard_string(imports: &Imports<'_>) -> TokenStream {
    imports.prelude("String", quote!(std::string::String))
}

fn list(element: &TokenStream, imports: &Imports<'_>) -> TokenStream {
    let vec = imports.prelude("Vec", quote!(std::vec::Vec));
    quote!(#vec<#element>)
}

fn option(ty: &TokenStream, imports: &Imports<'_>) -> TokenStream {
    let option = imports.prelude("Option", quote!(std::option::Option));
    quote!(#option<#ty>)
}

/// A time in a list may be the zero time, which is `null`.
fn element_type(
    context: &Context<'_>,
    ty: &TypeExpr,
    standard: &mut dyn Iterator<Item = bool>,
    imports: &mut Imports<'_>,
) -> TokenStream {
    let rust = rust_type(context, ty, standard, imports);
    if matches!(ty, TypeExpr::Time | TypeExpr::MicroTime) { option(&rust, imports) } else { rust }
}

fn union(
    context: &Context<'_>,
    name: &str,
    value: &TypeExpr,
    standard: &mut dyn Iterator<Item = bool>,
    imports: &mut Imports<'_>,
) -> TokenStream {
    let value = rust_type(context, value, standard, imports);
    let path = imports.machinery("reflect", name);
    quote!(#path<#value>)
}

fn attributes(owner: &Type, field: &Field, words: Option<&Enum>) -> Vec<TokenStream> {
    if field.is_rest() {
        return vec![quote!(rest)];
    }
    let mut out = Vec::new();
    let name = &field.name;
    if !is_derived_name(field) {
        out.push(quote!(name = #name));
    }
    let number: Vec<_> = field.number.iter().map(|number| Literal::u32_unsuffixed(*number)).collect();
    match &*number {
        [] => {}
        [number] => out.push(quote!(number = #number)),
        numbers => out.push(quote!(number(#(#numbers),*))),
    }
    if field.presence == Presence::Value && field.may_be_absent() {
        out.push(quote!(value));
    }
    let usual = if field.required { Omit::Exact } else { Omit::Empty };
    match field.omit {
        omit if omit == usual => {}
        Omit::Never => out.push(quote!(omit = never)),
        Omit::Zero => out.push(quote!(omit = zero)),
        Omit::Empty => out.push(quote!(omit = empty)),
        Omit::Exact => out.push(quote!(omit = exact)),
    }
    if field.required {
        out.push(quote!(required));
    }
    if let Some(default) = &field.default {
        let text = default.to_string();
        out.push(quote!(default = #text));
    }
    // A leaf has no words.
    let same = words.filter(|words| !field.enumeration.is_empty() && words.has_words_of(field));
    if let Some(words) = same {
        // An enum without other words allows no others by itself.
        out.extend(words.other.is_some().then(|| quote!(one_of)));
    } else if !field.enumeration.is_empty() {
        let words = field.words();
        out.push(quote!(one_of(#(#words),*)));
    }
    match &field.list_type {
        None => {}
        Some(ListType::Atomic) => out.push(quote!(list = atomic)),
        Some(ListType::Set) => out.push(quote!(list = set)),
        Some(ListType::Map(keys)) => out.push(quote!(list = map(#(#keys),*))),
    }
    if field.atomic {
        out.push(quote!(atomic));
    }
    if let Some(patch) = &field.patch {
        match &*patch.strategies {
            [] => {}
            [strategy] => out.push(quote!(patch = #strategy)),
            strategies => out.push(quote!(patch(#(#strategies),*))),
        }
        if let Some(key) = &patch.merge_key {
            out.push(quote!(merge_key = #key));
        }
    }
    let (since, until) = owner.releases(field);
    for (key, release) in [("since", since), ("until", until)] {
        if let Some(release) = release {
            let key = ident(key);
            let release = release.to_string();
            out.push(quote!(#key = #release));
        }
    }
    out
}

/// The release of the reference documentation that docs link to.
const REFERENCE: &str = "v1.37";

fn type_docs(api: &Api, ty: &Type) -> Vec<String> {
    let TypeId { group_version, name, of_hub } = &ty.id;
    // A server may have dropped a kind whose type still exists.
    let (since, until) = ty.kind.as_ref().map_or((ty.since, ty.until), |kind| (kind.since, kind.until));
    let mut docs = vec![if *of_hub {
        format!("The hub of {name}, with the fields of all its versions.")
    } else {
        let releases = match (since, until) {
            (Some(since), Some(until)) if since == until => format!(", {since} only"),
            (Some(since), Some(until)) => format!(", {since} to {until}"),
            (Some(since), None) => format!(", since {since}"),
            (None, Some(until)) => format!(", until {until}"),
            (None, None) => String::new(),
        };
        format!("`{}` {name}{releases}.", group_version.api_version())
    }];
    let described = description(ty.description.as_ref());
    if !described.is_empty() {
        docs.push(String::new());
        docs.extend(described);
    }
    let Some(resource) = ty.kind.as_ref().and_then(|kind| kind.resource.as_ref()) else { return docs };
    docs.push(String::new());
    docs.extend(wrapped(&resource_docs(resource)));
    let group = &group_version.group;
    let is_upstream = !group.contains('.') || group.ends_with(".k8s.io");
    if is_upstream && since.is_some() && until.is_none() && api.versions[group_version].until.is_none() {
        let group = group_version.group_or_core().replace('.', "-");
        let anchor = format!("{}-{}-{group}", name.to_lowercase(), group_version.version);
        docs.push(String::new());
        docs.push(format!(
            "[Reference](https://kubernetes.io/docs/reference/generated/kubernetes-api/{REFERENCE}/#{anchor})"
        ));
    }
    docs
}

fn resource_docs(resource: &Resource) -> String {
    let scope = match resource.scope {
        Scope::Namespaced => "in a namespace",
        Scope::Cluster => "cluster-wide",
    };
    let mut out = format!("Served as `{}`, {scope}", resource.plural);
    if !resource.subresources.is_empty() {
        let names: Vec<_> = resource.subresources.keys().map(|name| format!("`{name}`")).collect();
        let names = match &*names {
            [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
            names => names.concat(),
        };
        out.push_str(&format!(", with {names}"));
    }
    out.push('.');
    out
}

fn field_docs(context: &Context<'_>, owner: &Type, field: &Field) -> Vec<String> {
    let mut sentences = Vec::new();
    if field.is_rest() {
        sentences.push("All other fields.".to_owned());
    }
    if field.required {
        sentences.push("Required.".to_owned());
    }
    if let Some(default) = &field.default {
        sentences.push(default_of(default));
    }
    let steps = context.defaults.types.get(&owner.id).map(Vec::as_slice).unwrap_or_default();
    sentences.extend(steps.iter().filter_map(|step| default_sentence(step, &field.name)));
    // The variants of an enum show its words.
    let words = context.enums.field(&owner.id, field);
    if !field.enumeration.is_empty() && !words.is_some_and(|words| words.has_words_of(field)) {
        let words: Vec<_> = field.enumeration.iter().map(|word| format!("`{word}`")).collect();
        sentences.push(format!("One of {}.", words.join(", ")));
    }
    match &field.list_type {
        Some(ListType::Map(keys)) => {
            let keys: Vec<_> = keys.iter().map(|key| format!("`{key}`")).collect();
            sentences.push(format!("Keyed by {}.", keys.join(" and ")));
        }
        Some(ListType::Set) => sentences.push("A set.".to_owned()),
        _ => {}
    }
    match owner.releases(field) {
        (Some(since), Some(until)) if since == until => sentences.push(format!("Only {since}.")),
        (Some(since), Some(until)) => sentences.push(format!("From {since} to {until}.")),
        (Some(since), None) => sentences.push(format!("Since {since}.")),
        (None, Some(until)) => sentences.push(format!("Until {until}.")),
        (None, None) => {}
    }
    sentences.extend(context.elsewhere.sentences(&owner.id, &field.name));
    let mut docs = description(field.description.as_ref());
    if !docs.is_empty() && !sentences.is_empty() {
        docs.push(String::new());
    }
    if !sentences.is_empty() {
        docs.extend(wrapped(&sentences.join(" ")));
    }
    docs
}

/// A sentence about a default. The attribute contains it, too, so a long one is not repeated.
fn default_of(value: &serde_json::Value) -> String {
    let text = value.to_string();
    if text.len() <= 60 { format!("Default `{text}`.") } else { "Has a default.".to_owned() }
}

/// A sentence about a default of a type, as it concerns one of its fields or what is below that
/// field.
fn default_sentence(step: &DefaultStep, field: &str) -> Option<String> {
    let DefaultStep::Set { path, value, when } = step else { return None };
    let (first, below) = path.split_first()?;
    if first != field {
        return None;
    }
    let mut out = match below {
        [] => format!("Default `{value}`"),
        below => format!("Default of `{}`: `{value}`", below.join(".")),
    };
    for (index, Condition { path, is }) in when.iter().enumerate() {
        let path = path.join(".");
        let list = |words: &[String]| -> String {
            words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(" or ")
        };
        let is = match is {
            Is::Set => "is set".to_owned(),
            Is::Unset => "is not set".to_owned(),
            Is::OneOf(words) => format!("is {}", list(words)),
            Is::NoneOf(words) => format!("is not {}", list(words)),
        };
        out.push_str(&format!("{} `{path}` {is}", if index == 0 { ", if" } else { " and" }));
    }
    out.push('.');
    Some(out)
}

/// The imports of a file. A name that is already in use is written with its full path.
struct Imports<'a> {
    homes: &'a Homes<'a>,
    from: Module,
    /// The types that the file itself defines.
    own: BTreeSet<&'a str>,
    used: BTreeMap<String, String>,
}

/// Names of the prelude, which imports must not shadow.
const PRELUDE: [&str; 3] = ["Box", "Option", "Vec"];

impl Imports<'_> {
    fn path(&mut self, name: &str, path: TokenStream) -> TokenStream {
        let text = path.to_string();
        let is_own = self.own.contains(name) && text == format!("super :: {name}");
        let is_taken = PRELUDE.contains(&name)
            || self.own.contains(name)
            || self.used.get(name).is_some_and(|other| *other != text);
        if is_taken && !is_own {
            return path;
        }
        if !is_own {
            self.used.insert(name.to_owned(), text);
        }
        let name = ident(name);
        quote!(#name)
    }

    /// A name of the prelude, or its full path if one of the file's own types has the same name.
    fn prelude(&self, name: &str, path: TokenStream) -> TokenStream {
        let ident = ident(name);
        if self.own.contains(name) { path } else { quote!(#ident) }
    }

    fn machinery(&mut self, module: &str, name: &str) -> TokenStream {
        let (module, item) = (format_ident!("{module}"), format_ident!("{name}"));
        self.path(name, quote!(hubgen_machinery::#module::#item))
    }

    fn named(&mut self, id: &TypeId) -> TokenStream {
        let path = self.homes.type_path(&self.from, id);
        self.path(&id.name, path)
    }

    fn finish(self) -> TokenStream {
        // Paths in the form in which tokens print: `hubgen_machinery :: reflect :: Strings`.
        let mut by_parent: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for path in self.used.into_values().chain(["hubgen_machinery :: ApiType".to_owned()]) {
            if let Some((parent, name)) = path.rsplit_once(" :: ") {
                by_parent.entry(parent.to_owned()).or_default().insert(name.to_owned());
            }
        }
        let uses = by_parent.into_iter().filter_map(|(parent, names)| {
            let parent: TokenStream = parent.parse().ok()?;
            let names: Vec<_> = names.iter().map(|name| ident(name)).collect();
            Some(match &*names {
                [name] => quote!(use #parent::#name;),
                names => quote!(use #parent::{#(#names),*};),
            })
        });
        quote!(#(#uses)*)
    }
}
