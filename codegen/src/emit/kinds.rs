//! `kinds.rs`: a version's kinds, for the Scheme.

use std::collections::BTreeMap;

use hubgen_model::family::{Family, is_list};
use hubgen_model::{GroupVersion, GroupVersionKind, Kind, Resource, Scope, Type, Verb};
use proc_macro2::TokenStream;
use quote::quote;

use super::defaults::Tables;
use super::names::ident;
use super::{Conversion, Input, families};

/// Families by the names of their members.
pub type ByMember<'a> = BTreeMap<(&'a GroupVersion, &'a str), &'a Family>;

/// The kinds of one version.
pub fn emit(
    input: &Input<'_>,
    by_member: &ByMember<'_>,
    tables: &Tables<'_>,
    group_version: &GroupVersion,
    kinds: &[(&Type, &Kind)],
) -> Vec<TokenStream> {
    let entries = kinds.iter().flat_map(|(ty, kind)| {
        kind.registered.iter().map(move |name| entry(input, by_member, tables, ty, kind, name))
    });
    let docs = super::types::doc(&[format!("The kinds of `{}`.", group_version.api_version())]);
    vec![
        quote! {
            use hubgen_machinery::reflect::TypeMeta;
            use hubgen_machinery::scheme::{Conversion, Family, KindEntry, Kinds, Resource, Subresource};
        },
        quote! {
            #docs
            pub static KINDS: Kinds = &[#(#entries),*];
        },
    ]
}

fn entry(
    input: &Input<'_>,
    by_member: &ByMember<'_>,
    tables: &Tables<'_>,
    ty: &Type,
    kind: &Kind,
    name: &GroupVersionKind,
) -> TokenStream {
    let (group, version, kind_name) = (&name.group_version.group, &name.group_version.version, &name.kind);
    let api_version = name.group_version.api_version();
    let type_name = ident(&ty.id.name);
    let type_meta = if kind.bare {
        quote!(None)
    } else {
        quote!(Some(TypeMeta { api_version: #api_version, kind: #kind_name }))
    };
    let family = by_member.get(&(&name.group_version, kind_name.as_str())).filter(|_| !is_list(ty));
    let conversion = match family.filter(|family| family.has_versions()) {
        None => quote!(Conversion::Single),
        Some(family) => match input.conversions.get(&(family.title(), name.group_version.clone())) {
            Some(Conversion::Generated) => quote!(Conversion::of::<super::#type_name>()),
            Some(Conversion::NotConvertible(reason)) => quote!(Conversion::NotConvertible(#reason)),
            Some(Conversion::Pending) | None => quote!(Conversion::Pending),
        },
    };
    let family = match family {
        Some(family) => {
            let constant = families::constant(&family.kind);
            quote!(&crate::families::#constant)
        }
        None => quote! {
            &Family {
                members: &[(#group, #version, #kind_name)],
                storage: (#group, #version, #kind_name),
            }
        },
    };
    let resource = kind.resource.as_ref().filter(|_| name == &kind.registered[0]).map_or_else(
        || quote!(None),
        |it| {
            let resource = resource(it);
            quote!(Some(#resource))
        },
    );
    let defaults =
        tables.path(&ty.id.group_version, &ty.id).map_or_else(|| quote!(None), |path| quote!(Some(&#path)));
    let release = |release: Option<hubgen_model::Release>| match release {
        Some(release) => {
            let release = release.to_string();
            quote!(Some(#release))
        }
        None => quote!(None),
    };
    let (since, until) = (release(kind.since.or(ty.since)), release(kind.until.or(ty.until)));
    quote! {
        KindEntry {
            group: #group,
            version: #version,
            kind: #kind_name,
            type_meta: #type_meta,
            new: || Box::new(super::#type_name::default()),
            resource: #resource,
            family: #family,
            conversion: #conversion,
            defaults: #defaults,
            since: #since,
            until: #until,
        }
    }
}

fn resource(resource: &Resource) -> TokenStream {
    let Resource { plural, singular, short_names, categories, .. } = resource;
    let namespaced = resource.scope == Scope::Namespaced;
    let verbs = verbs(&resource.verbs);
    let subresources = resource.subresources.iter().map(|(name, subresource)| {
        let kind = match &subresource.kind {
            Some(kind) => {
                let (group, version, kind) =
                    (&kind.group_version.group, &kind.group_version.version, &kind.kind);
                quote!(Some((#group, #version, #kind)))
            }
            None => quote!(None),
        };
        let verbs = self::verbs(&subresource.verbs);
        quote!(Subresource { name: #name, kind: #kind, verbs: #verbs })
    });
    quote! {
        Resource {
            plural: #plural,
            singular: #singular,
            namespaced: #namespaced,
            verbs: #verbs,
            short_names: &[#(#short_names),*],
            categories: &[#(#categories),*],
            subresources: &[#(#subresources),*],
        }
    }
}

fn verbs(verbs: &[Verb]) -> TokenStream {
    let verbs = verbs.iter().map(|verb| verb.as_str());
    quote!(&[#(#verbs),*])
}
