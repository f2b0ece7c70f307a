//! How expressions see the values of a schema, and how large these can be. The numbers are upstream's estimates.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::cel::{ListKind, MAX_REQUEST_BYTES, Shape, ShapeKind};
use crate::node::{Additional, ListType, Node};
use crate::value_type::Type;

/// The longest name of an object.
const MAX_NAME: i64 = 253;

/// The shape of the values of a schema. An object has a kind, a version and names, whatever its schema has.
pub(super) fn of(node: &Node, is_object: bool) -> Arc<Shape> {
    let made = |kind, max_size: i64, min_bytes| {
        Arc::new(Shape { kind, nullable: node.nullable, max_size: max_size.max(0).unsigned_abs(), min_bytes })
    };
    let constraints = &node.constraints;
    let length = constraints.max_length;
    if node.int_or_string {
        let max = length.map_or(MAX_REQUEST_BYTES - 2, |length| length.max(0).saturating_mul(4));
        return made(ShapeKind::IntOrString, max, 1);
    }
    let below = |node: &Node| of(node, node.embedded);
    match node.ty {
        Some(Type::Boolean) => made(ShapeKind::Bool, 0, 4),
        Some(Type::Integer) => made(ShapeKind::Int, 0, 1),
        Some(Type::Number) => made(ShapeKind::Double, 0, 1),
        Some(Type::Array) => {
            let Some(items) = node.items.as_deref().map(below) else { return made(ShapeKind::Unknown, 0, 0) };
            let max = constraints.max_items.unwrap_or((MAX_REQUEST_BYTES - 2) / (items.min_bytes + 1));
            let kind = match &node.list {
                ListType::Map(keys) => ListKind::Map(keys.clone()),
                ListType::Set => ListKind::Set,
                ListType::None | ListType::Atomic => ListKind::Atomic,
            };
            made(ShapeKind::List(items, kind), max, 2)
        }
        Some(Type::Object) => match &node.additional {
            Some(Additional::Values(values)) if !is_object => {
                let values = below(values);
                let max =
                    constraints.max_properties.unwrap_or((MAX_REQUEST_BYTES - 2) / (values.min_bytes + 6));
                made(ShapeKind::Map(values), max, 2)
            }
            _ => {
                let mut fields: BTreeMap<String, Arc<Shape>> =
                    node.properties.iter().map(|(name, node)| (name.clone(), below(node))).collect();
                if is_object {
                    add_metadata(node, &mut fields);
                }
                let min_bytes = min_bytes(node, &fields);
                made(ShapeKind::Object(fields), 0, min_bytes)
            }
        },
        Some(Type::String) => {
            let format = constraints.format.as_ref().map(|(_, name)| name.as_str());
            let text = MAX_REQUEST_BYTES - 2;
            match format {
                Some("byte") => made(ShapeKind::Bytes, length.unwrap_or(text), 2),
                Some("duration") => made(ShapeKind::Duration, 32, 3),
                Some("date") => made(ShapeKind::Date, 12, 12),
                Some("date-time") => made(ShapeKind::DateTime, 32, 21),
                _ => made(ShapeKind::String, max_text(node), 2),
            }
        }
        None => made(ShapeKind::Unknown, 0, 0),
    }
}

/// The longest text: what the schema allows, or the longest of an enum, or what fits into a request.
fn max_text(node: &Node) -> i64 {
    match node.constraints.max_length {
        // A character has up to four bytes.
        Some(length) => length.max(0).saturating_mul(4),
        None if !node.enumeration.is_empty() => {
            let lengths = node.enumeration.iter().filter_map(Value::as_str).map(str::len);
            i64::try_from(lengths.max().unwrap_or(0)).unwrap_or(i64::MAX)
        }
        None => MAX_REQUEST_BYTES - 2,
    }
}

fn min_bytes(node: &Node, fields: &BTreeMap<String, Arc<Shape>>) -> i64 {
    let of_fields = fields.iter().filter(|(name, shape)| {
        let has_default = node.property(name).is_some_and(|node| node.default.is_some());
        shape.is_visible() && node.required.contains(name) && !has_default
    });
    2 + of_fields
        .map(|(name, shape)| i64::try_from(name.len()).unwrap_or(i64::MAX) + shape.min_bytes + 4)
        .sum::<i64>()
}

/// Adds the fields that every object has. Of the metadata, rules see only the names.
fn add_metadata(node: &Node, fields: &mut BTreeMap<String, Arc<Shape>>) {
    let metadata = node.property("metadata");
    let of_metadata = |name: &str| metadata.and_then(|metadata| metadata.property(name));
    let is_text = |node: Option<&Node>| node.is_some_and(|node| node.ty == Some(Type::String));
    let is_complete = is_text(node.property("kind"))
        && is_text(node.property("apiVersion"))
        && metadata.is_some_and(|metadata| metadata.ty == Some(Type::Object))
        && is_text(of_metadata("name"))
        && is_text(of_metadata("generateName"));
    if is_complete {
        return;
    }
    let text = |max: i64| {
        let max_size = max.max(0).unsigned_abs();
        Arc::new(Shape { kind: ShapeKind::String, nullable: false, max_size, min_bytes: 2 })
    };
    let name = |name: &str, max: i64| {
        let length = of_metadata(name).and_then(|node| node.constraints.max_length);
        (name.to_owned(), text(length.map_or(max, |length| length.min(max)).saturating_mul(4)))
    };
    let names = [name("name", MAX_NAME), name("generateName", MAX_NAME - 1)];
    let kind = ShapeKind::Object(names.into_iter().collect());
    let metadata = Shape { kind, nullable: false, max_size: 0, min_bytes: 2 };
    fields.insert("kind".to_owned(), text(MAX_REQUEST_BYTES - 2));
    fields.insert("apiVersion".to_owned(), text(MAX_REQUEST_BYTES - 2));
    fields.insert("metadata".to_owned(), Arc::new(metadata));
}
