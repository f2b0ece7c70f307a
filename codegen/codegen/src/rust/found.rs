//! Finds the structs and enums with the derive.

use hubgen_derive_core::ApiType;
use hubgen_documents::{Diagnostic, Source};
use proc_macro2::Span;
use quote::ToTokens;
use syn::{Attribute, DeriveInput, Item as RustItem, Visibility};

use super::modules::{ItemPath, Module, conditions};

/// A struct or an enum with the derive.
pub(super) struct Found<'a> {
    pub module: &'a ItemPath,
    pub source: &'a Source,
    pub item: &'a RustItem,
    pub parsed: ApiType,
}

impl Found<'_> {
    pub fn ident(&self) -> &syn::Ident {
        self.parsed.ident()
    }

    pub fn attributes(&self) -> &[Attribute] {
        match self.item {
            RustItem::Struct(item) => &item.attrs,
            RustItem::Enum(item) => &item.attrs,
            _ => &[],
        }
    }
}

/// The structs and enums of a module with the derive.
pub(super) fn derived<'a>(
    path: &'a ItemPath,
    module: &'a Module,
    errors: &mut Vec<Diagnostic>,
) -> Vec<Found<'a>> {
    let mut out = Vec::new();
    for item in &module.items {
        let (attributes, ident, visibility) = match item {
            RustItem::Struct(item) => (&item.attrs, &item.ident, &item.vis),
            RustItem::Enum(item) => (&item.attrs, &item.ident, &item.vis),
            _ => continue,
        };
        if !attributes.iter().any(has_derive) {
            continue;
        }
        // The derive sees the item without the rest of the file, too.
        let parsed =
            syn::parse2::<DeriveInput>(item.to_token_stream()).and_then(|input| ApiType::parse(&input));
        if let Ok(parsed @ ApiType::View(_)) = parsed {
            // It is no part of the API, so that it may be private.
            out.push(Found { module: path, source: &module.source, item, parsed });
            continue;
        }
        if let Some(condition) = module.condition.clone().or_else(|| conditions(attributes)) {
            let message = format!("`{ident}` is compiled only under {condition}, which hubgen cannot decide");
            let help = "remove the condition: an API has the same versions in every build";
            errors.push(error(&module.source, ident.span(), "", message, help));
            continue;
        }
        if !matches!(visibility, Visibility::Public(_)) {
            let message = format!("`{ident}` is private, and the generated modules export it");
            errors.push(error(
                &module.source,
                ident.span(),
                "",
                message,
                format!("write `pub` before `{ident}`; its module may be private"),
            ));
        }
        match parsed {
            Ok(parsed) => out.push(Found { module: path, source: &module.source, item, parsed }),
            Err(all) => {
                errors.extend(all.into_iter().map(|found| {
                    error(&module.source, found.span(), ident.to_string(), found.to_string(), "")
                }))
            }
        }
    }
    out
}

/// Whether an attribute is `#[derive(…, ApiType, …)]`.
pub(super) fn has_derive(attribute: &Attribute) -> bool {
    let mut is_found = false;
    if attribute.path().is_ident("derive") {
        let _ = attribute.parse_nested_meta(|meta| {
            is_found |= meta.path.segments.last().is_some_and(|last| last.ident == "ApiType");
            Ok(())
        });
    }
    is_found
}

/// An error at a place in the source.
pub(super) fn error(
    source: &Source,
    span: Span,
    path: impl Into<String>,
    message: impl Into<String>,
    help: impl Into<String>,
) -> Diagnostic {
    source.error(span.byte_range(), path, message, help)
}
