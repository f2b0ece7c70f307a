//! Emits the table of a version's kinds, for the Scheme.

use std::collections::{BTreeMap, BTreeSet};

use hubgen_facts::verbs::{ALL, OF_PARTS};
use hubgen_model::{GroupVersion, GroupVersionKind, Kind, Release, Resource, Scope, Type, TypeId, Verb};
use hubgen_plan::{Family, Hoisted};
use proc_macro2::{Group, Ident, Literal, TokenStream, TokenTree};
use quote::{TokenStreamExt, quote};

use super::defaults::Tables;
use super::{Conversion, Input, behaviour, canonical, columns, families};
use crate::module::Module;
use crate::naming::ident;
use crate::rust::Written;
use crate::target::Form;

/// Families, by group version and kind of their members.
pub type ByMember<'a> = BTreeMap<(&'a GroupVersion, &'a str), &'a Family>;

/// Emits the kinds of one version.
pub fn emit(
    input: &Input<'_>,
    by_member: &ByMember<'_>,
    tables: &Tables<'_>,
    group_version: &GroupVersion,
    kinds: &[(&Type, &Kind)],
) -> Vec<TokenStream> {
    let everywhere = everywhere(kinds);
    let rows = kinds.iter().flat_map(|(ty, kind)| {
        let own = if everywhere.contains(&ty.id) { &kind.registered[..1] } else { &kind.registered[..] };
        own.iter().map(move |name| row(input, by_member, tables, ty, kind, name))
    });
    let rows: Vec<TokenStream> = rows.collect();
    let docs = super::description::doc(&[format!("The kinds of `{}`.", group_version.api_version())]);
    let table = with_imports(&quote!(&[#(#rows),*]));
    let table = here(quote! {
        #docs
        pub static KINDS: hubgen_machinery::scheme::Kinds = #table;
    });
    match kinds.iter().filter(|(ty, _)| everywhere.contains(&ty.id)).collect::<Vec<_>>() {
        found if found.is_empty() => vec![table],
        found => vec![table, here(of_every_version(&found))],
    }
}

/// Implements `HasResource` for the kinds that servers store, unless the derive does.
pub fn resources(written: &Written, kinds: &[(&Type, &Kind)]) -> Vec<TokenStream> {
    let is_derived = |ty: &Type| written.types.get(&ty.id).is_some_and(|place| place.defines);
    let stored = kinds.iter().filter(|(ty, kind)| !kind.bare && !is_derived(ty));
    let implementations = stored.filter_map(|(ty, kind)| {
        let Resource { plural, scope, .. } = kind.resource.as_ref()?;
        let ty = ident(&ty.id.name);
        let scope = match scope {
            Scope::Namespaced => quote!(Namespaced),
            Scope::Cluster => quote!(Cluster),
        };
        Some(quote! {
            impl hubgen_machinery::scheme::HasResource for #ty {
                type Scope = hubgen_machinery::scheme::#scope;
                const PLURAL: &'static str = #plural;
            }
        })
    });
    implementations.collect()
}

/// The types of rows in tables.
const ROWS: [&str; 8] = [
    "BehaviourRow",
    "ConversionRow",
    "DeprecationRow",
    "HoistedRow",
    "KindRow",
    "ResourceRow",
    "SelectableRow",
    "SubresourceRow",
];

/// All names that the block of a table may import.
const IMPORTED: [&str; 13] = [
    "BehaviourRow",
    "ConversionRow",
    "DeprecationRow",
    "Generation",
    "HoistedRow",
    "KindRow",
    "NameForm",
    "CanonicalForm",
    "ResourceRow",
    "SelectableRow",
    "StorageRow",
    "SubresourceRow",
    "verbs",
];

/// Wraps an expression in a block with the imports that it needs. They are local, because a
/// version's own types may have the same names.
fn with_imports(value: &TokenStream) -> TokenStream {
    let text = value.to_string();
    let is_used = |name: &&str| text.split(|c: char| !c.is_alphanumeric()).any(|word| word == *name);
    // A field has the same name as the module.
    let verbs = text.contains("verbs ::").then_some("verbs");
    let rows = ROWS.into_iter().filter(is_used);
    let words =
        behaviour::WORDS.into_iter().filter(|(field, word)| text.contains(&format!("{field} : {word} ::")));
    let mut names: Vec<&str> = rows.chain(words.map(|(_, word)| word)).collect();
    names.sort_unstable();
    let names = names.into_iter().chain(verbs).map(ident);
    let canonical = is_used(&"CanonicalForm").then(|| {
        quote!(
            use hubgen_machinery::canonical::CanonicalForm;
        )
    });
    quote!({
        #canonical
        use hubgen_machinery::scheme::{#(#names),*};
        #value
    })
}

/// Moves code from a file next to `mod.rs` into `mod.rs` itself: removes `super::` from paths,
/// except before names that are imported.
pub fn here(code: TokenStream) -> TokenStream {
    let mut tokens = code.into_iter().peekable();
    let mut out = TokenStream::new();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(name) if name == "super" => {
                let path: Vec<TokenTree> = tokens.by_ref().take("::".len()).collect();
                let is_taken = |next: &TokenTree| IMPORTED.iter().any(|name| next.to_string() == *name);
                if tokens.peek().is_some_and(is_taken) {
                    out.append(Ident::new("self", name.span()));
                    out.extend(path);
                }
            }
            TokenTree::Group(group) => out.append(Group::new(group.delimiter(), here(group.stream()))),
            other => out.append(other),
        }
    }
    out
}

/// Kinds that many group versions register under the same names, such as `DeleteOptions`.
pub fn everywhere<'a>(kinds: &[(&'a Type, &Kind)]) -> BTreeSet<&'a TypeId> {
    let others = |kind: &Kind| -> Vec<GroupVersion> {
        kind.registered.iter().skip(1).map(|name| name.group_version.clone()).collect()
    };
    let mut by_versions: BTreeMap<Vec<GroupVersion>, Vec<&TypeId>> = BTreeMap::new();
    for (ty, kind) in
        kinds.iter().filter(|(ty, kind)| !kind.bare && kind.registered.len() > 2 && is_plain(ty, kind))
    {
        by_versions.entry(others(kind)).or_default().push(&ty.id);
    }
    let most = by_versions.into_values().max_by_key(Vec::len).unwrap_or_default();
    most.into_iter().collect()
}

/// Whether all its names are the type's own name, and it has no other facts.
fn is_plain(ty: &Type, kind: &Kind) -> bool {
    kind.resource.is_none() && kind.registered.iter().all(|name| name.kind == ty.id.name)
}

/// Emits the tables of the kinds that many group versions have.
fn of_every_version(kinds: &[&(&Type, &Kind)]) -> TokenStream {
    let versions: Vec<String> = kinds
        .iter()
        .take(1)
        .flat_map(|(_, kind)| kind.registered.iter().skip(1))
        .map(|name| name.group_version.api_version())
        .collect();
    let count = Literal::usize_unsuffixed(versions.len());
    let tables: Vec<TokenStream> = kinds
        .iter()
        .map(|(ty, _)| {
            let ty = ident(&ty.id.name);
            quote!(&const { KindRow::at_each::<super::#ty, #count>(EVERY_VERSION) })
        })
        .collect();
    let tables = with_imports(&quote!(&[#(#tables),*]));
    quote! {
        /// The other group versions that have the kinds of [`OF_EVERY_VERSION`].
        const EVERY_VERSION: [&str; #count] = [#(#versions),*];

        /// Kinds that every group version has under its own name, a table for each.
        pub static OF_EVERY_VERSION: &[hubgen_machinery::scheme::Kinds] = #tables;
    }
}

fn row(
    input: &Input<'_>,
    by_member: &ByMember<'_>,
    tables: &Tables<'_>,
    ty: &Type,
    kind: &Kind,
    name: &GroupVersionKind,
) -> TokenStream {
    let kind_name = &name.kind;
    let api_version = name.group_version.api_version();
    let (homes, own_module, type_name) = (input.homes, Module::of(&ty.id), ident(&ty.id.name));
    let mut facts = Vec::new();
    if kind.bare {
        facts.push(quote!(type_meta: None));
    }
    if let Some(known) = kind.resource_of(name) {
        let known = resource(known, ty.kind_releases().1);
        facts.push(quote!(resource: Some(#known)));
        if homes.target().form == Form::Kubernetes {
            facts.push(quote!(is_built_in: true));
        }
        if let Some(behaviour) = behaviour::row(&input.behaviours.get(name)) {
            facts.push(quote!(behaviour: #behaviour));
        }
        if let Some(columns) = input.behaviours.columns.get(name) {
            let columns = columns::path(name, columns, &homes.inside(own_module.group()));
            facts.push(quote!(columns: Some(#columns)));
        }
    }
    let family = by_member.get(&(&name.group_version, kind_name.as_str())).filter(|_| !ty.is_list());
    if let Some(family) = family.filter(|family| family.has_versions()) {
        let constant = families::constant(&family.kind);
        let group = homes.inside(own_module.group());
        facts.push(quote!(family: Some(&#group::families::#constant)));
        let conversion = match &input.conversions[&(family.title(), name.group_version.clone())] {
            Conversion::Generated => quote!(ConversionRow::of::<super::#type_name>()),
            Conversion::NotConvertible(reason) => quote!(ConversionRow::NotConvertible(#reason)),
        };
        facts.push(quote!(conversion: #conversion));
        let plan = input.plans.iter().find(|plan| plan.family == **family);
        let hoisted = plan.map(|plan| plan.hoisted(&name.group_version)).unwrap_or_default();
        if !hoisted.is_empty() {
            let rows = hoisted
                .iter()
                .map(|Hoisted { list, fields }| quote!(HoistedRow { list: #list, fields: &[#(#fields),*] }));
            facts.push(quote!(hoisted: &[#(#rows),*]));
        }
    }
    if let Some(path) = tables.path(&own_module, &ty.id) {
        facts.push(quote!(defaults: Some(&#path)));
    }
    let places = input.canonical.below(input.types.api, ty);
    if !places.is_empty() && !ty.is_list() {
        let places = places.iter().map(|(at, id)| {
            let steps = canonical::path(homes, &own_module, id);
            quote!(CanonicalForm::new(&[#(#at),*], #steps))
        });
        facts.push(quote!(canonical: &[#(#places),*]));
    }
    let (since, until) = ty.kind_releases();
    let since = since.map(|since| since.to_string());
    let is_all = facts.is_empty() && until.is_none();
    if let Some(since) = since.as_ref().filter(|_| !is_all) {
        facts.push(quote!(since: Some(#since)));
    }
    if let Some(until) = until {
        let until = until.to_string();
        facts.push(quote!(until: Some(#until)));
    }
    // The type itself specifies its kind: the first of its names.
    let own = kind.registered.first().filter(|own| !kind.bare && own.kind == *kind_name);
    let new = match own {
        Some(own) if own == name => quote!(KindRow::of::<super::#type_name>()),
        Some(_) => quote!(KindRow::at::<super::#type_name>(#api_version)),
        None => quote!(KindRow::new(#api_version, #kind_name, || Box::new(super::#type_name::default()))),
    };
    match since {
        // True for most list kinds.
        Some(since) if is_all => quote!(#new.since(#since)),
        _ if facts.is_empty() => new,
        _ => quote!(KindRow { #(#facts,)* ..#new }),
    }
}

/// The row of a resource whose kind's last release is `until`.
fn resource(resource: &Resource, until: Option<Release>) -> TokenStream {
    let Resource { plural, singular, short_names, categories, .. } = resource;
    let subresources = resource.subresources.iter().map(|(name, subresource)| {
        let kind = match &subresource.kind {
            Some(kind) => {
                let (group, version, kind) =
                    (&kind.group_version.group, &kind.group_version.version, &kind.kind);
                quote!(Some((#group, #version, #kind)))
            }
            None => quote!(None),
        };
        let is_status =
            name == "status" && subresource.kind.is_none() && words(&subresource.verbs) == OF_PARTS;
        // It goes with its kind, as a rule.
        let until = subresource.until.filter(|_| subresource.until != until);
        let until = until.map(|release| release.to_string());
        match (is_status, &until) {
            (true, None) => return quote!(SubresourceRow::STATUS),
            (true, Some(until)) => {
                return quote!(SubresourceRow { until: Some(#until), ..SubresourceRow::STATUS });
            }
            _ => {}
        }
        let until = match until {
            Some(until) => quote!(Some(#until)),
            None => quote!(None),
        };
        let verbs = verbs(&subresource.verbs);
        quote!(SubresourceRow { name: #name, kind: #kind, verbs: #verbs, until: #until })
    });
    let constructor = match resource.scope {
        Scope::Namespaced => quote!(ResourceRow::namespaced(#plural, #singular)),
        Scope::Cluster => quote!(ResourceRow::cluster(#plural, #singular)),
    };
    let mut facts = Vec::new();
    if words(&resource.verbs) != ALL {
        let verbs = verbs(&resource.verbs);
        facts.push(quote!(verbs: #verbs));
    }
    if !short_names.is_empty() {
        facts.push(quote!(short_names: &[#(#short_names),*]));
    }
    if !categories.is_empty() {
        facts.push(quote!(categories: &[#(#categories),*]));
    }
    if !resource.subresources.is_empty() {
        facts.push(quote!(subresources: &[#(#subresources),*]));
    }
    if facts.is_empty() { constructor } else { quote!(ResourceRow { #(#facts,)* ..#constructor }) }
}

fn words(verbs: &[Verb]) -> Vec<&str> {
    verbs.iter().map(|verb| verb.as_str()).collect()
}

/// A set of verbs of the runtime if there is an equal one, or else the list of verbs.
fn verbs(verbs: &[Verb]) -> TokenStream {
    let words = words(verbs);
    if words == OF_PARTS { quote!(verbs::OF_PARTS) } else { quote!(&[#(#words),*]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn super_paths_are_shortened_in_mod() {
        let code =
            quote!(f::<super::Pod>(&[super::defaults::POD, super::CanonicalForm::new()], super::KindRow));
        let here = here(code).to_string();
        let expected = quote!(f::<Pod>(&[defaults::POD, self::CanonicalForm::new()], self::KindRow));
        assert_eq!(here, expected.to_string());
    }

    #[test]
    fn every_row_is_imported() {
        let words = behaviour::WORDS.iter().map(|(_, word)| word);
        assert!(ROWS.iter().chain(words).all(|name| IMPORTED.contains(name)));
    }
}
