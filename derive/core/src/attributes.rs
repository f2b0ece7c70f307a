//! `#[field(…)]` and other attributes of items.

use proc_macro2::Span;
use syn::meta::ParseNestedMeta;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::token::Paren;
use syn::{Attribute, Ident, LitInt, LitStr, Path, Token, parenthesized};

use crate::facts::Facts;
use crate::keys::{
    ApiKey, AttributeName, FactKey, FieldKey, Key as _, ListWord, NumberWord, OmitWord, UnknownWord, expected,
};
use crate::values::{flag, several, text, texts, twice};

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
    /// The field is an object, and its fields are those of the object around it in JSON.
    pub flatten: Option<Span>,
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
    /// The newest version does not have the field any more, and what it contains may be lost.
    pub dropped: Option<Span>,
    /// The empty value of the field is the same as none, in conversions to the newest version.
    pub empty_is_absent: Option<Span>,
    /// The names in JSON that the field has in older versions.
    pub renamed: Vec<(Ident, LitStr)>,
    /// The keys that are written, without those of facts.
    pub(crate) written: Vec<FieldKey>,
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
        for attribute in AttributeName::Field.all(attributes) {
            out.span = Some(attribute.span());
            attribute.parse_nested_meta(|meta| out.take(&meta))?;
        }
        Ok(out)
    }

    /// Whether the only key is this one.
    pub(crate) fn is_only(&self, key: FieldKey) -> bool {
        self.written == [key] && self.facts.is_empty()
    }

    fn take(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        let Some(key) = FieldKey::at(&meta.path) else {
            let is_fact = self.facts.take(meta)?;
            let expected = || meta.error(expected(&[FieldKey::NAMES, FactKey::NAMES]));
            return if is_fact { Ok(()) } else { Err(expected()) };
        };
        // Versions may have a `renamed` each.
        if key != FieldKey::Renamed && self.written.contains(&key) {
            return Err(twice(meta));
        }
        self.written.push(key);
        match key {
            FieldKey::Name => self.name = Some(text(meta)?),
            FieldKey::Default => {
                let text = text(meta)?;
                if text.value().trim().is_empty() {
                    return Err(syn::Error::new(
                        text.span(),
                        "expected the default as JSON text, such as \"1\" or \"\\\"TCP\\\"\"",
                    ));
                }
                self.default = Some(text);
            }
            FieldKey::MergeKey => self.merge_key = Some(text(meta)?),
            FieldKey::Since => self.since = Some(text(meta)?),
            FieldKey::Until => self.until = Some(text(meta)?),
            FieldKey::Number => {
                self.number = numbers(meta)?;
                self.unnumbered = self.number.is_empty();
            }
            FieldKey::OneOf => {
                let is_listed = meta.input.peek(Paren) || meta.input.peek(Token![=]);
                self.one_of = Some(if is_listed { Allowed::Listed(texts(meta)?) } else { Allowed::OfType });
            }
            FieldKey::Other => self.other = Some(flag(meta)?),
            FieldKey::Rest => self.rest = Some(flag(meta)?),
            FieldKey::Flatten => self.flatten = Some(flag(meta)?),
            FieldKey::Patch => self.patch = texts(meta)?,
            FieldKey::Value => self.value = flag(meta).map(|_| true)?,
            FieldKey::Required => self.required = flag(meta).map(|_| true)?,
            FieldKey::Atomic => self.atomic = flag(meta).map(|_| true)?,
            FieldKey::Added => self.added = Some(flag(meta)?),
            FieldKey::Removed => self.removed = Some(flag(meta)?),
            FieldKey::Dropped => self.dropped = Some(flag(meta)?),
            FieldKey::EmptyIsAbsent => self.empty_is_absent = Some(flag(meta)?),
            FieldKey::Renamed => self.take_renamed(meta)?,
            FieldKey::Omit => self.omit = Some(omit(meta)?),
            FieldKey::List => self.list = Some(list(meta)?),
        }
        Ok(())
    }

    /// Reads `renamed(v1alpha1 = "oldName")`.
    fn take_renamed(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        if !meta.input.peek(Paren) {
            return Err(meta.error(RENAMED));
        }
        meta.parse_nested_meta(|inner| {
            let version = inner.path.get_ident().ok_or_else(|| inner.error(RENAMED))?;
            if self.renamed.iter().any(|(known, _)| known == version) {
                return Err(twice(&inner));
            }
            self.renamed.push((version.clone(), text(&inner)?));
            Ok(())
        })
    }
}

/// Reads `omit = never`.
fn omit(meta: &ParseNestedMeta<'_>) -> syn::Result<Omit> {
    let word: Ident = meta.value()?.parse()?;
    match OmitWord::named(&word) {
        Some(OmitWord::Never) => Ok(Omit::Never),
        Some(OmitWord::Zero) => Ok(Omit::Zero),
        Some(OmitWord::Empty) => Ok(Omit::Empty),
        Some(OmitWord::Exact) => Ok(Omit::Exact),
        None => Err(syn::Error::new(word.span(), expected(&[OmitWord::NAMES]))),
    }
}

/// Reads `list = set`, or `list = map("name")`.
fn list(meta: &ParseNestedMeta<'_>) -> syn::Result<List> {
    let value = meta.value()?;
    let word: Ident = value.parse()?;
    match ListWord::named(&word) {
        Some(ListWord::Atomic) => Ok(List::Atomic),
        Some(ListWord::Set) => Ok(List::Set),
        Some(ListWord::Map) => {
            let wrong = || syn::Error::new(word.span(), "expected the keys: `map(\"name\")`");
            if !value.peek(Paren) {
                return Err(wrong());
            }
            let keys;
            parenthesized!(keys in value);
            let keys: Vec<_> =
                Punctuated::<LitStr, Token![,]>::parse_terminated(&keys)?.into_iter().collect();
            if keys.is_empty() {
                return Err(wrong());
            }
            Ok(List::Map(keys))
        }
        None => Err(syn::Error::new(word.span(), "expected `atomic`, `set` or `map(\"key\", …)`")),
    }
}

const RENAMED: &str = "expected the names in older versions: `renamed(v1alpha1 = \"oldName\")`";

/// Reads `#[unknown(refuse)]`: whether JSON must have no fields besides those of the type.
pub(crate) fn refuses_unknown(attributes: &[Attribute]) -> syn::Result<Option<Span>> {
    let Some(attribute) = AttributeName::Unknown.all(attributes).next() else {
        return Ok(None);
    };
    let expected = "expected `#[unknown(refuse)]`; to keep unknown fields, add a field \
                    `#[field(rest)] rest: StrMap<Raw>`";
    let word = attribute.parse_args::<Ident>();
    match word.ok().as_ref().and_then(UnknownWord::named) {
        Some(UnknownWord::Refuse) => Ok(Some(attribute.span())),
        None => Err(syn::Error::new(attribute.span(), expected)),
    }
}

/// Reads `#[api(crate = "path")]`: the path of the run-time crate, for crates that have it under another name.
///
/// # Errors
/// If the attribute is something else.
pub fn crate_path(attributes: &[Attribute]) -> syn::Result<Option<Path>> {
    const EXPECTED: &str = "expected the path of hubgen-machinery: `#[api(crate = \"my_crate::machinery\")]`";
    let mut found: Option<Path> = None;
    for attribute in AttributeName::Api.all(attributes) {
        let mut is_empty = true;
        attribute.parse_nested_meta(|meta| {
            is_empty = false;
            let Some(ApiKey::Crate) = ApiKey::at(&meta.path) else { return Err(meta.error(EXPECTED)) };
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

/// Reads `= 1`, or `(2, 1)` from the outermost message inwards. Returns no numbers for `= none`.
fn numbers(meta: &ParseNestedMeta<'_>) -> syn::Result<Vec<LitInt>> {
    if !meta.input.peek(Paren) {
        let value = meta.value()?;
        if value.peek(Ident) {
            let word: Ident = value.parse()?;
            return match NumberWord::named(&word) {
                Some(NumberWord::None) => Ok(Vec::new()),
                None => Err(not_a_number(word.span())),
            };
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
