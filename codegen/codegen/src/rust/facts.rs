//! Makes facts of the keys in `#[field(…)]` and `#[object(…)]`.

use hubgen_derive_core::{Facts as Written, ValueSort, WHOLE};
use hubgen_documents::crd;
use hubgen_model::{Facts, RawForm, TypeExpr};
use hubgen_validation::{Mistake, Schema};
use proc_macro2::Span;
use serde_json::{Map, Value, json};

use crate::naming::snake;

/// What is wrong with facts: where, what, and how to correct it.
pub(super) type Wrong = (Span, String, String);

/// The keywords for which fields have other keys.
const OF_FIELD: [(&str, &str); 6] = [
    ("description", "a doc comment"),
    ("default", "`default = \"…\"`"),
    ("enum", "`one_of(…)`"),
    ("x-kubernetes-list-type", "`list = …`"),
    ("x-kubernetes-list-map-keys", "`list = map(…)`"),
    ("x-kubernetes-map-type", "`atomic`"),
];

/// The keywords that a leaf cannot specify: what is about one field.
const OF_LEAF: [(&str, &str); 3] = [
    ("description", "a doc comment"),
    ("default", "`default = \"…\"` on the fields"),
    ("enum", "`one_of(…)` on the fields"),
];

/// The keywords that have keys of their own.
const WITH_KEYS: [&str; 12] = [
    "title",
    "example",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "multipleOf",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
];

/// The facts of a field.
pub(super) fn of_field(written: &Written, ty: &TypeExpr) -> Result<Facts, Wrong> {
    let known = |keyword: &str| OF_FIELD.iter().find(|(name, _)| *name == keyword).map(|(_, key)| *key);
    of_value(written, ty, &known)
}

/// The facts of a type as a whole.
pub(super) fn of_type(written: &Written) -> Result<Facts, Wrong> {
    let known = |keyword: &str| (keyword == "description").then_some("a doc comment");
    let facts = checked(written, ValueSort::Object, &known)?;
    compiles(written, schema_of("object", &facts))?;
    Ok(facts)
}

/// The facts of a leaf.
pub(super) fn of_leaf(written: &Written) -> Result<Facts, Wrong> {
    let known = |keyword: &str| OF_LEAF.iter().find(|(name, _)| *name == keyword).map(|(_, key)| *key);
    of_value(written, &TypeExpr::String, &known)
}

/// Adds the facts of a leaf to those of a field that contains it, perhaps in lists and maps. Those of the field apply
/// where both specify the same, as in the schema that the derive makes.
pub(super) fn add_leaf(facts: &mut Facts, ty: &TypeExpr, leaf: &Facts) {
    if facts.imported.is_some() {
        return;
    }
    if let TypeExpr::List(ty) | TypeExpr::Map(ty) = ty {
        let mut inner = facts.inner.take().map_or_else(Facts::default, |inner| *inner);
        add_leaf(&mut inner, ty, leaf);
        facts.inner = inner.boxed();
        return;
    }
    let mut keywords = leaf.keywords.clone();
    for (keyword, value) in std::mem::take(&mut facts.keywords) {
        match (keyword.as_str(), value, keywords.get_mut(&keyword)) {
            ("x-kubernetes-validations", Value::Array(rules), Some(Value::Array(known))) => {
                known.extend(rules)
            }
            (_, value, _) => _ = keywords.insert(keyword, value),
        }
    }
    facts.keywords = keywords;
}

fn of_value(
    written: &Written,
    ty: &TypeExpr,
    known: &dyn Fn(&str) -> Option<&'static str>,
) -> Result<Facts, Wrong> {
    let facts = nested(written, ty, known)?;
    compiles(written, schema(ty, Some(&facts)))?;
    Ok(facts)
}

/// The facts of a value, and of the items and values in it.
fn nested(
    written: &Written,
    ty: &TypeExpr,
    known: &dyn Fn(&str) -> Option<&'static str>,
) -> Result<Facts, Wrong> {
    let sort = sort(ty);
    let mut facts = checked(written, sort, known)?;
    let at = |error: syn::Error| (error.span(), error.to_string(), String::new());
    if let Some(inner) = written.inner(sort).map_err(at)? {
        let (TypeExpr::List(ty) | TypeExpr::Map(ty)) = ty else {
            let span = written.span_of("items").unwrap_or_else(Span::call_site);
            let message = "`values` is for a map, and this is an object".to_owned();
            return Err((span, message, "write the keys on the fields of the object".to_owned()));
        };
        facts.inner = nested(inner, ty, &|_| None)?.boxed();
    }
    Ok(facts)
}

/// The facts of a value itself.
fn checked(
    written: &Written,
    sort: ValueSort,
    known: &dyn Fn(&str) -> Option<&'static str>,
) -> Result<Facts, Wrong> {
    written.check_value(sort).map_err(|error| (error.span(), error.to_string(), String::new()))?;
    let parse = |json: &str| serde_json::from_str::<Map<String, Value>>(json).unwrap_or_default();
    let mut keywords = parse(&written.json());
    let imported = keywords.shift_remove(WHOLE);
    keywords.retain(|keyword, _| !["items", "additionalProperties"].contains(&keyword.as_str()));
    if let Some((span, json)) = written.more() {
        for keyword in parse(json).keys() {
            let own = WITH_KEYS.contains(&keyword.as_str()).then(|| format!("`{} = …`", snake(keyword)));
            let help = match (known(keyword).map(str::to_owned).or(own), keyword.as_str()) {
                (Some(other), _) => format!("write {other}"),
                (None, "x-kubernetes-validations") => "write `cel(…)`".to_owned(),
                (None, "uniqueItems") => "write `list = set`".to_owned(),
                (None, "items" | "additionalProperties") => "write `items(…)` or `values(…)`".to_owned(),
                (None, _) if crd::is_fact(keyword) => continue,
                (None, _) => {
                    "the type of the field specifies the rest; `schema` replaces all of it".to_owned()
                }
            };
            return Err((span, format!("`{keyword}` cannot be among `keywords`"), help));
        }
    }
    Ok(Facts { keywords, inner: None, imported })
}

/// Raw JSON is told to be an object by the whole schema. The other facts in it become those of the field, of its items
/// or values.
pub(super) fn raw_objects(ty: &mut TypeExpr, facts: &mut Facts) {
    let is_of_field = |keyword: &str| OF_FIELD.iter().any(|(name, _)| *name == keyword);
    match ty {
        TypeExpr::Raw(_) => {
            let of_object = facts.imported.as_ref().and_then(crd::facts_of_raw_object);
            // What the field itself has otherwise is part of the whole schema, which replaces it.
            if let Some(of_object) = of_object.filter(|it| !it.keys().any(|keyword| is_of_field(keyword))) {
                raw_object(ty, facts, of_object);
            }
        }
        TypeExpr::List(inner) | TypeExpr::Map(inner) => raw_items(inner, facts),
        _ => {}
    }
}

/// Likewise, the items of a list or the values of a map.
fn raw_items(ty: &mut TypeExpr, facts: &mut Facts) {
    let Some(mut of_inner) = facts.inner.take() else { return };
    match ty {
        TypeExpr::Raw(_) => {
            if let Some(of_object) = of_inner.imported.as_ref().and_then(crd::facts_of_raw_object) {
                raw_object(ty, &mut of_inner, of_object);
            }
        }
        TypeExpr::List(inner) | TypeExpr::Map(inner) => raw_items(inner, &mut of_inner),
        _ => {}
    }
    facts.inner = of_inner.boxed();
}

fn raw_object(ty: &mut TypeExpr, facts: &mut Facts, of_object: Map<String, Value>) {
    *ty = TypeExpr::Raw(RawForm::Extension);
    *facts = Facts { keywords: of_object, ..Facts::default() };
}

/// An allowed value: a number where values are numbers.
pub(super) fn word(ty: &TypeExpr, word: &str) -> Value {
    match ty {
        TypeExpr::List(inner) | TypeExpr::Map(inner) => self::word(inner, word),
        TypeExpr::Int32
        | TypeExpr::Int64
        | TypeExpr::Uint16
        | TypeExpr::Uint32
        | TypeExpr::Uint64
        | TypeExpr::Float
        | TypeExpr::Double
        | TypeExpr::Bool => serde_json::from_str(word).unwrap_or_else(|_| word.into()),
        _ => word.into(),
    }
}

/// What JSON has for a value.
fn sort(ty: &TypeExpr) -> ValueSort {
    match ty {
        TypeExpr::Bool => ValueSort::Bool,
        TypeExpr::Int32
        | TypeExpr::Int64
        | TypeExpr::Uint16
        | TypeExpr::Uint32
        | TypeExpr::Uint64
        | TypeExpr::Float
        | TypeExpr::Double => ValueSort::Number,
        TypeExpr::String | TypeExpr::Bytes | TypeExpr::Time | TypeExpr::MicroTime | TypeExpr::Duration => {
            ValueSort::Text
        }
        TypeExpr::Quantity | TypeExpr::IntOrString => ValueSort::TextOrNumber,
        TypeExpr::List(_) | TypeExpr::Strings => ValueSort::List,
        TypeExpr::Map(_) | TypeExpr::Ref(_) => ValueSort::Object,
        _ => ValueSort::Any,
    }
}

/// A schema with the facts, to check them. It ends at objects.
fn schema(ty: &TypeExpr, facts: Option<&Facts>) -> Value {
    if let Some(imported) = facts.and_then(|facts| facts.imported.clone()) {
        return imported;
    }
    let inner = |ty| schema(ty, facts.and_then(|facts| facts.inner.as_deref()));
    let mut schema = match ty {
        TypeExpr::Bool => json!({"type": "boolean"}),
        TypeExpr::Int32 | TypeExpr::Int64 | TypeExpr::Uint16 | TypeExpr::Uint32 | TypeExpr::Uint64 => {
            json!({"type": "integer"})
        }
        TypeExpr::Float | TypeExpr::Double => json!({"type": "number"}),
        TypeExpr::List(ty) => json!({"type": "array", "items": inner(ty)}),
        TypeExpr::Strings => json!({"type": "array", "items": {"type": "string"}}),
        TypeExpr::Map(ty) => json!({"type": "object", "additionalProperties": inner(ty)}),
        TypeExpr::Ref(_) => json!({"type": "object"}),
        TypeExpr::Quantity | TypeExpr::IntOrString => json!({"x-kubernetes-int-or-string": true}),
        TypeExpr::Raw(_) | TypeExpr::OrBool(_) | TypeExpr::OrArray(_) | TypeExpr::OrStrings(_) => {
            json!({"x-kubernetes-preserve-unknown-fields": true})
        }
        _ => json!({"type": "string"}),
    };
    if let (Value::Object(schema), Some(facts)) = (&mut schema, facts) {
        add(schema, facts);
    }
    schema
}

fn schema_of(ty: &str, facts: &Facts) -> Value {
    let mut schema = Map::from_iter([("type".to_owned(), ty.into())]);
    add(&mut schema, facts);
    facts.imported.clone().unwrap_or(schema.into())
}

fn add(schema: &mut Map<String, Value>, facts: &Facts) {
    let keywords = facts.keywords.iter().filter(|(_, value)| !value.is_null());
    schema.extend(keywords.map(|(keyword, value)| (keyword.clone(), value.clone())));
}

/// Checks that an API server accepts keywords: that patterns are regular expressions, for example. What alternatives
/// (`oneOf`) and the paths of rules refer to is not known here.
fn compiles(written: &Written, mut schema: Value) -> Result<(), Wrong> {
    if written.is_empty() {
        return Ok(());
    }
    remove_alternatives(&mut schema);
    const ROOT: &str = "openAPIV3Schema.properties[value]";
    let schema = json!({"type": "object", "properties": {"value": schema}});
    let checked = Schema::check(&schema, "openAPIV3Schema");
    let mut mistakes = checked.mistakes.into_iter();
    let Some(Mistake { error, help }) =
        mistakes.find(|mistake| !mistake.error.message.ends_with("must be a valid path"))
    else {
        return Ok(());
    };
    let path = error.field.strip_prefix(ROOT).unwrap_or(&error.field).trim_start_matches('.');
    let span = written.span_of(path).unwrap_or_else(Span::call_site);
    Err((span, format!("no API server accepts this: {}", error.message), help.into_owned()))
}

fn remove_alternatives(schema: &mut Value) {
    let Some(members) = schema.as_object_mut() else { return };
    members.retain(|keyword, _| !["allOf", "anyOf", "oneOf", "not", "required"].contains(&keyword.as_str()));
    for inner in ["items", "additionalProperties"] {
        members.get_mut(inner).into_iter().for_each(remove_alternatives);
    }
}
