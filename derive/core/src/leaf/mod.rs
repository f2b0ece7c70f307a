//! Types of other crates that are texts in JSON: `#[leaf(text, …)]`.

mod expand;

use quote::quote;
use syn::meta::ParseNestedMeta;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::token::Paren;
use syn::{
    Attribute, Data, DeriveInput, Fields, GenericArgument, Ident, LitStr, PathArguments, Token, Type,
    parenthesized,
};

pub(crate) use self::expand::expand;
use crate::docs;
use crate::facts::Facts;
use crate::json;
use crate::keys::{AttributeName, FactKey, Key as _, LeafKey, expected};
use crate::values::{flag, quoted, twice};

/// A struct that contains nothing but a `Leaf<_>`: the text of a foreign type.
pub struct Leaf {
    /// Its name.
    pub ident: Ident,
    /// What its doc comment tells.
    pub description: Option<String>,
    /// What a schema specifies about its texts.
    pub facts: Facts,
    /// Whether it keeps texts that the foreign type does not accept, instead of refusing them.
    pub other: bool,
    /// What is expected, for error messages: `an absolute URL`.
    expects: String,
    /// Texts that the foreign type accepts.
    examples: Vec<LitStr>,
    /// The `Leaf<_>`.
    inside: Type,
    /// The foreign type.
    foreign: Type,
}

/// The attribute that makes a type a leaf.
pub(crate) fn attribute(attributes: &[Attribute]) -> Option<&Attribute> {
    AttributeName::Leaf.all(attributes).next()
}

const EXAMPLE: &str = "`#[leaf(text, expects = \"an absolute URL\", examples(\"https://example.com\"))]`";

/// The keys.
#[derive(Default)]
struct Keys {
    is_text: bool,
    other: bool,
    expects: Option<LitStr>,
    examples: Option<Vec<LitStr>>,
    facts: Facts,
}

impl Keys {
    fn take(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        match (LeafKey::at(&meta.path), FactKey::at(&meta.path)) {
            (Some(key @ (LeafKey::Text | LeafKey::Other)), _) => {
                let is_set = if key == LeafKey::Text { &mut self.is_text } else { &mut self.other };
                if std::mem::replace(is_set, true) {
                    return Err(twice(meta));
                }
                flag(meta).map(|_| ())
            }
            (Some(LeafKey::Expects), _) => {
                let text = crate::values::text(meta)?;
                if text.value().trim().is_empty() {
                    return Err(syn::Error::new(text.span(), "expected what a text is: `an absolute URL`"));
                }
                if self.expects.replace(text).is_some() { Err(twice(meta)) } else { Ok(()) }
            }
            (Some(LeafKey::Examples), _) => {
                let examples = examples(meta)?;
                if self.examples.replace(examples).is_some() { Err(twice(meta)) } else { Ok(()) }
            }
            (Some(_), _) => self.facts.take(meta).map(|_| ()),
            (None, Some(key)) => Err(key.misplaced(meta.path.span(), "a leaf, which is a text")),
            (None, None) => Err(meta.error(expected(&[LeafKey::NAMES]))),
        }
    }
}

/// Reads `examples("a", "b")`.
fn examples(meta: &ParseNestedMeta<'_>) -> syn::Result<Vec<LitStr>> {
    let wrong = || meta.error("expected texts that the type accepts: `examples(\"https://example.com\")`");
    if !meta.input.peek(Paren) {
        return Err(wrong());
    }
    let content;
    parenthesized!(content in meta.input);
    let texts = Punctuated::<LitStr, Token![,]>::parse_terminated_with(&content, quoted)?;
    if texts.is_empty() {
        return Err(wrong());
    }
    if let Some(empty) = texts.iter().find(|text| text.value().is_empty()) {
        return Err(syn::Error::new(empty.span(), "the empty text has no value: remove it"));
    }
    Ok(texts.into_iter().collect())
}

impl Leaf {
    pub(crate) fn parse(input: &DeriveInput, at: &Attribute) -> syn::Result<Self> {
        let mut keys = Keys::default();
        for attribute in AttributeName::Leaf.all(&input.attrs) {
            if !matches!(attribute.meta, syn::Meta::List(_)) {
                return Err(syn::Error::new(attribute.span(), format!("expected {EXAMPLE}")));
            }
            attribute.parse_nested_meta(|meta| keys.take(&meta))?;
        }
        for other in [
            AttributeName::Kind,
            AttributeName::Object,
            AttributeName::Unknown,
            AttributeName::From,
            AttributeName::Field,
        ] {
            if let Some(other) = other.all(&input.attrs).next() {
                let message = "a leaf is a text and no object: remove this attribute, or `#[leaf(…)]`";
                return Err(syn::Error::new(other.span(), message));
            }
        }
        let missing = |what: &str| syn::Error::new(at.span(), format!("{what}: {EXAMPLE}"));
        let Keys { is_text, other, expects, examples, mut facts } = keys;
        if !is_text {
            return Err(missing("expected `text`, which is what the type is in JSON"));
        }
        let expects = expects.ok_or_else(|| missing("expected `expects`, for errors"))?.value();
        let examples = examples
            .ok_or_else(|| missing("expected `examples`, of which tests make objects of the type"))?;
        facts.check_leaf()?;
        facts.add_example(json::quote(&examples[0].value()), examples[0].span());
        let (inside, foreign) = inside(input)?;
        let description = docs::description(&input.attrs);
        Ok(Self { ident: input.ident.clone(), description, facts, other, expects, examples, inside, foreign })
    }
}

/// The `Leaf<_>` and the foreign type in it.
fn inside(input: &DeriveInput) -> syn::Result<(Type, Type)> {
    let name = &input.ident;
    let wrong = |span, found: &str| {
        let message = format!(
            "expected `struct {name}(Leaf<{found}>);`: `hubgen_machinery::Leaf` contains the text as it came, which is \
             empty where JSON has none"
        );
        syn::Error::new(span, message)
    };
    let Data::Struct(data) = &input.data else { return Err(wrong(name.span(), "TheType")) };
    let (Fields::Unnamed(fields), 1) = (&data.fields, data.fields.len()) else {
        return Err(wrong(name.span(), "TheType"));
    };
    let field = &fields.unnamed[0];
    if let Some(attribute) = AttributeName::Field.all(&field.attrs).next() {
        let message = "a leaf has no fields: write the keys in `#[leaf(…)]`";
        return Err(syn::Error::new(attribute.span(), message));
    }
    let ty = &field.ty;
    let written = quote!(#ty).to_string().replace(' ', "");
    let Type::Path(path) = ty else { return Err(wrong(ty.span(), &written)) };
    match path.path.segments.last() {
        Some(last) if last.ident == "Leaf" => match &last.arguments {
            PathArguments::AngleBracketed(list) if list.args.len() == 1 => match &list.args[0] {
                GenericArgument::Type(foreign) => Ok((ty.clone(), foreign.clone())),
                _ => Err(wrong(ty.span(), "TheType")),
            },
            _ => Err(wrong(ty.span(), "TheType")),
        },
        _ => Err(wrong(ty.span(), &written)),
    }
}
