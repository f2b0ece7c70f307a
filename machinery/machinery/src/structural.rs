//! The structural schemas of types, as CustomResourceDefinitions contain them.
//!
//! A schema is made of the descriptor of a type. It has no references, because structural schemas allow none: the
//! schema of each type is where the type is used.
//!
//! | type | schema |
//! | --- | --- |
//! | `Quantity`, `IntOrString` | an integer or a string, with `x-kubernetes-int-or-string` |
//! | unknown fields that are kept, raw JSON, and one of several types | `x-kubernetes-preserve-unknown-fields` |
//! | a struct inside itself | an object with `x-kubernetes-preserve-unknown-fields`, at the second occurrence |
//! | an enum of variants with a value | an object with exactly one property |
//! | `Option<Option<_>>`, and an `Option` that is written as `null` if it is absent | `nullable` |
//! | `metadata` of a kind | an object, whose fields the API server knows |

use hubgen_facts::schema::{int_or_string, quantity, require, set_list_type, unsigned};
use serde_json::{Map, Value, json};

use crate::reflect::{Descriptor, Fact, Facts, Field, ListType, StructType, Type, UnknownFields, Words};

/// The structural schema of the objects of a type: with required fields, allowed words, limits, rules in CEL, defaults,
/// and how lists and maps are merged.
///
/// ```
/// use hubgen_machinery::reflect::ApiType as _;
/// use hubgen_machinery::scalar::Quantity;
/// use hubgen_machinery::{ApiType, structural};
/// use serde_json::json;
///
/// #[derive(ApiType)]
/// struct Disk {
///     #[field(required)]
///     size: Quantity,
///     #[field(list = set)]
///     labels: Vec<String>,
///     #[field(default = "\"Fast\"", one_of("Fast", "Slow"))]
///     speed: String,
/// }
///
/// let schema = structural::schema(Disk::describe());
/// assert_eq!(schema["required"], json!(["size"]));
/// assert_eq!(schema["properties"]["size"]["x-kubernetes-int-or-string"], true);
/// assert_eq!(
///     schema["properties"]["labels"],
///     json!({"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"})
/// );
/// assert_eq!(
///     schema["properties"]["speed"],
///     json!({"type": "string", "enum": ["Fast", "Slow"], "default": "Fast"})
/// );
/// ```
pub fn schema(descriptor: &Descriptor) -> Value {
    let mut properties = Map::new();
    if descriptor.kind.is_some() {
        properties.extend(type_meta());
    }
    let mut outer = vec![std::ptr::from_ref(descriptor)];
    for field in descriptor.named() {
        let is_metadata = descriptor.kind.is_some() && field.name == "metadata";
        let schema = if is_metadata { of_metadata(field) } else { of_field(field, &mut outer) };
        properties.insert(field.name.to_string(), schema.into());
    }
    object(descriptor, properties).into()
}

/// The schema of a value of a type that is not part of a struct: [`Value::TYPE`](crate::reflect::Value::TYPE).
pub fn schema_of_value(ty: &Type) -> Value {
    of_value(ty, &Facts::NONE, &mut Vec::new()).into()
}

/// The types of which a schema is being made, from the outermost inwards.
type Outer = Vec<*const Descriptor>;

fn type_meta() -> [(String, Value); 2] {
    ["apiVersion", "kind"].map(|name| (name.to_owned(), json!({"type": "string"})))
}

fn object(descriptor: &Descriptor, properties: Map<String, Value>) -> Map<String, Value> {
    let mut schema = Map::from_iter([("type".to_owned(), "object".into())]);
    if !properties.is_empty() {
        schema.insert("properties".to_owned(), properties.into());
    }
    require(
        &mut schema,
        descriptor.fields.iter().filter(|field| field.facts.required()).map(|field| &*field.name),
    );
    if descriptor.unknown == UnknownFields::Kept {
        schema.insert(PRESERVE.to_owned(), true.into());
    }
    if descriptor.is_one_of() {
        schema.insert("minProperties".to_owned(), 1.into());
        schema.insert("maxProperties".to_owned(), 1.into());
    }
    add(&mut schema, &descriptor.facts);
    schema
}

/// Adds the description, and what facts specify besides. A field's description replaces that of its type.
fn add(schema: &mut Map<String, Value>, facts: &Facts) {
    if let Some(text) = facts.description() {
        schema.insert("description".to_owned(), text.into());
    }
    if let Some(json) = facts.schema() {
        add_json(schema, json);
    }
}

fn add_json(schema: &mut Map<String, Value>, json: &str) {
    // The derive has checked that it is an object of JSON.
    if let Ok(keywords) = serde_json::from_str(json) {
        merge(schema, keywords);
    }
}

/// The whole schema of a value among its facts.
const WHOLE: &str = "x-imported";

fn merge(schema: &mut Map<String, Value>, keywords: Map<String, Value>) {
    for (keyword, value) in keywords {
        match (keyword.as_str(), value, schema.get_mut(&keyword)) {
            (WHOLE, Value::Object(whole), _) => *schema = whole,
            ("items" | "additionalProperties", Value::Object(facts), Some(Value::Object(inner))) => {
                merge(inner, facts);
            }
            // Rules of a type, and of the field that has the type.
            (RULES, Value::Array(rules), Some(Value::Array(known))) => known.extend(rules),
            ("required", Value::Array(names), _) => require(schema, names.iter().filter_map(Value::as_str)),
            // The format that the type implies does not apply.
            ("format", Value::Null, _) => _ = schema.remove(&keyword),
            (_, value, _) => _ = schema.insert(keyword, value),
        }
    }
}

/// Rules in CEL.
const RULES: &str = "x-kubernetes-validations";

/// The metadata of a kind, whose fields the API server knows.
fn of_metadata(field: &Field) -> Map<String, Value> {
    let mut schema = Map::from_iter([("type".to_owned(), "object".into())]);
    add(&mut schema, &field.facts);
    schema
}

fn of_struct(ty: &StructType, outer: &mut Outer) -> Map<String, Value> {
    let descriptor = ty.descriptor();
    let this = std::ptr::from_ref::<Descriptor>(&descriptor);
    if outer.contains(&this) {
        return anything(Some("object"));
    }
    outer.push(this);
    let mut properties = Map::new();
    if descriptor.kind.is_some() {
        properties.extend(type_meta());
    }
    properties.extend(
        descriptor.named().iter().map(|field| (field.name.to_string(), of_field(field, outer).into())),
    );
    outer.pop();
    object(&descriptor, properties)
}

fn anything(ty: Option<&str>) -> Map<String, Value> {
    let mut schema = Map::new();
    if let Some(ty) = ty {
        schema.insert("type".to_owned(), ty.into());
    }
    schema.insert(PRESERVE.to_owned(), true.into());
    schema
}

/// Objects may have fields besides those in the schema.
const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";

fn of_field(field: &Field, outer: &mut Outer) -> Map<String, Value> {
    let mut schema = of_value(&field.ty, &field.facts, outer);
    let default = field.facts.default().and_then(|json| serde_json::from_str::<Value>(json).ok());
    // An absent value is written as `null`.
    let is_null =
        field.optional && field.omit.writes_absent(field.pointer, field.ty.has_empty()) && default.is_none();
    if field.nullable || is_null {
        schema.insert("nullable".to_owned(), true.into());
    }
    if let Some(default) = default {
        schema.insert("default".to_owned(), default);
    }
    schema
}

/// The schema of a value with the facts of its field, item or map value.
fn of_value(ty: &Type, facts: &Facts, outer: &mut Outer) -> Map<String, Value> {
    let schema = match ty {
        Type::Bool => json!({"type": "boolean"}),
        Type::Int32 => json!({"type": "integer", "format": "int32"}),
        Type::Int64 => json!({"type": "integer", "format": "int64"}),
        Type::Float => json!({"type": "number", "format": "float"}),
        Type::Double => json!({"type": "number", "format": "double"}),
        Type::Uint16 => unsigned(16),
        Type::Uint32 => unsigned(32),
        Type::Uint64 => unsigned(64),
        Type::String | Type::Duration => json!({"type": "string"}),
        Type::Bytes => json!({"type": "string", "format": "byte"}),
        Type::Time | Type::MicroTime => json!({"type": "string", "format": "date-time"}),
        Type::Enum(words) | Type::Words(words) => json!({"type": "string", "enum": words}),
        Type::Leaf(leaf) => {
            let mut schema = Map::from_iter([("type".to_owned(), "string".into())]);
            add_json(&mut schema, leaf.schema);
            schema.into()
        }
        Type::Quantity => quantity(),
        Type::IntOrString => int_or_string(),
        Type::Strings => json!({"type": "array", "items": {"type": "string"}}),
        Type::Raw | Type::Union(_) => anything(None).into(),
        Type::Struct(ty) => of_struct(ty, outer).into(),
        Type::List(node) => json!({"type": "array", "items": of_value(&node.ty, &node.facts, outer)}),
        Type::Map(node) => {
            json!({"type": "object", "additionalProperties": of_value(&node.ty, &node.facts, outer)})
        }
    };
    let Value::Object(mut schema) = schema else { unreachable!("a schema is an object") };
    allow_only(&mut schema, ty, facts.enumeration());
    add(&mut schema, facts);
    let atomic = match ty {
        Type::Struct(_) | Type::Map(_) => Some(&mut schema),
        Type::List(_) => schema.get_mut("items").and_then(Value::as_object_mut),
        _ => None,
    };
    if let Some(atomic) = atomic.filter(|_| facts.contains(&Fact::Atomic)) {
        atomic.insert("x-kubernetes-map-type".to_owned(), "atomic".into());
    }
    if let Some(list_type) = facts.list_type() {
        of_list(&mut schema, list_type);
    }
    schema
}

/// Allows these words only: for the innermost items and values if the type is a list or a map.
fn allow_only(schema: &mut Map<String, Value>, ty: &Type, words: &Words) {
    if words.iter().next().is_none() {
        return;
    }
    let (node, key) = match ty {
        Type::List(node) => (node, "items"),
        Type::Map(node) => (node, "additionalProperties"),
        _ => {
            // Those of a number are written as JSON.
            let is_text = schema.get("type").is_none_or(|ty| ty == "string");
            let value = |word: &str| match serde_json::from_str(word) {
                Ok(value) if !is_text => value,
                _ => Value::from(word),
            };
            schema.insert("enum".to_owned(), words.iter().map(value).collect());
            return;
        }
    };
    if let Some(Value::Object(inner)) = schema.get_mut(key) {
        allow_only(inner, &node.ty, words);
    }
}

fn of_list(schema: &mut Map<String, Value>, list_type: &ListType) {
    match list_type {
        ListType::Atomic => set_list_type(schema, "atomic", &[]),
        ListType::Set => set_list_type(schema, "set", &[]),
        ListType::Map(keys) => set_list_type(schema, "map", &keys.iter().collect::<Vec<_>>()),
    }
}
