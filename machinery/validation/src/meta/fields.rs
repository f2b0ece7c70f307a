//! The fields of metadata, and their types.

use serde_json::{Map, Value};

use crate::text;

/// The type of a field.
#[derive(Clone, Copy)]
enum Shape {
    /// A text, with the name of its type in Go.
    Text(&'static str),
    Int,
    Bool,
    Time,
    Texts,
    Map,
    Objects(&'static Struct),
    Any,
}

/// A type with fields.
struct Struct {
    name: &'static str,
    fields: &'static [(&'static str, Shape)],
}

static METADATA: Struct = Struct {
    name: "ObjectMeta",
    fields: &[
        ("name", Shape::Text("string")),
        ("generateName", Shape::Text("string")),
        ("namespace", Shape::Text("string")),
        ("selfLink", Shape::Text("string")),
        ("uid", Shape::Text("types.UID")),
        ("resourceVersion", Shape::Text("string")),
        ("generation", Shape::Int),
        ("creationTimestamp", Shape::Time),
        ("deletionTimestamp", Shape::Time),
        ("deletionGracePeriodSeconds", Shape::Int),
        ("labels", Shape::Map),
        ("annotations", Shape::Map),
        ("ownerReferences", Shape::Objects(&OWNER)),
        ("finalizers", Shape::Texts),
        ("managedFields", Shape::Objects(&MANAGED)),
    ],
};

static OWNER: Struct = Struct {
    name: "OwnerReference",
    fields: &[
        ("apiVersion", Shape::Text("string")),
        ("kind", Shape::Text("string")),
        ("name", Shape::Text("string")),
        ("uid", Shape::Text("types.UID")),
        ("controller", Shape::Bool),
        ("blockOwnerDeletion", Shape::Bool),
    ],
};

static MANAGED: Struct = Struct {
    name: "ManagedFieldsEntry",
    fields: &[
        ("manager", Shape::Text("string")),
        ("operation", Shape::Text("v1.ManagedFieldsOperationType")),
        ("apiVersion", Shape::Text("string")),
        ("time", Shape::Time),
        ("fieldsType", Shape::Text("string")),
        ("fieldsV1", Shape::Any),
        ("subresource", Shape::Text("string")),
    ],
};

impl Struct {
    fn field(&self, name: &str) -> Option<Shape> {
        self.fields.iter().find(|(field, _)| *field == name).map(|(_, shape)| *shape)
    }
}

/// Drops unknown fields of metadata and those that are empty, as the API server does, and returns the paths of unknown
/// ones in the order of their names. Null becomes the empty value of its type. Metadata of a wrong type stays as it is.
pub(crate) fn prune(metadata: &mut Value, path: &str) -> Vec<String> {
    let mut unknown = Vec::new();
    if metadata.is_null() {
        *metadata = Value::Object(Map::new());
    }
    if type_error(metadata).is_none()
        && let Value::Object(members) = metadata
    {
        prune_members(members, &METADATA, path, &mut unknown);
        members.retain(|name, value| match value {
            Value::Null => false,
            Value::String(text) => !text.is_empty(),
            Value::Array(items) => !items.is_empty(),
            Value::Object(members) => !members.is_empty(),
            // A pointer in Go, so that 0 differs from absent.
            Value::Number(number) => name == "deletionGracePeriodSeconds" || number.as_i64() != Some(0),
            Value::Bool(_) => true,
        });
    }
    unknown.sort();
    unknown
}

fn prune_members(members: &mut Map<String, Value>, ty: &Struct, path: &str, unknown: &mut Vec<String>) {
    members.retain(|name, value| {
        let path = format!("{path}.{name}");
        match ty.field(name) {
            None => unknown.push(path),
            Some(Shape::Objects(ty)) => {
                for (at, item) in value.as_array_mut().into_iter().flatten().enumerate() {
                    if let Value::Object(members) = item {
                        prune_members(members, ty, &format!("{path}[{at}]"), unknown);
                    }
                }
            }
            Some(Shape::Map) => {
                let values = value.as_object_mut().into_iter().flat_map(|members| members.iter_mut());
                values.for_each(|(_, value)| fill(value));
            }
            Some(Shape::Texts) => value.as_array_mut().into_iter().flatten().for_each(fill),
            Some(_) => {}
        }
        ty.field(name).is_some()
    });
}

/// Replaces null by an empty text.
fn fill(value: &mut Value) {
    if value.is_null() {
        *value = Value::String(String::new());
    }
}

/// An owner reference as Go writes it in messages: its fields in the order of the type.
pub(super) fn owner(owner: &Value) -> String {
    let member = |name: &str| owner.get(name).filter(|value| !value.is_null());
    let text = |name: &str| format!("\"{name}\":{}", text::json(member(name).unwrap_or(&Value::from(""))));
    let flag = |name: &str| member(name).map(|flag| format!("\"{name}\":{flag}"));
    let texts = ["apiVersion", "kind", "name", "uid"].map(text);
    let flags = ["controller", "blockOwnerDeletion"].map(flag);
    let all: Vec<String> = texts.into_iter().chain(flags.into_iter().flatten()).collect();
    format!("{{{}}}", all.join(","))
}

/// The error of Go's decoder, if metadata has a value of a wrong type: the first in the order of names.
pub(crate) fn type_error(metadata: &Value) -> Option<String> {
    match metadata {
        Value::Null => None,
        Value::Object(members) => object_error(members, &METADATA, ""),
        other => Some(format!("json: cannot unmarshal {} into Go value of type v1.ObjectMeta", kind(other))),
    }
}

fn object_error(members: &Map<String, Value>, ty: &Struct, path: &str) -> Option<String> {
    let mut sorted: Vec<(&String, &Value)> = members.iter().collect();
    sorted.sort_unstable_by_key(|(name, _)| *name);
    sorted.into_iter().find_map(|(name, value)| {
        let path = format!("{path}.{name}");
        let wrong = |value: &Value, go: &str| {
            let place = format!("{}{path}", ty.name);
            Some(format!("json: cannot unmarshal {} into Go struct field {place} of type {go}", kind(value)))
        };
        match (ty.field(name)?, value) {
            (_, Value::Null) | (Shape::Any, _) => None,
            (Shape::Text(_), Value::String(_)) | (Shape::Bool, Value::Bool(_)) => None,
            (Shape::Text(go), _) => wrong(value, go),
            (Shape::Bool, _) => wrong(value, "bool"),
            (Shape::Int, Value::Number(number)) if number.as_i64().is_some() => None,
            (Shape::Int, Value::Number(number)) => {
                let place = format!("{}{path}", ty.name);
                let number = text::value(&Value::Number(number.clone()));
                Some(format!(
                    "json: cannot unmarshal number {number} into Go struct field {place} of type int64"
                ))
            }
            (Shape::Int, _) => wrong(value, "int64"),
            (Shape::Time, Value::String(time)) => time_error(time),
            (Shape::Time, other) => {
                Some(format!("json: cannot unmarshal {} into Go value of type string", kind(other)))
            }
            (Shape::Texts, Value::Array(items)) => items
                .iter()
                .find(|item| !item.is_string() && !item.is_null())
                .and_then(|item| wrong(item, "string")),
            (Shape::Texts, _) => wrong(value, "[]string"),
            (Shape::Map, Value::Object(members)) => {
                let mut sorted: Vec<(&String, &Value)> = members.iter().collect();
                sorted.sort_unstable_by_key(|(name, _)| *name);
                let found = sorted.into_iter().find(|(_, value)| !value.is_string() && !value.is_null());
                found.and_then(|(_, value)| wrong(value, "string"))
            }
            (Shape::Map, _) => wrong(value, "map[string]string"),
            (Shape::Objects(ty), Value::Array(items)) => items.iter().find_map(|item| match item {
                Value::Null => None,
                Value::Object(members) => object_error(members, ty, &path),
                other => wrong(other, &format!("v1.{}", ty.name)),
            }),
            (Shape::Objects(ty), _) => wrong(value, &format!("[]v1.{}", ty.name)),
        }
    })
}

/// The type of a value in errors of Go's decoder.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The error of a time that is not of RFC 3339. Go also names the part that is wrong.
fn time_error(time: &str) -> Option<String> {
    let is_right = crate::format::Format::DateTime.accepts(time) && time.as_bytes().get(10) == Some(&b'T');
    (!is_right).then(|| format!("parsing time {} as \"2006-01-02T15:04:05Z07:00\"", text::quoted(time)))
}
