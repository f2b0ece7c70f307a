//! `#[from(…)]`: how an older version of a kind differs, beyond what attributes of fields specify.

use proc_macro2::TokenStream;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::token::{Bracket, Paren};
use syn::{Attribute, Ident, Lit, LitStr, Token, bracketed, parenthesized};

use crate::keys::{AttributeName, FromKey, Key as _, KeyedKey, NumberKey};
use crate::values::{text, twice};

/// `#[from(v1alpha1, moved("spec.a" => "spec.b.c"), words("spec.a" => "spec.b", "rsa" = "RSA"))]`: the rules of an
/// older version.
pub struct From {
    /// The version: `v1alpha1`.
    pub version: Ident,
    /// Fields with another parent: the path in that version, and in this one.
    pub moved: Vec<(LitStr, LitStr)>,
    /// Fields with other words.
    pub words: Vec<WordMap>,
    /// Numbers that are texts in this version.
    pub numbers: Vec<NumberInText>,
    /// Maps that are lists in this version.
    pub keyed: Vec<KeyedList>,
    /// Fields whose values are in rows of a table.
    pub tables: Vec<ValueTable>,
    /// Fields that functions of the user convert.
    pub functions: Vec<Function>,
    /// Why the version does not convert at all.
    pub not_convertible: Option<LitStr>,
}

/// `words("spec.keyAlgorithm" => "spec.privateKey.algorithm", "rsa" = "RSA")`.
pub struct WordMap {
    /// The path in the older version.
    pub from: LitStr,
    /// The path in this version.
    pub to: LitStr,
    /// Each word of the older version, and its counterpart.
    pub words: Vec<(LitStr, LitStr)>,
}

/// `number("spec.timeoutSeconds" => "spec.timeout", duration = "s")`.
pub struct NumberInText {
    /// The path in the older version.
    pub from: LitStr,
    /// The path in this version.
    pub to: LitStr,
    /// How the text contains the number: `duration`.
    pub form: String,
    /// What the number counts, if the form has units: `s`.
    pub unit: Option<LitStr>,
}

/// `keyed("spec.labels" => "spec.tags", key = "name", value = "value")`.
pub struct KeyedList {
    /// The path in the older version.
    pub from: LitStr,
    /// The path in this version.
    pub to: LitStr,
    /// The field of the items that contains the key.
    pub key: LitStr,
    /// The field of the items that contains the value, if there is one.
    pub value: Option<LitStr>,
}

/// `table("spec.address" => "spec.host", "spec.port", ["{host}:{port}"] => ["{host}", "{port}"])`.
pub struct ValueTable {
    /// Fields of the older version.
    pub from: Vec<LitStr>,
    /// Fields of this version.
    pub to: Vec<LitStr>,
    /// The rows: cells of the older version, and of this one.
    pub rows: Vec<(Vec<Cell>, Vec<Cell>)>,
}

/// What a row has for a field.
pub enum Cell {
    /// A text, perhaps with named parts.
    Text(LitStr),
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A list.
    List(Vec<Self>),
}

/// `function("crate::days", "spec.days: i32" => "spec.duration: Str", reads("metadata.name: Str"))`.
pub struct Function {
    /// The module with the two functions.
    pub module: LitStr,
    /// Fields of the older version, each with its path and type.
    pub from: Vec<LitStr>,
    /// Fields of this version.
    pub to: Vec<LitStr>,
    /// Fields of the metadata that both functions take besides.
    pub reads: Vec<LitStr>,
}

const FORM: &str =
    "expected the name of a version first: `#[from(v1alpha1, moved(\"spec.a\" => \"spec.b\"))]`";

impl From {
    pub(crate) fn parse_all(attributes: &[Attribute]) -> syn::Result<Vec<Self>> {
        AttributeName::From.all(attributes).map(|attribute| attribute.parse_args_with(Self::parse)).collect()
    }

    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let version: Ident = input.parse().map_err(|error| syn::Error::new(error.span(), FORM))?;
        if input.peek(Paren) || input.peek(Token![=]) {
            return Err(syn::Error::new(version.span(), FORM));
        }
        let mut out = Self {
            version,
            moved: Vec::new(),
            words: Vec::new(),
            numbers: Vec::new(),
            keyed: Vec::new(),
            tables: Vec::new(),
            functions: Vec::new(),
            not_convertible: None,
        };
        if input.is_empty() {
            return Ok(out);
        }
        input.parse::<Token![,]>()?;
        let parser = syn::meta::parser(|meta| {
            match FromKey::at(&meta.path) {
                Some(FromKey::Moved) => {
                    let content;
                    parenthesized!(content in meta.input);
                    while !content.is_empty() {
                        out.moved.push(paths(&content)?);
                        if !content.is_empty() {
                            content.parse::<Token![,]>()?;
                        }
                    }
                }
                Some(FromKey::Words) => {
                    let content;
                    parenthesized!(content in meta.input);
                    out.words.push(words(&content)?);
                }
                Some(FromKey::Number) => {
                    let content;
                    parenthesized!(content in meta.input);
                    out.numbers.push(number(&content)?);
                }
                Some(FromKey::Keyed) => {
                    let content;
                    parenthesized!(content in meta.input);
                    out.keyed.push(keyed(&content)?);
                }
                Some(FromKey::Table) => {
                    let content;
                    parenthesized!(content in meta.input);
                    out.tables.push(table(&content)?);
                }
                Some(FromKey::Function) => {
                    let content;
                    parenthesized!(content in meta.input);
                    out.functions.push(function(&content)?);
                }
                Some(FromKey::NotConvertible) if out.not_convertible.is_some() => return Err(twice(&meta)),
                Some(FromKey::NotConvertible) => out.not_convertible = Some(text(&meta)?),
                None => {
                    return Err(meta.error(
                        "expected one of `moved(\"spec.a\" => \"spec.b\")`, `words(\"spec.a\" => \"spec.b\", \"x\" = \
                         \"X\")`, `number(\"spec.a\" => \"spec.b\", duration = \"s\")`, `keyed(\"spec.a\" => \"spec.b\", key = \
                         \"name\")`, `table(\"spec.a\" => \"spec.b\", [\"x\"] => [true])`, `function(\"crate::a\", \"spec.a: i32\" => \"spec.b: Str\")`, \
                         `not_convertible = \"the reason\"`",
                    ));
                }
            }
            Ok(())
        });
        parser.parse2(input.parse()?)?;
        Ok(out)
    }
}

/// The path in the older version, and in this one: `"spec.a" => "spec.b"`.
fn paths(input: ParseStream<'_>) -> syn::Result<(LitStr, LitStr)> {
    let form = |error: syn::Error| {
        syn::Error::new(
            error.span(),
            "expected the path in the older version, and the path in this one: `\"spec.a\" => \"spec.b\"`",
        )
    };
    let from = input.parse().map_err(form)?;
    input.parse::<Token![=>]>().map_err(form)?;
    Ok((from, input.parse().map_err(form)?))
}

fn words(input: ParseStream<'_>) -> syn::Result<WordMap> {
    let (from, to) = paths(input)?;
    let mut out = WordMap { from, to, words: Vec::new() };
    while !input.is_empty() {
        input.parse::<Token![,]>()?;
        if input.is_empty() {
            break;
        }
        let form = |error: syn::Error| {
            syn::Error::new(
                error.span(),
                "expected a word, and its counterpart in this version: `\"rsa\" = \"RSA\"`",
            )
        };
        let word = input.parse().map_err(form)?;
        input.parse::<Token![=]>().map_err(form)?;
        out.words.push((word, input.parse().map_err(form)?));
    }
    Ok(out)
}

fn number(input: ParseStream<'_>) -> syn::Result<NumberInText> {
    const FORM: &str =
        "expected the form of the text: `duration = \"s\"`, `quantity = \"Mi\"`, `percent` or `text`";
    let (from, to) = paths(input)?;
    let end = input.span();
    let mut found = None;
    let parser = syn::meta::parser(|meta| {
        let key = NumberKey::at(&meta.path).ok_or_else(|| meta.error(FORM))?;
        if found.is_some() {
            return Err(meta.error(FORM));
        }
        let unit = match key {
            NumberKey::Duration | NumberKey::Quantity => Some(text(&meta)?),
            NumberKey::Percent | NumberKey::Text => None,
        };
        found = Some((key.to_string(), unit));
        Ok(())
    });
    after_comma(input)?.map_or(Ok(()), |rest| parser.parse2(rest))?;
    let (form, unit) = found.ok_or_else(|| syn::Error::new(end, FORM))?;
    Ok(NumberInText { from, to, form, unit })
}

fn keyed(input: ParseStream<'_>) -> syn::Result<KeyedList> {
    const FORM: &str = "expected the field of the items that contains the key: `key = \"name\"`, perhaps with \
                        `value = \"value\"`";
    let (from, to) = paths(input)?;
    let end = input.span();
    let (mut key, mut value) = (None, None);
    let parser = syn::meta::parser(|meta| {
        let slot = match KeyedKey::at(&meta.path) {
            Some(KeyedKey::Key) => &mut key,
            Some(KeyedKey::Value) => &mut value,
            None => return Err(meta.error(FORM)),
        };
        if slot.is_some() {
            return Err(twice(&meta));
        }
        *slot = Some(text(&meta)?);
        Ok(())
    });
    after_comma(input)?.map_or(Ok(()), |rest| parser.parse2(rest))?;
    Ok(KeyedList { from, to, key: key.ok_or_else(|| syn::Error::new(end, FORM))?, value })
}

fn table(input: ParseStream<'_>) -> syn::Result<ValueTable> {
    const FIELDS: &str = "expected fields of the older version, fields of this one, and rows: `\"spec.a\" => \"spec.b\", [\"x\"] \
                          => [true]`";
    let form = |error: syn::Error| syn::Error::new(error.span(), FIELDS);
    let mut out = ValueTable { from: vec![input.parse().map_err(form)?], to: Vec::new(), rows: Vec::new() };
    while input.peek(Token![,]) {
        input.parse::<Token![,]>()?;
        out.from.push(input.parse().map_err(form)?);
    }
    input.parse::<Token![=>]>().map_err(form)?;
    out.to.push(input.parse().map_err(form)?);
    while input.peek(Token![,]) {
        input.parse::<Token![,]>()?;
        if input.is_empty() {
            break;
        }
        if input.peek(Bracket) {
            out.rows.push(row(input)?);
        } else if out.rows.is_empty() {
            out.to.push(input.parse().map_err(form)?);
        } else {
            return Err(input.error(ROW));
        }
    }
    if !input.is_empty() {
        return Err(input.error(FIELDS));
    }
    if out.rows.is_empty() { Err(syn::Error::new(input.span(), FIELDS)) } else { Ok(out) }
}

const ROW: &str = "expected a row: a cell for each field of the older version, and for each field of this one: `[\"x\"] => \
                   [true]`";

fn row(input: ParseStream<'_>) -> syn::Result<(Vec<Cell>, Vec<Cell>)> {
    let from = cells(input)?;
    let form = |error: syn::Error| syn::Error::new(error.span(), ROW);
    input.parse::<Token![=>]>().map_err(form)?;
    if !input.peek(Bracket) {
        return Err(input.error(ROW));
    }
    Ok((from, cells(input)?))
}

fn cells(input: ParseStream<'_>) -> syn::Result<Vec<Cell>> {
    let content;
    bracketed!(content in input);
    let cells = content.parse_terminated(cell, Token![,])?;
    Ok(cells.into_iter().collect())
}

fn cell(input: ParseStream<'_>) -> syn::Result<Cell> {
    if input.peek(Bracket) {
        return Ok(Cell::List(cells(input)?));
    }
    let minus = input.parse::<Option<Token![-]>>()?;
    let literal: Lit = input.parse()?;
    match (literal, minus) {
        (Lit::Str(text), None) => Ok(Cell::Text(text)),
        (Lit::Bool(value), None) => Ok(Cell::Bool(value.value)),
        (Lit::Int(number), minus) => {
            let value: i64 = number.base10_parse()?;
            Ok(Cell::Integer(if minus.is_some() { -value } else { value }))
        }
        (other, _) => Err(syn::Error::new(
            other.span(),
            "expected a text, `true`, `false`, a whole number, or a list of them in brackets",
        )),
    }
}

/// What follows a comma, if anything does.
fn after_comma(input: ParseStream<'_>) -> syn::Result<Option<TokenStream>> {
    if input.is_empty() {
        return Ok(None);
    }
    input.parse::<Token![,]>()?;
    input.parse().map(Some)
}

fn function(input: ParseStream<'_>) -> syn::Result<Function> {
    let form = |error: syn::Error| {
        syn::Error::new(
            error.span(),
            "expected the module with the functions, fields of the older version, and fields of this one: \
             `\"crate::days\", \"spec.days: i32\" => \"spec.duration: Str\"`",
        )
    };
    let module = input.parse().map_err(form)?;
    input.parse::<Token![,]>().map_err(form)?;
    let mut from = vec![input.parse().map_err(form)?];
    while input.peek(Token![,]) {
        input.parse::<Token![,]>()?;
        from.push(input.parse().map_err(form)?);
    }
    input.parse::<Token![=>]>().map_err(form)?;
    let (mut to, mut reads) = (vec![input.parse().map_err(form)?], Vec::new());
    while !input.is_empty() {
        input.parse::<Token![,]>().map_err(form)?;
        if input.is_empty() {
            break;
        }
        if input.peek(Ident) {
            reads = self::reads(input)?;
            break;
        }
        to.push(input.parse().map_err(form)?);
    }
    Ok(Function { module, from, to, reads })
}

/// `reads("metadata.name: Str")`, at the end of a function.
fn reads(input: ParseStream<'_>) -> syn::Result<Vec<LitStr>> {
    const FORM: &str =
        "expected the metadata that the functions read: `reads(\"metadata.name: Str\")`, as the last";
    let word: Ident = input.parse()?;
    if word != "reads" || !input.peek(Paren) {
        return Err(syn::Error::new(word.span(), FORM));
    }
    let content;
    parenthesized!(content in input);
    let fields = Punctuated::<LitStr, Token![,]>::parse_terminated(&content)
        .map_err(|error| syn::Error::new(error.span(), FORM))?;
    if input.peek(Token![,]) {
        input.parse::<Token![,]>()?;
    }
    if input.is_empty() { Ok(fields.into_iter().collect()) } else { Err(input.error(FORM)) }
}
