//! The structural schemas of derived types.

use std::collections::BTreeMap;

use hubgen_machinery::json::Raw;
use hubgen_machinery::reflect::{self, ApiType as _, OrBool, Value as _};
use hubgen_machinery::scalar::{Duration, IntOrString, MicroTime, Quantity, Time};
use hubgen_machinery::{ApiType, Str, StrMap, structural};
use serde_json::{Value, json};

#[derive(ApiType)]
struct Scalars {
    yes: bool,
    small: i32,
    large: i64,
    fraction: f64,
    text: Str,
    bytes: Vec<u8>,
    time: Option<Time>,
    micro_time: Option<MicroTime>,
    duration: Duration,
    quantity: Quantity,
    port: IntOrString,
    anything: Raw,
    color: Color,
    #[field(one_of)]
    size: Size,
    #[field(one_of)]
    sizes: Vec<Size>,
    #[field(one_of("a", "b"))]
    letters: BTreeMap<String, Vec<String>>,
    either: OrBool<Leaf>,
}

#[derive(ApiType)]
enum Color {
    #[default]
    Red,
    Blue,
}

#[derive(ApiType)]
enum Size {
    Small,
    Large,
    #[field(other)]
    Other(Str),
}

#[derive(ApiType)]
struct Leaf {
    name: Str,
}

/// The schemas of the fields of a type.
fn fields<T: reflect::ApiType>() -> Value {
    structural::schema(T::describe())["properties"].take()
}

#[test]
fn scalars() {
    let mut fields = fields::<Scalars>();
    assert!(fields["quantity"]["pattern"].take().is_string());
    let words = json!({"type": "string", "enum": ["Small", "Large"]});
    let int_or_string = json!([{"type": "integer"}, {"type": "string"}]);
    assert_eq!(
        fields,
        json!({
            "yes": {"type": "boolean"},
            "small": {"type": "integer", "format": "int32"},
            "large": {"type": "integer", "format": "int64"},
            "fraction": {"type": "number", "format": "double"},
            "text": {"type": "string"},
            "bytes": {"type": "string", "format": "byte"},
            "time": {"type": "string", "format": "date-time"},
            "microTime": {"type": "string", "format": "date-time"},
            "duration": {"type": "string"},
            "quantity": {"anyOf": int_or_string, "pattern": null, "x-kubernetes-int-or-string": true},
            "port": {"anyOf": int_or_string, "x-kubernetes-int-or-string": true},
            "anything": {"x-kubernetes-preserve-unknown-fields": true},
            "color": {"type": "string", "enum": ["Red", "Blue"]},
            "size": words,
            "sizes": {"type": "array", "items": words},
            "letters": {
                "type": "object",
                "additionalProperties": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
            },
            "either": {"x-kubernetes-preserve-unknown-fields": true},
        })
    );
}

#[derive(ApiType)]
struct Presence {
    #[field(required)]
    b: Str,
    #[field(required)]
    a: Option<i32>,
    optional: Option<i32>,
    nullable: Option<Option<i32>>,
    #[field(required, default = "[1]")]
    defaulted: Option<Vec<i32>>,
}

#[test]
fn presence() {
    let integer = json!({"type": "integer", "format": "int32"});
    let nullable = json!({"type": "integer", "format": "int32", "nullable": true});
    assert_eq!(
        structural::schema(Presence::describe()),
        json!({
            "type": "object",
            "properties": {
                "b": {"type": "string"},
                "a": nullable,
                "optional": integer,
                "nullable": nullable,
                "defaulted": {"type": "array", "items": integer, "default": [1]},
            },
            "required": ["a", "b", "defaulted"],
        })
    );
}

#[derive(ApiType)]
struct Lists {
    #[field(list = atomic)]
    atomic: Vec<Str>,
    #[field(list = set)]
    set: Vec<Leaf>,
    #[field(list = map("name", "protocol"))]
    map: Vec<Port>,
    #[field(list = map("other"))]
    other: Vec<Leaf>,
    #[field(atomic)]
    labels: StrMap<Str>,
    #[field(atomic)]
    leaf: Option<Leaf>,
}

#[derive(ApiType)]
struct Port {
    name: Str,
    #[field(default = "\"TCP\"")]
    protocol: Str,
}

/// Keys of list elements are required or have a default, and sets contain nothing that is merged. A list with a key
/// that its elements do not have is not merged.
#[test]
fn lists_and_maps() {
    let leaf = json!({"type": "object", "properties": {"name": {"type": "string"}}, "x-kubernetes-map-type": "atomic"});
    assert_eq!(
        fields::<Lists>(),
        json!({
            "atomic": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "atomic"},
            "set": {"type": "array", "items": leaf, "x-kubernetes-list-type": "set"},
            "map": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"name": {"type": "string"}, "protocol": {"type": "string", "default": "TCP"}},
                    "required": ["name"],
                },
                "x-kubernetes-list-map-keys": ["name", "protocol"],
                "x-kubernetes-list-type": "map",
            },
            "other": {
                "type": "array",
                "items": {"type": "object", "properties": {"name": {"type": "string"}}},
                "x-kubernetes-list-type": "atomic",
            },
            "labels": {
                "type": "object",
                "additionalProperties": {"type": "string"},
                "x-kubernetes-map-type": "atomic",
            },
            "leaf": leaf,
        })
    );
}

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "Tree")]
struct Tree {
    metadata: Metadata,
    root: Option<Box<Branch>>,
    seeds: Vec<Seed>,
}

#[derive(ApiType)]
struct Metadata {
    name: Str,
}

#[derive(ApiType)]
struct Branch {
    first: Option<Box<Branch>>,
    leaves: Vec<Leaf>,
    leaf: Leaf,
}

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "Seed")]
struct Seed {
    metadata: Metadata,
    source: Source,
}

#[derive(ApiType)]
enum Source {
    #[default]
    Bought(Leaf),
    Found(Leaf),
}

/// The API server knows the metadata of an object, but not that of an object inside it.
#[test]
fn kinds_and_recursion() {
    let text = json!({"type": "string"});
    let leaf = json!({"type": "object", "properties": {"name": text}});
    assert_eq!(
        fields::<Tree>(),
        json!({
            "apiVersion": text,
            "kind": text,
            "metadata": {"type": "object"},
            "root": {"type": "object", "properties": {
                "first": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
                "leaves": {"type": "array", "items": leaf},
                "leaf": leaf,
            }},
            "seeds": {"type": "array", "items": {"type": "object", "properties": {
                "apiVersion": text,
                "kind": text,
                "metadata": leaf,
                "source": {
                    "type": "object",
                    "properties": {"bought": leaf, "found": leaf},
                    "minProperties": 1,
                    "maxProperties": 1,
                },
            }}},
        })
    );
}

#[test]
fn values_that_are_no_objects() {
    assert_eq!(
        structural::schema_of_value(&<Vec<bool>>::TYPE),
        json!({"type": "array", "items": {"type": "boolean"}})
    );
    assert_eq!(
        structural::schema_of_value(&Port::TYPE)["properties"]["protocol"],
        json!({"type": "string", "default": "TCP"})
    );
}

#[derive(ApiType)]
struct Open {
    leaf: Option<Leaf>,
    #[field(rest)]
    rest: StrMap<Raw>,
}

#[test]
fn an_object_that_keeps_unknown_fields_preserves_them() {
    let leaf = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    let expected =
        json!({"type": "object", "properties": {"leaf": leaf}, "x-kubernetes-preserve-unknown-fields": true});
    assert_eq!(structural::schema(Open::describe()), expected);
}

#[derive(ApiType)]
#[object(max_properties = 9, cel("self.a > 0"))]
struct Limited {
    #[field(exclusive_minimum = 0, maximum = 9, default = "1")]
    a: i32,
    #[field(max_items = 2, list = set, items(pattern = "^a", max_length = 3))]
    texts: Vec<Str>,
    #[field(values(items(minimum = 1)))]
    numbers: StrMap<Vec<i32>>,
    #[field(title = "Other", cel("self.a < 5", "too large", reason = "FieldValueInvalid"))]
    other: Option<Lesser>,
    #[field(schema = r#"{"type": "integer"}"#)]
    whole: Option<Raw>,
    #[field(keywords = r#"{"format": null, "required": ["x"]}"#)]
    small: i64,
    #[field(one_of("1", "2"))]
    numbered: i64,
}

#[derive(ApiType)]
#[object(cel("self.a > 1"), title = "Lesser")]
struct Lesser {
    #[field(required)]
    a: i32,
}

#[test]
fn limits() {
    let integer = json!({"type": "integer", "format": "int32"});
    assert_eq!(
        structural::schema(Limited::describe()),
        json!({
            "type": "object",
            "maxProperties": 9,
            "x-kubernetes-validations": [{"rule": "self.a > 0"}],
            "properties": {
                "a": {
                    "type": "integer", "format": "int32", "default": 1,
                    "minimum": 0, "exclusiveMinimum": true, "maximum": 9,
                },
                "texts": {
                    "type": "array", "maxItems": 2, "x-kubernetes-list-type": "set",
                    "items": {"type": "string", "pattern": "^a", "maxLength": 3},
                },
                "numbers": {
                    "type": "object",
                    "additionalProperties": {
                        "type": "array", "items": {"type": "integer", "format": "int32", "minimum": 1},
                    },
                },
                "other": {
                    "type": "object", "title": "Other", "required": ["a"], "properties": {"a": integer},
                    "x-kubernetes-validations": [
                        {"rule": "self.a > 1"},
                        {"rule": "self.a < 5", "message": "too large", "reason": "FieldValueInvalid"},
                    ],
                },
                "whole": {"type": "integer"},
                "small": {"type": "integer", "required": ["x"]},
                "numbered": {"type": "integer", "format": "int64", "enum": [1, 2]},
            },
        })
    );
}

#[derive(ApiType)]
#[object(min_properties = 1, example = "{}", keywords = r#"{"not": {"required": ["whole"]}}"#)]
struct Documented {
    #[field(min_properties = 2, max_properties = 3)]
    labels: StrMap<Str>,
    #[field(min_items = 1)]
    names: Vec<Str>,
    #[field(minimum = -0.5, exclusive_maximum = 10, multiple_of = 0.5)]
    number: f64,
    #[field(format = "hostname", min_length = 1, example = "\"a\"")]
    host: Str,
    #[field(cel("true", field_path = ".a", message_expression = "'b'", optional_old_self = true))]
    whole: Option<Whole>,
}

#[derive(ApiType)]
#[object(schema = r#"{"type": "object", "maxProperties": 0}"#)]
struct Whole {
    a: i32,
}

#[test]
fn other_keywords() {
    assert_eq!(
        structural::schema(Documented::describe()),
        json!({
            "type": "object",
            "minProperties": 1,
            "example": {},
            "not": {"required": ["whole"]},
            "properties": {
                "labels": {
                    "type": "object", "minProperties": 2, "maxProperties": 3,
                    "additionalProperties": {"type": "string"},
                },
                "names": {"type": "array", "minItems": 1, "items": {"type": "string"}},
                "number": {
                    "type": "number", "format": "double",
                    "minimum": -0.5, "maximum": 10, "exclusiveMaximum": true, "multipleOf": 0.5,
                },
                "host": {"type": "string", "format": "hostname", "minLength": 1, "example": "a"},
                "whole": {
                    "type": "object", "maxProperties": 0,
                    "x-kubernetes-validations": [
                        {"rule": "true", "fieldPath": ".a", "messageExpression": "'b'", "optionalOldSelf": true},
                    ],
                },
            },
        })
    );
}
