//! The attributes of types in source that users own from then on: everything that attributes can specify. What is
//! generated otherwise leaves out what the schemas specify, and explains it in comments.

use hubgen_derive_core::plural;
use hubgen_documents::crd;
use hubgen_model::{Api, Facts, Field, Kind, Omit, Presence, RawForm, Resource, Type, TypeExpr};
use proc_macro2::{Literal, TokenStream};
use quote::quote;
use serde_json::{Map, Value, json};

use super::description::doc;
use crate::naming::ident;
use crate::rust::kinds::usual_column_type;

/// The keywords that have a key of the same meaning.
const KEYS: [(&str, &str); 11] = [
    ("title", "title"),
    ("format", "format"),
    ("pattern", "pattern"),
    ("minLength", "min_length"),
    ("maxLength", "max_length"),
    ("multipleOf", "multiple_of"),
    ("minItems", "min_items"),
    ("maxItems", "max_items"),
    ("minProperties", "min_properties"),
    ("maxProperties", "max_properties"),
    ("example", "example"),
];

/// Limits, and whether they are exclusive.
const LIMITS: [(&str, &str, &str, &str); 2] = [
    ("minimum", "exclusiveMinimum", "minimum", "exclusive_minimum"),
    ("maximum", "exclusiveMaximum", "maximum", "exclusive_maximum"),
];

/// The keys of a rule in CEL besides rule and message.
const OF_RULES: [(&str, &str); 4] = [
    ("messageExpression", "message_expression"),
    ("reason", "reason"),
    ("fieldPath", "field_path"),
    ("optionalOldSelf", "optional_old_self"),
];

/// A description as a comment, line by line: the reader makes the same text of it.
pub fn docs(text: Option<&String>) -> TokenStream {
    doc(&text.map(|text| text.split('\n').map(str::to_owned).collect::<Vec<_>>()).unwrap_or_default())
}

/// The attributes of a type: its kind, and facts about its objects.
pub fn of_type(api: &Api, ty: &Type) -> TokenStream {
    let kind = ty.kind.as_ref().map(|kind| of_kind(api, ty, kind));
    let facts = ty.facts.as_deref().map(|facts| keys(facts, None)).unwrap_or_default();
    let facts = (!facts.is_empty()).then(|| quote!(#[object(#(#facts),*)]));
    quote!(#kind #facts)
}

fn of_kind(api: &Api, ty: &Type, kind: &Kind) -> TokenStream {
    let mut keys: Vec<TokenStream> = Vec::new();
    let mut rows: Vec<Vec<TokenStream>> = Vec::new();
    let name = &ty.id.group_version;
    if !name.group.is_empty() {
        let group = &name.group;
        keys.push(quote!(group = #group));
    }
    let (version, title) = (&name.version, kind.registered.first().map_or(&ty.id.name, |name| &name.kind));
    keys.push(quote!(version = #version, kind = #title));
    let definition = kind.definition.as_deref();
    let is_stored = definition.is_none_or(|definition| definition.storage);
    if let Some(resource) = &kind.resource {
        if is_stored {
            keys.extend(names(api, ty, title, resource, &mut rows));
        }
        if resource.subresources.contains_key("status") {
            keys.push(quote!(status));
        }
    }
    if let Some(definition) = definition {
        if definition.storage {
            keys.push(quote!(storage));
        }
        if !definition.served {
            keys.push(quote!(served = false));
        }
        match (&definition.deprecation_warning, definition.deprecated) {
            (Some(warning), _) => keys.push(quote!(deprecated = #warning)),
            (None, true) => keys.push(quote!(deprecated)),
            (None, false) => {}
        }
        if let Some(scale) = &definition.scale {
            let (spec, status) = (&scale.spec_replicas, &scale.status_replicas);
            let selector = scale.label_selector.iter().map(|selector| quote!(selector = #selector));
            let parts = [quote!(spec = #spec), quote!(status = #status)].into_iter().chain(selector);
            rows.push(vec![quote!(scale(#(#parts),*))]);
        }
        for column in &definition.columns {
            let (name, path, ty_of) = (&column.name, text(&column.json_path), &column.ty);
            let mut parts = vec![quote!(#name => #path)];
            if usual_column_type(api, ty, &column.json_path) != Some(ty_of.as_str()) {
                parts.push(quote!(type = #ty_of));
            }
            parts.extend(column.format.iter().map(|format| quote!(format = #format)));
            parts.extend(column.description.iter().map(|description| quote!(description = #description)));
            parts.extend(column.priority.iter().map(|priority| {
                let priority = Literal::i32_unsuffixed(*priority);
                quote!(priority = #priority)
            }));
            rows.push(vec![quote!(column(#(#parts),*))]);
        }
        if !definition.selectable_fields.is_empty() {
            let paths = &definition.selectable_fields;
            rows.push(vec![quote!(selectable(#(#paths),*))]);
        }
        if let Some(shared) = &definition.shared {
            rows.extend(shared.labels.iter().map(|(name, value)| vec![quote!(label(#name, #value))]));
            rows.extend(
                shared.annotations.iter().map(|(name, value)| vec![quote!(annotation(#name, #value))]),
            );
            if let Some(conversion) = &shared.conversion {
                let conversion = text(&conversion.to_string());
                rows.push(vec![quote!(conversion = #conversion)]);
            }
            if let Some(preserve) = shared.preserve_unknown_fields {
                rows.push(vec![quote!(preserve_unknown_fields = #preserve)]);
            }
        }
    }
    let rows = rows.into_iter().map(|row| quote!(#[kind(#(#row),*)]));
    quote!(#[kind(#(#keys),*)] #(#rows)*)
}

/// The keys about names, which all versions have in common.
fn names(
    api: &Api,
    ty: &Type,
    title: &str,
    resource: &Resource,
    rows: &mut Vec<Vec<TokenStream>>,
) -> Vec<TokenStream> {
    let mut keys = Vec::new();
    if resource.scope == hubgen_model::Scope::Namespaced {
        keys.push(quote!(namespaced));
    }
    let lower = title.to_lowercase();
    let mut row = Vec::new();
    let (names, singular) = (&resource.plural, &resource.singular);
    if *names != plural(&lower) {
        row.push(quote!(plural = #names));
    }
    if *singular != lower {
        row.push(quote!(singular = #singular));
    }
    let of_items = |list: &&Type| {
        list.field("items").and_then(|items| items.ty.named()).is_some_and(|items| *items == ty.id)
    };
    let mut lists = api.versions[&ty.id.group_version].types.values().filter(|list| list.is_list());
    if let Some(list) = lists.find(of_items).map(|list| &list.id.name)
        && *list != format!("{title}List")
    {
        row.push(quote!(list = #list));
    }
    let (short, category) = (&resource.short_names, &resource.categories);
    if !short.is_empty() {
        row.push(quote!(short(#(#short),*)));
    }
    if !category.is_empty() {
        row.push(quote!(category(#(#category),*)));
    }
    if !row.is_empty() {
        rows.push(row);
    }
    keys
}

/// The facts of a field as keys of `#[field(…)]`.
pub fn of_field(owner: &Type, field: &Field) -> Vec<TokenStream> {
    let mut facts = field.facts.as_deref().cloned().unwrap_or_default();
    // The metadata of every kind.
    if owner.kind.is_some() && field.name == "metadata" && facts == Facts::imported(json!({"type": "object"}))
    {
        return Vec::new();
    }
    raw_objects(&field.ty, &mut facts);
    // It follows from the type.
    let is_nullable =
        field.is_nullable() || (field.presence == Presence::Pointer && field.omit == Omit::Exact);
    if is_nullable && facts.keywords.get("nullable") == Some(&Value::Bool(true)) {
        facts.keywords.shift_remove("nullable");
    }
    keys(&facts, Some(&field.ty))
}

/// Raw JSON that is an object has a whole schema, because neither its type in Rust nor keys tell that it is one.
fn raw_objects(ty: &TypeExpr, facts: &mut Facts) {
    match ty {
        TypeExpr::Raw(RawForm::Extension) if facts.imported.is_none() => {
            *facts = Facts::imported(crd::raw_object(&facts.keywords));
        }
        TypeExpr::List(inner) | TypeExpr::Map(inner) if facts.imported.is_none() => {
            let mut of_inner = facts.inner.take().map_or_else(Facts::default, |it| *it);
            raw_objects(inner, &mut of_inner);
            facts.inner = of_inner.boxed();
        }
        _ => {}
    }
}

/// Facts as keys.
fn keys(facts: &Facts, ty: Option<&TypeExpr>) -> Vec<TokenStream> {
    if let Some(whole) = &facts.imported {
        let whole = text(&whole.to_string());
        return vec![quote!(schema = #whole)];
    }
    let mut out = Vec::new();
    let mut rest = facts.keywords.clone();
    for (keyword, exclusive, key, exclusive_key) in LIMITS {
        let is_exclusive = rest.get(exclusive) == Some(&Value::Bool(true));
        if let Some(Value::Number(number)) = rest.get(keyword)
            && let Ok(number) = number.to_string().parse::<TokenStream>()
        {
            let key = ident(if is_exclusive { exclusive_key } else { key });
            out.push(quote!(#key = #number));
            rest.shift_remove(keyword);
            if is_exclusive {
                rest.shift_remove(exclusive);
            }
        }
    }
    for (keyword, key) in KEYS {
        let value = match rest.get(keyword) {
            Some(value) if keyword == "example" => {
                let example = text(&value.to_string());
                quote!(#example)
            }
            Some(Value::String(value)) => {
                let value = text(value);
                quote!(#value)
            }
            Some(Value::Number(number)) => match number.to_string().parse::<TokenStream>() {
                Ok(number) => number,
                Err(_) => continue,
            },
            _ => continue,
        };
        rest.shift_remove(keyword);
        let key = ident(key);
        out.push(quote!(#key = #value));
    }
    if let Some(rules) = rest.get("x-kubernetes-validations").and_then(rules) {
        rest.shift_remove("x-kubernetes-validations");
        out.extend(rules);
    }
    if let Some(inner) = &facts.inner {
        let (key, ty) = match ty {
            Some(TypeExpr::Map(ty)) => (ident("values"), Some(&**ty)),
            Some(TypeExpr::List(ty)) => (ident("items"), Some(&**ty)),
            _ => (ident("items"), None),
        };
        let inner = keys(inner, ty);
        out.push(quote!(#key(#(#inner),*)));
    }
    if !rest.is_empty() {
        let rest = text(&Value::Object(rest).to_string());
        out.push(quote!(keywords = #rest));
    }
    out
}

/// Rules in CEL as keys; `None` if one of them has something that the key cannot express.
fn rules(rules: &Value) -> Option<Vec<TokenStream>> {
    rules.as_array()?.iter().map(|rule| self::rule(rule.as_object()?)).collect()
}

fn rule(rule: &Map<String, Value>) -> Option<TokenStream> {
    let expression = text(rule.get("rule")?.as_str()?);
    let mut parts = vec![quote!(#expression)];
    let mut known = 1;
    if let Some(message) = rule.get("message") {
        let message = text(message.as_str()?);
        parts.push(quote!(#message));
        known += 1;
    }
    for (name, key) in OF_RULES {
        let key = ident(key);
        let part = match rule.get(name) {
            None => continue,
            Some(Value::Bool(value)) if name == "optionalOldSelf" => quote!(#key = #value),
            Some(Value::String(value)) => {
                let value = text(value);
                quote!(#key = #value)
            }
            Some(_) => return None,
        };
        parts.push(part);
        known += 1;
    }
    (known == rule.len()).then(|| quote!(cel(#(#parts),*)))
}

/// A text, as people write it: raw, if it has quotes or backslashes.
fn text(text: &str) -> TokenStream {
    let is_raw = text.contains(['"', '\\']) && !text.contains(['\r', '\0']);
    let marks = (0..).map(|count| "#".repeat(count)).find(|marks| !text.contains(&format!("\"{marks}")));
    let raw = marks.filter(|_| is_raw).and_then(|marks| format!("r{marks}\"{text}\"{marks}").parse().ok());
    raw.unwrap_or_else(|| quote!(#text))
}
