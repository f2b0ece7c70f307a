//! Sets the defaults of a schema, and drops nulls that it does not allow.

use serde_json::Value;

use crate::node::{Additional, Node};

/// Whether a value is null where null is not allowed.
fn is_wrong_null(value: &Value, node: &Node) -> bool {
    value.is_null() && !node.nullable
}

/// Drops members that are null where that is not allowed, unless a default replaces them. Items of lists stay.
pub(crate) fn drop_nulls(value: &mut Value, node: &Node) {
    match value {
        Value::Object(members) => members.retain(|name, value| match node.member(name).node() {
            Some(node) if is_wrong_null(value, node) && node.default.is_none() => false,
            Some(node) => {
                drop_nulls(value, node);
                true
            }
            None => true,
        }),
        Value::Array(items) => {
            if let Some(node) = &node.items {
                items.iter_mut().for_each(|item| drop_nulls(item, node));
            }
        }
        _ => {}
    }
}

/// Sets the defaults of absent members, and of those that are null where that is not allowed. Defaults are set inside
/// of defaults, too.
pub(crate) fn set(value: &mut Value, node: &Node) {
    match value {
        Value::Object(members) => {
            for (name, node) in &node.properties {
                let Some(default) = &node.default else { continue };
                if members.get(name).is_none_or(|value| is_wrong_null(value, node)) {
                    members.insert(name.clone(), (**default).clone());
                }
            }
            for (name, value) in members {
                match (node.properties.get(name), &node.additional) {
                    (Some(node), _) => set(value, node),
                    (None, Some(Additional::Values(node))) => set_item(value, node),
                    _ => {}
                }
            }
        }
        Value::Array(items) => {
            if let Some(node) = &node.items {
                items.iter_mut().for_each(|item| set_item(item, node));
            }
        }
        _ => {}
    }
}

/// Sets the default of an item or of a value of a map, which is never absent.
fn set_item(value: &mut Value, node: &Node) {
    if let Some(default) = node.default.as_ref().filter(|_| is_wrong_null(value, node)) {
        value.clone_from(default);
    }
    set(value, node);
}
