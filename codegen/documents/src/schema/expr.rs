//! The type of a field in distilled schemas.

use hubgen_model::{Facts, GroupVersion, RawForm, TypeExpr, TypeId};
use serde_json::{Map, Value, json};

use super::facts;
use crate::keywords::PRESERVE;
use crate::node::Node;

/// Writes an expression as a schema in a file of group version `home`. `inner` are the facts of the
/// items of a list, or of the values of a map.
pub(super) fn write(expr: &TypeExpr, inner: Option<&Facts>, home: &GroupVersion) -> Value {
    let string = |format: &str| json!({"type": "string", "format": format});
    match expr {
        TypeExpr::Bool => json!({"type": "boolean"}),
        TypeExpr::Int32 => json!({"type": "integer", "format": "int32"}),
        TypeExpr::Int64 => json!({"type": "integer", "format": "int64"}),
        TypeExpr::Float => json!({"type": "number", "format": "float"}),
        TypeExpr::Double => json!({"type": "number", "format": "double"}),
        TypeExpr::Uint16 => json!({"type": "integer", "format": "uint16"}),
        TypeExpr::Uint32 => json!({"type": "integer", "format": "uint32"}),
        TypeExpr::Uint64 => json!({"type": "integer", "format": "uint64"}),
        TypeExpr::String => json!({"type": "string"}),
        TypeExpr::Bytes => string("byte"),
        TypeExpr::Time => string("date-time"),
        TypeExpr::MicroTime => string("micro-time"),
        TypeExpr::Duration => string("duration"),
        TypeExpr::Quantity => string("quantity"),
        TypeExpr::IntOrString => json!({"x-kubernetes-int-or-string": true}),
        // Beside `x-raw`, it is no fact.
        TypeExpr::Raw(form) => json!({PRESERVE: true, "x-raw": match form {
            RawForm::Extension => "extension",
            RawForm::Fields => "fields",
            RawForm::Json => "json",
        }}),
        TypeExpr::Strings => json!({"type": "array", "items": {"type": "string"}, "x-message": true}),
        TypeExpr::Ref(id) => json!({"$ref": reference(id, home)}),
        TypeExpr::List(item) => json!({"type": "array", "items": write_part(item, inner, home)}),
        TypeExpr::Map(value) => {
            json!({"type": "object", "additionalProperties": write_part(value, inner, home)})
        }
        TypeExpr::OrBool(other) => json!({"oneOf": [write(other, None, home), {"type": "boolean"}]}),
        TypeExpr::OrArray(other) => {
            let one = write(other, None, home);
            json!({"oneOf": [one.clone(), {"type": "array", "items": one}]})
        }
        TypeExpr::OrStrings(other) => {
            json!({"oneOf": [write(other, None, home), {"type": "array", "items": {"type": "string"}}]})
        }
    }
}

/// Writes the items of a list, or the values of a map, with their facts.
fn write_part(expr: &TypeExpr, facts: Option<&Facts>, home: &GroupVersion) -> Value {
    let schema = write(expr, facts.and_then(|facts| facts.inner.as_deref()), home);
    let mut keys = Map::new();
    facts::write(&mut keys, facts);
    with_keys(expr, schema, keys)
}

/// A schema with other keys. Beside a reference they are not allowed.
pub(super) fn with_keys(expr: &TypeExpr, schema: Value, keys: Map<String, Value>) -> Value {
    let mut out = match schema {
        _ if matches!(expr, TypeExpr::Ref(_)) && !keys.is_empty() => {
            Map::from_iter([("allOf".to_owned(), json!([schema]))])
        }
        Value::Object(out) => out,
        other => return other,
    };
    out.extend(keys);
    out.into()
}

/// A reference, relative to the file of `home`.
fn reference(id: &TypeId, home: &GroupVersion) -> String {
    let target = &id.group_version;
    let file = if target == home {
        String::new()
    } else if target.group == home.group {
        format!("{}.json", target.version)
    } else {
        format!("../{}/{}.json", target.group_or_core(), target.version)
    };
    format!("{file}#/components/schemas/{}", id.name)
}

/// Where an expression is wrong, what is wrong and what to do.
type Wrong<'a> = (&'a Node, String, String);

fn wrong<'a, T>(at: &'a Node, message: impl Into<String>, help: &str) -> Result<T, Wrong<'a>> {
    Err((at, message.into(), help.to_owned()))
}

/// Reads an expression.
pub(super) fn read<'a>(node: &'a Node, home: &GroupVersion) -> Result<TypeExpr, Wrong<'a>> {
    if let Some(target) = node.get("$ref") {
        return match target.str().and_then(|text| resolve(text, home)) {
            Some(id) => Ok(TypeExpr::Ref(id)),
            None => wrong(
                target,
                "this is not a reference to a type",
                "write `#/components/schemas/Name` or `../group/version.json#/components/schemas/Name`",
            ),
        };
    }
    if let Some(all) = node.get("allOf") {
        return match all.array() {
            Some([one]) => read(one, home),
            _ => wrong(all, "`allOf` must contain one reference", "give it exactly one element, a `$ref`"),
        };
    }
    if let Some(one_of) = node.get("oneOf") {
        return alternatives(one_of, home);
    }
    if node.get("x-kubernetes-int-or-string").is_some() {
        return Ok(TypeExpr::IntOrString);
    }
    if let Some(raw) = node.get("x-raw") {
        return match raw.str() {
            Some("extension") => Ok(TypeExpr::Raw(RawForm::Extension)),
            Some("fields") => Ok(TypeExpr::Raw(RawForm::Fields)),
            Some("json") => Ok(TypeExpr::Raw(RawForm::Json)),
            _ => wrong(raw, "unknown raw form", "write `extension`, `fields` or `json`"),
        };
    }
    let Some(ty) = node.get("type") else {
        let help = "write `type`, `$ref`, `allOf` with a reference, `x-kubernetes-int-or-string` or `x-raw`";
        return wrong(node, "no type", help);
    };
    match ty.str() {
        Some("boolean") => Ok(TypeExpr::Bool),
        Some("integer") => {
            formatted(node, ty, "int32, int64, uint16, uint32, uint64", |format| match format {
                Some("int32") => Some(TypeExpr::Int32),
                Some("int64") => Some(TypeExpr::Int64),
                Some("uint16") => Some(TypeExpr::Uint16),
                Some("uint32") => Some(TypeExpr::Uint32),
                Some("uint64") => Some(TypeExpr::Uint64),
                _ => None,
            })
        }
        Some("number") => formatted(node, ty, "float, double", |format| match format {
            Some("float") => Some(TypeExpr::Float),
            Some("double") => Some(TypeExpr::Double),
            _ => None,
        }),
        Some("string") => {
            let known = "none, byte, date-time, micro-time, duration, quantity";
            formatted(node, ty, known, |format| match format {
                None => Some(TypeExpr::String),
                Some("byte") => Some(TypeExpr::Bytes),
                Some("date-time") => Some(TypeExpr::Time),
                Some("micro-time") => Some(TypeExpr::MicroTime),
                Some("duration") => Some(TypeExpr::Duration),
                Some("quantity") => Some(TypeExpr::Quantity),
                _ => None,
            })
        }
        Some("array") => match node.get("items") {
            None => wrong(node, "an array without `items`", "describe its elements under `items`"),
            Some(_) if node.get("x-message").is_some() => Ok(TypeExpr::Strings),
            Some(items) => Ok(TypeExpr::List(Box::new(read(items, home)?))),
        },
        Some("object") => match node.get("additionalProperties") {
            Some(inner) => Ok(TypeExpr::Map(Box::new(read(inner, home)?))),
            None => wrong(
                node,
                "an object without a name",
                "give a map `additionalProperties`; give an object a name of its own under `components.schemas`, and refer to it",
            ),
        },
        _ => wrong(ty, "unknown type", "write boolean, integer, number, string, array or object"),
    }
}

/// Reads `oneOf`: a type, or what JSON may have in its place.
fn alternatives<'a>(one_of: &'a Node, home: &GroupVersion) -> Result<TypeExpr, Wrong<'a>> {
    let help = "write a boolean, a list of the first alternative, or a list of strings as the second one";
    let Some([first, second]) = one_of.array() else {
        return wrong(one_of, "`oneOf` must contain two alternatives", help);
    };
    let first = Box::new(read(first, home)?);
    match read(second, home)? {
        TypeExpr::Bool => Ok(TypeExpr::OrBool(first)),
        TypeExpr::List(inner) if inner == first => Ok(TypeExpr::OrArray(first)),
        TypeExpr::List(inner) if *inner == TypeExpr::String => Ok(TypeExpr::OrStrings(first)),
        _ => wrong(second, "this combination of alternatives is not supported", help),
    }
}

/// The type that `type` and `format` of a node name together.
fn formatted<'a>(
    node: &'a Node,
    ty: &'a Node,
    known: &str,
    named: impl Fn(Option<&str>) -> Option<TypeExpr>,
) -> Result<TypeExpr, Wrong<'a>> {
    let format = node.get("format");
    if let Some(expr) = named(format.map(|format| format.str().unwrap_or(""))) {
        return Ok(expr);
    }
    let message = match format {
        Some(format) => format!("unknown format {}", format.to_json()),
        None => "no format".to_owned(),
    };
    wrong(format.unwrap_or(ty), message, &format!("write one of these: {known}"))
}

/// The type that a reference in a file of `home` points to.
fn resolve(reference: &str, home: &GroupVersion) -> Option<TypeId> {
    let (file, name) = reference.split_once("#/components/schemas/")?;
    let group_version = match file {
        "" => home.clone(),
        _ => {
            let file = file.strip_suffix(".json")?;
            match file.strip_prefix("../") {
                Some(file) => {
                    let (group, version) = file.split_once('/')?;
                    GroupVersion::new(if group == "core" { "" } else { group }, version)
                }
                None => GroupVersion::new(home.group.clone(), file),
            }
        }
    };
    let plain = |part: &str| !part.contains('/');
    (plain(name) && plain(&group_version.version)).then(|| TypeId::at(group_version, name))
}
