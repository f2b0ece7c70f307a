//! How the values of keys in attributes are read.

use proc_macro2::Span;
use syn::meta::ParseNestedMeta;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::token::Paren;
use syn::{Ident, LitStr, Token, parenthesized};

/// Reads a key's string.
pub(crate) fn text(meta: &ParseNestedMeta<'_>) -> syn::Result<LitStr> {
    quoted(meta.value().map_err(|_| meta.error(format!("expected `{} = \"…\"`", name_of(meta))))?)
}

pub(crate) fn quoted(input: ParseStream<'_>) -> syn::Result<LitStr> {
    input.parse().map_err(|error: syn::Error| syn::Error::new(error.span(), "expected a text in quotes"))
}

/// Reads a key that has no value. Returns where it is.
pub(crate) fn flag(meta: &ParseNestedMeta<'_>) -> syn::Result<Span> {
    if meta.input.is_empty() || meta.input.peek(Token![,]) {
        return Ok(meta.path.span());
    }
    Err(meta.error(format!("`{}` has no value: remove what follows it", name_of(meta))))
}

pub(crate) fn name_of(meta: &ParseNestedMeta<'_>) -> String {
    meta.path.get_ident().map(Ident::to_string).unwrap_or_default()
}

pub(crate) fn twice(meta: &ParseNestedMeta<'_>) -> syn::Error {
    meta.error(format!("`{}` is set twice; remove one of the two", name_of(meta)))
}

/// Reads `= "A"` or `("A", "B")`.
pub(crate) fn texts(meta: &ParseNestedMeta<'_>) -> syn::Result<Vec<LitStr>> {
    several(meta).map_err(|error| syn::Error::new(error.span(), "expected texts in quotes: `(\"a\", \"b\")`"))
}

/// Reads `= a` or `(a, b)`.
pub(crate) fn several<T: Parse>(meta: &ParseNestedMeta<'_>) -> syn::Result<Vec<T>> {
    if meta.input.peek(Paren) {
        let content;
        parenthesized!(content in meta.input);
        return Ok(Punctuated::<T, Token![,]>::parse_terminated(&content)?.into_iter().collect());
    }
    Ok(vec![meta.value()?.parse()?])
}
