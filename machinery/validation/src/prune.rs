//! Drops what a schema does not know.

use serde_json::{Map, Value};

use crate::meta;
use crate::node::{Member, Node};

/// Members that every resource has.
fn is_of_resource(name: &str) -> bool {
    matches!(name, "apiVersion" | "kind" | "metadata")
}

/// Drops unknown fields of a value that is no object of the API itself, and returns their sorted paths.
pub(crate) fn unknown(node: &Node, value: &mut Value) -> Vec<String> {
    let mut pruner = Pruner { path: String::new(), unknown: Vec::new() };
    pruner.value(value, Some(node), false);
    pruner.unknown.sort();
    pruner.unknown
}

/// Drops unknown fields of an object of the API, also in its metadata and that of embedded resources. The paths are in
/// the order of the API server: the metadata, the fields, embedded metadata.
pub(crate) fn object(root: &Node, object: &mut Value) -> Vec<String> {
    let mut unknown = match object.get_mut("metadata") {
        Some(metadata) => meta::prune(metadata, "metadata"),
        None => Vec::new(),
    };
    let mut pruner = Pruner { path: String::new(), unknown: Vec::new() };
    pruner.value(object, Some(root), true);
    pruner.unknown.sort();
    unknown.append(&mut pruner.unknown);

    embedded_metadata(root, object, &mut String::new(), &mut pruner.unknown);
    pruner.unknown.sort();
    unknown.append(&mut pruner.unknown);
    unknown
}

struct Pruner {
    path: String,
    unknown: Vec<String>,
}

impl Pruner {
    fn value(&mut self, value: &mut Value, node: Option<&Node>, is_resource: bool) {
        match value {
            Value::Object(members) => self.members(members, node, is_resource),
            Value::Array(items) => {
                let below = node.and_then(|node| node.items.as_deref());
                let preserves = node.is_some_and(|node| node.preserves);
                // Items of a list that preserves unknown fields preserve them, too. Without a schema they have none.
                if preserves && below.is_none() {
                    return;
                }
                self.items(items, |pruner, item| match below {
                    Some(below) if preserves => pruner.preserved(item, below),
                    _ => pruner.value(item, below, false),
                });
            }
            _ => {}
        }
    }

    /// What is below a list that preserves unknown fields.
    fn preserved(&mut self, value: &mut Value, node: &Node) {
        match value {
            Value::Object(members) => self.kept_members(members, node, false),
            Value::Array(items) => {
                let Some(below) = node.items.as_deref() else { return };
                self.items(items, |pruner, item| pruner.preserved(item, below));
            }
            _ => {}
        }
    }

    fn items(&mut self, items: &mut [Value], each: impl Fn(&mut Self, &mut Value)) {
        let length = self.path.len();
        for (at, item) in items.iter_mut().enumerate() {
            self.path.push_str(&format!("[{at}]"));
            each(self, item);
            self.path.truncate(length);
        }
    }

    fn members(&mut self, members: &mut Map<String, Value>, node: Option<&Node>, is_resource: bool) {
        if let Some(node) = node.filter(|node| node.preserves) {
            return self.kept_members(members, node, is_resource);
        }
        members.retain(|name, value| {
            if node.is_some_and(|node| is_resource || node.embedded) && is_of_resource(name) {
                return true;
            }
            let length = self.path.len();
            self.push(name);
            let member = node.map_or(Member::Unknown, |node| node.member(name));
            let is_known = !matches!(member, Member::Unknown);
            if is_known {
                self.value(value, member.node(), false);
            } else {
                self.unknown.push(self.path.clone());
            }
            self.path.truncate(length);
            is_known
        });
    }

    fn kept_members(&mut self, members: &mut Map<String, Value>, node: &Node, is_resource: bool) {
        for (name, value) in members {
            if (is_resource || node.embedded) && is_of_resource(name) {
                continue;
            }
            let member = node.member(name);
            if !matches!(member, Member::Unknown) {
                let length = self.path.len();
                self.push(name);
                self.value(value, member.node(), false);
                self.path.truncate(length);
            }
        }
    }

    fn push(&mut self, name: &str) {
        if !self.path.is_empty() {
            self.path.push('.');
        }
        self.path.push_str(name);
    }
}

/// Drops unknown fields of the metadata of embedded resources. Their paths have keys of maps in brackets.
fn embedded_metadata(node: &Node, value: &mut Value, path: &mut String, unknown: &mut Vec<String>) {
    let length = path.len();
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                // A null that is dropped later stays null.
                let is_dropped =
                    value.is_null() && node.properties.get(name).is_some_and(|node| !node.nullable);
                if node.embedded && name == "metadata" && !is_dropped {
                    let separator = if path.is_empty() { "" } else { "." };
                    unknown.append(&mut meta::prune(value, &format!("{path}{separator}metadata")));
                }
                match node.member(name) {
                    Member::Property(_) => {
                        let separator = if path.is_empty() { "" } else { "." };
                        path.push_str(separator);
                        path.push_str(name);
                    }
                    Member::Additional(_) => path.push_str(&format!("[{name}]")),
                    Member::Unknown => {}
                }
                if let Some(below) = node.member(name).node() {
                    embedded_metadata(below, value, path, unknown);
                }
                path.truncate(length);
            }
        }
        Value::Array(items) => {
            let Some(below) = &node.items else { return };
            for (at, item) in items.iter_mut().enumerate() {
                path.push_str(&format!("[{at}]"));
                embedded_metadata(below, item, path, unknown);
                path.truncate(length);
            }
        }
        _ => {}
    }
}
