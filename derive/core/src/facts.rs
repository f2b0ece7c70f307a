//! What a schema specifies about a value beyond its type: limits, patterns, formats, rules in CEL.
//!
//! Fields have such facts in `#[field(…)]`, and types in `#[object(…)]`. The facts are one object of JSON, from which
//! the derive makes a descriptor, and the generator a schema.

use proc_macro2::Span;
use syn::meta::ParseNestedMeta;
use syn::parse::ParseStream;
use syn::spanned::Spanned;
use syn::token::Paren;
use syn::{
    Attribute, GenericArgument, Ident, Lit, LitBool, LitFloat, LitInt, LitStr, PathArguments, Token, Type,
    parenthesized,
};

use crate::json;
use crate::keys::{AttributeName, CelKey, FactKey, Key as _, ObjectKey, expected};
use crate::values::{quoted, text, twice};

/// The member of [`Facts::json`] that is the whole schema of a value.
pub const WHOLE: &str = "x-imported";

/// What a schema specifies about a value beyond its type.
#[derive(Default)]
pub struct Facts {
    keywords: Vec<Keyword>,
    rules: Vec<String>,
    inner: Option<Box<Inner>>,
    /// More keywords, as members of an object of JSON.
    more: Option<(Span, String)>,
    whole: Option<(Span, String)>,
    /// The first key, for errors about all of them.
    first: Option<Span>,
}

/// A keyword of JSON Schema.
struct Keyword {
    name: &'static str,
    /// Its value as JSON.
    value: String,
    span: Span,
    /// What it is written as.
    key: FactKey,
}

/// The facts of the items of a list, or of the values of a map.
struct Inner {
    of: Of,
    facts: Facts,
    span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Items,
    Values,
}

/// What the value of a key is.
enum Form {
    Number,
    Count,
    Text,
    Json,
}

/// What a key concerns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum On {
    Numbers,
    Texts,
    Lists,
    Objects,
    TextsAndNumbers,
    All,
}

impl On {
    fn expected(self) -> &'static str {
        match self {
            Self::Numbers => "a number",
            Self::Texts => "a text",
            Self::Lists => "a list",
            Self::Objects => "a map or an object",
            Self::TextsAndNumbers => "a text or a number",
            Self::All => "any value",
        }
    }
}

impl ObjectKey {
    fn fact(self) -> FactKey {
        match self {
            Self::Title => FactKey::Title,
            Self::Example => FactKey::Example,
            Self::MinProperties => FactKey::MinProperties,
            Self::MaxProperties => FactKey::MaxProperties,
            Self::Cel => FactKey::Cel,
            Self::Keywords => FactKey::Keywords,
            Self::Schema => FactKey::Schema,
        }
    }
}

impl FactKey {
    /// The keyword whose value that of the key becomes, if it becomes one.
    fn keyword(self) -> Option<(&'static str, Form, On)> {
        Some(match self {
            Self::Title => ("title", Form::Text, On::All),
            Self::Example => ("example", Form::Json, On::All),
            Self::Format => ("format", Form::Text, On::TextsAndNumbers),
            Self::Pattern => ("pattern", Form::Text, On::Texts),
            Self::MinLength => ("minLength", Form::Count, On::Texts),
            Self::MaxLength => ("maxLength", Form::Count, On::Texts),
            Self::Minimum | Self::ExclusiveMinimum => ("minimum", Form::Number, On::Numbers),
            Self::Maximum | Self::ExclusiveMaximum => ("maximum", Form::Number, On::Numbers),
            Self::MultipleOf => ("multipleOf", Form::Number, On::Numbers),
            Self::MinItems => ("minItems", Form::Count, On::Lists),
            Self::MaxItems => ("maxItems", Form::Count, On::Lists),
            Self::MinProperties => ("minProperties", Form::Count, On::Objects),
            Self::MaxProperties => ("maxProperties", Form::Count, On::Objects),
            Self::Cel | Self::Items | Self::Values | Self::Keywords | Self::Schema => return None,
        })
    }

    fn on(self) -> On {
        self.keyword().map_or(On::All, |(.., on)| on)
    }

    pub(crate) fn misplaced(self, span: Span, found: &str) -> syn::Error {
        let expected = match self {
            Self::Items => "a list",
            Self::Values => "a map",
            _ => self.on().expected(),
        };
        syn::Error::new(span, format!("`{self}` is for {expected}, and this is {found}: remove it"))
    }
}

/// The reasons that a rule may give.
const REASONS: [&str; 4] =
    ["FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate"];

impl Facts {
    /// Reads `#[object(…)]` of a type.
    pub(crate) fn of_type(attributes: &[Attribute]) -> syn::Result<Self> {
        let mut out = Self::default();
        for attribute in AttributeName::Object.all(attributes) {
            attribute.parse_nested_meta(|meta| {
                match (ObjectKey::at(&meta.path), FactKey::at(&meta.path)) {
                    (Some(key), _) => out.take_key(key.fact(), &meta),
                    (None, Some(key)) => Err(key.misplaced(meta.path.span(), "an object")),
                    (None, None) => Err(meta.error(expected(&[ObjectKey::NAMES]))),
                }
            })?;
            out.first.get_or_insert(attribute.span());
        }
        out.check()?;
        Ok(out)
    }

    /// Reads a key, if it is one of facts.
    pub(crate) fn take(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<bool> {
        if meta.path.is_ident("unique_items") {
            return Err(meta.error(
                "definitions must not have `uniqueItems`, because comparing all items is slow; write `list = set`",
            ));
        }
        let Some(key) = FactKey::at(&meta.path) else { return Ok(false) };
        self.take_key(key, meta)?;
        Ok(true)
    }

    fn take_key(&mut self, key: FactKey, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        let span = meta.path.span();
        self.first.get_or_insert(span);
        if let Some((name, form, _)) = key.keyword() {
            let value = form.parse(meta)?;
            if let Some(other) = self.keywords.iter().find(|other| other.name == name) {
                let both = format!("`{}` and `{key}` set the same limit; remove one of the two", other.key);
                return Err(if other.key == key { twice(meta) } else { meta.error(both) });
            }
            self.keywords.push(Keyword { name, value, span, key });
            return Ok(());
        }
        match key {
            FactKey::Cel => self.rules.push(rule(meta)?),
            FactKey::Items | FactKey::Values => {
                let of = if key == FactKey::Items { Of::Items } else { Of::Values };
                if self.inner.is_some() {
                    return Err(
                        meta.error("a value has `items` or `values`, and only once; remove one of the two")
                    );
                }
                if !meta.input.peek(Paren) {
                    return Err(meta.error(format!("expected keys in parentheses: `{key}(min_length = 1)`")));
                }
                let mut facts = Self::default();
                meta.parse_nested_meta(|inner| {
                    if facts.take(&inner)? { Ok(()) } else { Err(inner.error(expected(&[FactKey::NAMES]))) }
                })?;
                facts.check()?;
                self.inner = Some(Box::new(Inner { of, facts, span }));
            }
            FactKey::Keywords => {
                let text = text(meta)?;
                let json = json::object(&text, r#"{"oneOf": []}"#)?;
                if self.more.replace((span, json)).is_some() {
                    return Err(twice(meta));
                }
            }
            FactKey::Schema => {
                let text = text(meta)?;
                let json = json::object(&text, r#"{"type": "string"}"#)?;
                if self.whole.replace((span, json)).is_some() {
                    return Err(twice(meta));
                }
            }
            // One keyword each.
            _ => {}
        }
        Ok(())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    /// Where the first of them is written.
    pub fn span(&self) -> Option<Span> {
        self.first
    }

    /// What `keywords` contains: an object of JSON.
    pub fn more(&self) -> Option<(Span, &str)> {
        self.more.as_ref().map(|(span, json)| (*span, json.as_str()))
    }

    /// Where a keyword is written: `pattern`, or `items.pattern` for one of items. If it is not written here, where the
    /// nearest of its owners is.
    pub fn span_of(&self, path: &str) -> Option<Span> {
        let (first, rest) = path.split_once('.').unwrap_or((path, ""));
        match (first, &self.inner) {
            ("items" | "additionalProperties", Some(inner)) => {
                Some(inner.facts.span_of(rest).unwrap_or(inner.span))
            }
            _ => {
                let written =
                    self.keywords.iter().find(|keyword| keyword.name == first).map(|keyword| keyword.span);
                let whole = self.whole.as_ref().or(self.more.as_ref()).map(|(span, _)| *span);
                written.or(whole).or(self.first)
            }
        }
    }

    /// The facts as an object of JSON: keywords with their values, those of items under `items`, those of values of a
    /// map under `additionalProperties`, and a whole schema under [`WHOLE`].
    pub fn json(&self) -> String {
        let mut members: Vec<String> = Vec::new();
        let mut add = |name: &str, value: &str| members.push(format!("\"{name}\":{value}"));
        for Keyword { name, value, key, .. } in &self.keywords {
            add(name, value);
            match key {
                FactKey::ExclusiveMinimum => add("exclusiveMinimum", "true"),
                FactKey::ExclusiveMaximum => add("exclusiveMaximum", "true"),
                _ => {}
            }
        }
        if !self.rules.is_empty() {
            add("x-kubernetes-validations", &format!("[{}]", self.rules.join(",")));
        }
        if let Some(inner) = &self.inner {
            let name = if inner.of == Of::Items { "items" } else { "additionalProperties" };
            add(name, &inner.facts.json());
        }
        if let Some((_, json)) = &self.whole {
            add(WHOLE, json);
        }
        if let Some((_, json)) = &self.more {
            let inside = json.trim_start_matches('{').trim_end();
            let inside = inside.strip_suffix('}').unwrap_or(inside).trim();
            members.extend((!inside.is_empty()).then(|| inside.to_owned()));
        }
        format!("{{{}}}", members.join(","))
    }

    /// Checks what can be known without the type.
    fn check(&self) -> syn::Result<()> {
        if let Some((span, _)) = &self.whole
            && (!self.keywords.is_empty()
                || !self.rules.is_empty()
                || self.inner.is_some()
                || self.more.is_some())
        {
            return Err(syn::Error::new(
                *span,
                "`schema` is the whole schema of the value: write the other keys inside it",
            ));
        }
        let of_nothing = |keyword: &&Keyword| {
            keyword.name == "multipleOf" && keyword.value.parse::<f64>().is_ok_and(|number| number <= 0.0)
        };
        if let Some(keyword) = self.keywords.iter().find(of_nothing) {
            return Err(syn::Error::new(
                keyword.span,
                "expected a number above 0, of which values are multiples",
            ));
        }
        for (least, most) in [
            ("minimum", "maximum"),
            ("minLength", "maxLength"),
            ("minItems", "maxItems"),
            ("minProperties", "maxProperties"),
        ] {
            let find = |name| self.keywords.iter().find(|keyword| keyword.name == name);
            let (Some(least), Some(most)) = (find(least), find(most)) else { continue };
            let is_exclusive = [least, most]
                .iter()
                .any(|keyword| matches!(keyword.key, FactKey::ExclusiveMinimum | FactKey::ExclusiveMaximum));
            let (Ok(low), Ok(high)) = (least.value.parse::<f64>(), most.value.parse::<f64>()) else {
                continue;
            };
            if low > high || (is_exclusive && low >= high) {
                let message = format!(
                    "no value fits: `{}` is {}, and `{}` is {}",
                    least.key, least.value, most.key, most.value
                );
                return Err(syn::Error::new(most.span, message));
            }
        }
        Ok(())
    }

    /// Checks the facts of a leaf, which is a text.
    pub(crate) fn check_leaf(&self) -> syn::Result<()> {
        self.check()?;
        self.check_value(ValueSort::Text)
    }

    /// Adds an example, as JSON.
    pub(crate) fn add_example(&mut self, value: String, span: Span) {
        self.first.get_or_insert(span);
        self.keywords.push(Keyword { name: "example", value, span, key: FactKey::Example });
    }

    /// Checks that the keys are of the field's type, where its name tells what it is. The generator knows all types.
    pub(crate) fn check_type(&self, ty: &Type) -> syn::Result<()> {
        self.check()?;
        let sort = Sort::of(ty);
        if let Sort::Unknown = sort {
            return Ok(());
        }
        self.check_value(sort.value())?;
        match (&self.inner, sort) {
            (Some(inner), Sort::List(ty)) if inner.of == Of::Items => inner.facts.check_type(ty),
            (Some(inner), Sort::Map(ty)) if inner.of == Of::Values => inner.facts.check_type(ty),
            (Some(inner), sort) => Err(inner.misplaced(sort.value().name())),
            (None, _) => Ok(()),
        }
    }

    /// Checks that the keys, without those of items and values, are of a sort of values.
    ///
    /// # Errors
    /// The first key that concerns other values.
    pub fn check_value(&self, value: ValueSort) -> syn::Result<()> {
        match self.keywords.iter().find(|keyword| !value.takes(keyword.key.on())) {
            Some(keyword) => Err(keyword.key.misplaced(keyword.span, value.name())),
            None => Ok(()),
        }
    }

    /// The facts of items, or of the values of a map.
    ///
    /// # Errors
    /// If the value is not of this sort.
    pub fn inner(&self, value: ValueSort) -> syn::Result<Option<&Self>> {
        let Some(inner) = &self.inner else { return Ok(None) };
        match (inner.of, value) {
            (Of::Items, ValueSort::List) | (Of::Values, ValueSort::Object) => Ok(Some(&inner.facts)),
            _ => Err(inner.misplaced(value.name())),
        }
    }
}

impl Inner {
    fn misplaced(&self, found: &str) -> syn::Error {
        let key = if self.of == Of::Items { FactKey::Items } else { FactKey::Values };
        key.misplaced(self.span, found)
    }
}

impl Form {
    /// Reads the value of a key as JSON.
    fn parse(&self, meta: &ParseNestedMeta<'_>) -> syn::Result<String> {
        let input = meta.value()?;
        match self {
            Self::Text => quoted(input).map(|text| json::quote(&text.value())),
            Self::Json => json::value(&quoted(input)?, "\\\"a text\\\""),
            Self::Count => {
                let wrong = |span| syn::Error::new(span, "expected a whole number from 0");
                let number: LitInt = input.parse().map_err(|error: syn::Error| wrong(error.span()))?;
                number.base10_parse::<u64>().map(|count| count.to_string()).map_err(|_| wrong(number.span()))
            }
            Self::Number => number(input),
        }
    }
}

fn number(input: ParseStream<'_>) -> syn::Result<String> {
    let sign = if input.peek(Token![-]) { input.parse::<Token![-]>().map(|_| "-")? } else { "" };
    let wrong = |span| syn::Error::new(span, "expected a number, such as `1` or `-0.5`");
    let literal: Lit = input.parse().map_err(|error: syn::Error| wrong(error.span()))?;
    let (digits, suffix) = match &literal {
        Lit::Int(int) => (int.base10_digits().to_owned(), int.suffix()),
        Lit::Float(float) => (of_float(float), float.suffix()),
        other => return Err(wrong(other.span())),
    };
    if suffix.is_empty() { Ok(format!("{sign}{digits}")) } else { Err(wrong(literal.span())) }
}

/// `1.` is a number of Rust, but not of JSON.
fn of_float(float: &LitFloat) -> String {
    let digits = float.base10_digits();
    if digits.ends_with('.') { format!("{digits}0") } else { digits.to_owned() }
}

/// Reads `cel("rule", "message", reason = "…")` as JSON.
fn rule(meta: &ParseNestedMeta<'_>) -> syn::Result<String> {
    const FORM: &str = "expected a rule in CEL and the message where it is not true: `cel(\"self > 0\", \"must be positive\")`";
    if !meta.input.peek(Paren) {
        return Err(meta.error(FORM));
    }
    let content;
    parenthesized!(content in meta.input);
    let rule: LitStr = content.parse().map_err(|error: syn::Error| syn::Error::new(error.span(), FORM))?;
    if rule.value().trim().is_empty() {
        return Err(syn::Error::new(rule.span(), FORM));
    }
    let mut members = vec![("rule", json::quote(&rule.value()))];
    let mut is_first = true;
    while !content.is_empty() {
        content.parse::<Token![,]>()?;
        if content.is_empty() {
            break;
        }
        if std::mem::take(&mut is_first) && content.peek(LitStr) {
            members.push(("message", json::quote(&quoted(&content)?.value())));
            continue;
        }
        let key: Ident = content.parse()?;
        content.parse::<Token![=]>()?;
        let (name, value) = match CelKey::named(&key) {
            Some(CelKey::MessageExpression) => ("messageExpression", json::quote(&quoted(&content)?.value())),
            Some(CelKey::FieldPath) => ("fieldPath", json::quote(&quoted(&content)?.value())),
            Some(CelKey::Reason) => {
                let reason = quoted(&content)?;
                if !REASONS.contains(&reason.value().as_str()) {
                    return Err(syn::Error::new(
                        reason.span(),
                        format!("expected one of {}", REASONS.join(", ")),
                    ));
                }
                ("reason", json::quote(&reason.value()))
            }
            Some(CelKey::OptionalOldSelf) => {
                let wrong = |error: syn::Error| {
                    syn::Error::new(error.span(), "expected `optional_old_self = true`, or `false`")
                };
                ("optionalOldSelf", content.parse::<LitBool>().map_err(wrong)?.value.to_string())
            }
            None => return Err(syn::Error::new(key.span(), expected(&[CelKey::NAMES]))),
        };
        if members.iter().any(|(known, _)| *known == name) {
            return Err(syn::Error::new(key.span(), format!("`{key}` is set twice; remove one of the two")));
        }
        members.push((name, value));
    }
    let members: Vec<String> = members.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
    Ok(format!("{{{}}}", members.join(",")))
}

/// What JSON has for a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueSort {
    /// A text.
    Text,
    /// A number.
    Number,
    /// A number or a text.
    TextOrNumber,
    /// `true` or `false`.
    Bool,
    /// A list.
    List,
    /// A map or an object.
    Object,
    /// Any JSON.
    Any,
}

impl ValueSort {
    fn takes(self, on: On) -> bool {
        match self {
            Self::Any => true,
            _ if on == On::All => true,
            Self::Text => matches!(on, On::Texts | On::TextsAndNumbers),
            Self::Number => matches!(on, On::Numbers | On::TextsAndNumbers),
            Self::TextOrNumber => matches!(on, On::Texts | On::Numbers | On::TextsAndNumbers),
            Self::List => on == On::Lists,
            Self::Object => on == On::Objects,
            Self::Bool => false,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Text => "a text",
            Self::Number => "a number",
            Self::TextOrNumber => "a number or a text",
            Self::Bool => "true or false",
            Self::List => "a list",
            Self::Object => "an object",
            Self::Any => "any JSON",
        }
    }
}

/// What the name of a type tells about its values.
enum Sort<'t> {
    Value(ValueSort),
    List(&'t Type),
    Map(&'t Type),
    /// A type of the user, or of another crate.
    Unknown,
}

impl<'t> Sort<'t> {
    fn of(ty: &'t Type) -> Self {
        let path = match ty {
            Type::Path(path) => &path.path,
            Type::Paren(inner) => return Self::of(&inner.elem),
            Type::Group(inner) => return Self::of(&inner.elem),
            _ => return Self::Unknown,
        };
        let Some(last) = path.segments.last() else { return Self::Unknown };
        let arguments: Vec<&Type> = match &last.arguments {
            PathArguments::AngleBracketed(list) => list
                .args
                .iter()
                .filter_map(|argument| if let GenericArgument::Type(ty) = argument { Some(ty) } else { None })
                .collect(),
            _ => Vec::new(),
        };
        match (last.ident.to_string().as_str(), &arguments[..]) {
            ("Option" | "Box", [inner]) => Self::of(inner),
            ("Vec", [inner]) if is_byte(inner) => Self::Value(ValueSort::Text),
            ("Vec", [inner]) => Self::List(inner),
            ("StrMap", [value]) | ("BTreeMap", [_, value]) => Self::Map(value),
            ("Str" | "String", []) => Self::Value(ValueSort::Text),
            ("i32" | "i64" | "u16" | "u32" | "u64" | "f32" | "f64", []) => Self::Value(ValueSort::Number),
            ("bool", []) => Self::Value(ValueSort::Bool),
            _ => Self::Unknown,
        }
    }

    fn value(&self) -> ValueSort {
        match self {
            Self::Value(sort) => *sort,
            Self::List(_) => ValueSort::List,
            Self::Map(_) => ValueSort::Object,
            Self::Unknown => ValueSort::Any,
        }
    }
}

fn is_byte(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.is_ident("u8"))
}

#[cfg(test)]
mod tests {
    use syn::{DeriveInput, parse_quote};

    use crate::ApiType;

    fn json(item: DeriveInput) -> Vec<String> {
        let Ok(ApiType::Struct(item)) = ApiType::parse(&item) else { panic!("a struct") };
        let of_type = (!item.facts.is_empty()).then(|| item.facts.json());
        of_type.into_iter().chain(item.fields.iter().map(|field| field.attributes.facts.json())).collect()
    }

    #[test]
    fn keys_become_keywords() {
        let item = parse_quote! {
            #[object(max_properties = 2, cel("true"))]
            struct A {
                #[field(exclusive_minimum = -0.5, maximum = 1_000, multiple_of = 0x10)]
                a: i32,
                #[field(pattern = r#"^"\d$"#, cel("self != 'b'", "not b", reason = "FieldValueInvalid", optional_old_self = true))]
                b: Str,
                #[field(max_items = 3, items(values(max_length = 4), title = "t"), keywords = r#" { "nullable": true } "#)]
                c: Vec<StrMap<Str>>,
                #[field(values(schema = r#"{"type": "string"}"#))]
                d: StrMap<Str>,
            }
        };
        let expected = [
            r#"{"maxProperties":2,"x-kubernetes-validations":[{"rule":"true"}]}"#,
            r#"{"minimum":-0.5,"exclusiveMinimum":true,"maximum":1000,"multipleOf":16}"#,
            r#"{"pattern":"^\"\\d$","x-kubernetes-validations":[{"rule":"self != 'b'","message":"not b","reason":"FieldValueInvalid","optionalOldSelf":true}]}"#,
            r#"{"maxItems":3,"items":{"title":"t","additionalProperties":{"maxLength":4}},"nullable": true}"#,
            r#"{"additionalProperties":{"x-imported":{"type": "string"}}}"#,
        ];
        assert_eq!(json(item), expected);
    }
}
