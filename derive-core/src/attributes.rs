//! `#[field(…)]`, and how keys of attributes are read.

use proc_macro2::Span;
use syn::meta::ParseNestedMeta;
use syn::parse::Parse;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::token::Paren;
use syn::{Attribute, Ident, LitInt, LitStr, Path, Token, parenthesized};

use crate::facts::{self, Facts};

/// The keys of `#[field(…)]`.
#[derive(Default)]
pub struct FieldAttributes {
    /// The name in JSON, if it does not follow from that in Rust.
    pub name: Option<LitStr>,
    /// The protobuf numbers, from the outermost message inwards.
    pub number: Vec<LitInt>,
    /// `number = none`: the field has intentionally no protobuf number.
    pub unnumbered: bool,
    /// When JSON omits the field.
    pub omit: Option<Omit>,
    /// The field is an `Option` because its type has no zero value, and an absent value is the zero value.
    pub value: bool,
    /// An object without the field is invalid.
    pub required: bool,
    /// The default, as JSON.
    pub default: Option<LitStr>,
    /// The values that the field may have.
    pub one_of: Option<Allowed>,
    /// The variant of an enum that contains the words of no other variant.
    pub other: Option<Span>,
    /// The field that contains what JSON has besides the other fields.
    pub rest: Option<Span>,
    /// How a list is merged and checked.
    pub list: Option<List>,
    /// A map or object is replaced as a whole by server-side apply.
    pub atomic: bool,
    /// The strategies of strategic merge patches.
    pub patch: Vec<LitStr>,
    /// The field that identifies an element of a list in strategic merge patches.
    pub merge_key: Option<LitStr>,
    /// The first release that had the field.
    pub since: Option<LitStr>,
    /// The last release that had the field.
    pub until: Option<LitStr>,
    /// What its schema specifies beyond its type: limits, patterns, rules.
    pub facts: Facts,
    /// Older versions do not have the field.
    pub added: Option<Span>,
    /// The newest version does not have the field any more.
    pub removed: Option<Span>,
    /// The names in JSON that the field has in older versions.
    pub renamed: Vec<(Ident, LitStr)>,
    /// The number of keys.
    pub(crate) keys: usize,
    /// The attribute, for errors about it as a whole.
    pub span: Option<Span>,
}

/// The values that a field may have.
pub enum Allowed {
    /// These.
    Listed(Vec<LitStr>),
    /// Those of the field's type, which is an enum.
    OfType,
}

/// When JSON omits a field.
#[derive(Clone, Copy)]
pub enum Omit {
    /// When it is absent or empty; objects are never empty.
    Empty,
    /// When it is absent or zero, objects included.
    Zero,
    /// Never; an absent or empty value is `null`.
    Never,
    /// Never, and the value is written as it is.
    Exact,
}

/// How a list is merged and checked.
pub enum List {
    /// It is replaced as a whole.
    Atomic,
    /// Its elements are unique.
    Set,
    /// These fields identify an element.
    Map(Vec<LitStr>),
}

impl FieldAttributes {
    pub(crate) fn parse(attributes: &[Attribute]) -> syn::Result<Self> {
        let mut out = Self::default();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("field")) {
            out.span = Some(attribute.span());
            attribute.parse_nested_meta(|meta| out.take(&meta))?;
        }
        Ok(out)
    }

    /// Whether the only key is `rest`.
    pub(crate) fn is_only_rest(&self) -> bool {
        self.rest.is_some() && self.keys == 1
    }

    fn take(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        self.keys += 1;
        let expected = || meta.error(format!("{EXPECTED}, {}", facts::NAMES));
        let Some(key) = meta.path.get_ident() else { return Err(expected()) };
        match key.to_string().as_str() {
            "name" => once(&mut self.name, meta)?,
            "default" => {
                once(&mut self.default, meta)?;
                if let Some(text) = &self.default
                    && text.value().trim().is_empty()
                {
                    return Err(syn::Error::new(
                        text.span(),
                        "expected the default as JSON text, such as \"1\" or \"\\\"TCP\\\"\"",
                    ));
                }
            }
            "merge_key" => once(&mut self.merge_key, meta)?,
            "since" => once(&mut self.since, meta)?,
            "until" => once(&mut self.until, meta)?,
            "number" => {
                if self.unnumbered || !self.number.is_empty() {
                    return Err(twice(meta));
                }
                self.number = numbers(meta)?;
                self.unnumbered = self.number.is_empty();
            }
            "one_of" => {
                let is_listed = meta.input.peek(Paren) || meta.input.peek(Token![=]);
                self.one_of = Some(if is_listed { Allowed::Listed(several(meta)?) } else { Allowed::OfType });
            }
            "other" => self.other = Some(meta.path.span()),
            "rest" => self.rest = Some(meta.path.span()),
            "patch" => self.patch = several(meta)?,
            "value" => self.value = true,
            "required" => self.required = true,
            "atomic" => self.atomic = true,
            "added" => self.added = Some(meta.path.span()),
            "removed" => self.removed = Some(meta.path.span()),
            "renamed" => {
                if !meta.input.peek(Paren) {
                    return Err(meta.error(RENAMED));
                }
                meta.parse_nested_meta(|inner| {
                    let version = inner.path.get_ident().ok_or_else(|| inner.error(RENAMED))?;
                    if self.renamed.iter().any(|(known, _)| known == version) {
                        return Err(twice(&inner));
                    }
                    self.renamed.push((version.clone(), inner.value()?.parse()?));
                    Ok(())
                })?;
            }
            "omit" => {
                let word: Ident = meta.value()?.parse()?;
                self.omit = Some(match word.to_string().as_str() {
                    "never" => Omit::Never,
                    "zero" => Omit::Zero,
                    "empty" => Omit::Empty,
                    "exact" => Omit::Exact,
                    _ => {
                        let expected = "expected `empty`, `zero`, `never` or `exact`";
                        return Err(syn::Error::new(word.span(), expected));
                    }
                });
            }
            "list" => {
                let value = meta.value()?;
                let word: Ident = value.parse()?;
                self.list = Some(match word.to_string().as_str() {
                    "atomic" => List::Atomic,
                    "set" => List::Set,
                    "map" => {
                        let keys;
                        parenthesized!(keys in value);
                        let keys: Vec<_> =
                            Punctuated::<LitStr, Token![,]>::parse_terminated(&keys)?.into_iter().collect();
                        if keys.is_empty() {
                            return Err(syn::Error::new(word.span(), "expected the keys: `map(\"name\")`"));
                        }
                        List::Map(keys)
                    }
                    _ => {
                        return Err(syn::Error::new(
                            word.span(),
                            "expected `atomic`, `set` or `map(\"key\", …)`",
                        ));
                    }
                });
            }
            _ if self.facts.take(meta)? => {}
            _ => return Err(expected()),
        }
        Ok(())
    }
}

const EXPECTED: &str = "expected one of `name`, `number`, `omit`, `value`, `required`, `default`, `one_of`, \
                        `other`, `rest`, `list`, `atomic`, `patch`, `merge_key`, `since`, `until`, `added`, `removed`, \
                        `renamed`";

const RENAMED: &str = "expected the names in older versions: `renamed(v1alpha1 = \"oldName\")`";

/// Reads `#[unknown(refuse)]`: whether JSON must have no fields besides those of the type.
pub(crate) fn refuses_unknown(attributes: &[Attribute]) -> syn::Result<Option<Span>> {
    let Some(attribute) = attributes.iter().find(|attribute| attribute.path().is_ident("unknown")) else {
        return Ok(None);
    };
    let expected = "expected `#[unknown(refuse)]`; to keep unknown fields, add a field \
                    `#[field(rest)] rest: StrMap<Raw>`";
    let word = attribute.parse_args::<Ident>();
    if word.is_ok_and(|word| word == "refuse") {
        Ok(Some(attribute.span()))
    } else {
        Err(syn::Error::new(attribute.span(), expected))
    }
}

/// Reads `#[api(crate = "path")]`: the path of the run-time crate, for crates that have it under another name.
///
/// # Errors
/// If the attribute is something else.
pub fn crate_path(attributes: &[Attribute]) -> syn::Result<Option<Path>> {
    const EXPECTED: &str = "expected the path of hubgen-machinery: `#[api(crate = \"my_crate::machinery\")]`";
    let mut found: Option<Path> = None;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("api")) {
        let mut is_empty = true;
        attribute.parse_nested_meta(|meta| {
            is_empty = false;
            if !meta.path.is_ident("crate") {
                return Err(meta.error(EXPECTED));
            }
            if found.is_some() {
                return Err(meta.error("`crate` is set twice; remove one of the two"));
            }
            let text: LitStr = meta.value()?.parse()?;
            found = Some(text.parse().map_err(|_| syn::Error::new(text.span(), EXPECTED))?);
            Ok(())
        })?;
        if is_empty {
            return Err(syn::Error::new(attribute.span(), EXPECTED));
        }
    }
    Ok(found)
}

/// Reads a key's string. A key may occur only once.
pub(crate) fn once(target: &mut Option<LitStr>, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    if target.is_some() {
        return Err(twice(meta));
    }
    *target = Some(meta.value()?.parse()?);
    Ok(())
}

pub(crate) fn twice(meta: &ParseNestedMeta<'_>) -> syn::Error {
    let key = meta.path.get_ident().map(Ident::to_string).unwrap_or_default();
    meta.error(format!("`{key}` is set twice; remove one of the two"))
}

/// Reads `= "A"` or `("A", "B")`.
pub(crate) fn several<T: Parse>(meta: &ParseNestedMeta<'_>) -> syn::Result<Vec<T>> {
    if meta.input.peek(Paren) {
        let content;
        parenthesized!(content in meta.input);
        return Ok(Punctuated::<T, Token![,]>::parse_terminated(&content)?.into_iter().collect());
    }
    Ok(vec![meta.value()?.parse()?])
}

/// Reads `= 1`, or `(2, 1)` from the outermost message inwards. Returns no numbers for `= none`.
fn numbers(meta: &ParseNestedMeta<'_>) -> syn::Result<Vec<LitInt>> {
    if !meta.input.peek(Paren) {
        let value = meta.value()?;
        if value.peek(Ident) {
            let word: Ident = value.parse()?;
            return if word == "none" { Ok(Vec::new()) } else { Err(not_a_number(word.span())) };
        }
        return Ok(vec![number(value.parse()?)?]);
    }
    let span = meta.input.span();
    let numbers = several(meta)?.into_iter().map(number).collect::<syn::Result<Vec<_>>>()?;
    if numbers.is_empty() { Err(not_a_number(span)) } else { Ok(numbers) }
}

fn number(number: LitInt) -> syn::Result<LitInt> {
    let valid = |value: u32| (1..=536_870_911).contains(&value) && !(19_000..=19_999).contains(&value);
    if number.base10_parse().is_ok_and(valid) { Ok(number) } else { Err(not_a_number(number.span())) }
}

fn not_a_number(span: Span) -> syn::Error {
    syn::Error::new(
        span,
        "expected a protobuf field number from 1 to 536870911, except 19000 to 19999, or `none`",
    )
}
