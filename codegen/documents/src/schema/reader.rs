//! Reads members of a document, and gathers all errors.

use hubgen_model::{GroupVersion, Release, TypeId};

use crate::node::{Node, Value};
use crate::{Diagnostic, Source};

/// The types that fields refer to, each with the error to report if it does not exist.
pub(super) type References = Vec<(TypeId, Diagnostic)>;

/// A document that is being read.
pub(super) struct Reader<'a> {
    pub(super) source: &'a Source,
    pub(super) home: GroupVersion,
    pub(super) errors: Vec<Diagnostic>,
    /// The types that fields refer to, each with the error to report if it does not exist.
    pub(super) references: References,
}

impl Reader<'_> {
    pub(super) fn error(
        &mut self,
        at: &Node,
        path: &str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.errors.push(self.source.error(at.span.clone(), path, message, help));
    }

    /// Reads a member, if it is present; reports an error if `read` returns `None`.
    pub(super) fn member<T>(
        &mut self,
        node: &Node,
        path: &str,
        key: &str,
        expected: &str,
        read: impl Fn(&Node) -> Option<T>,
    ) -> Option<T> {
        let member = node.get(key)?;
        let value = read(member);
        if value.is_none() {
            self.error(
                member,
                &format!("{path}.{key}"),
                match member.to_json() {
                    serde_json::Value::Array(_) | serde_json::Value::Object(_) => {
                        format!("{} here", member.kind())
                    }
                    scalar => format!("{scalar} is not valid"),
                },
                format!("write {expected}"),
            );
        }
        value
    }

    pub(super) fn text(&mut self, node: &Node, path: &str, key: &str) -> Option<String> {
        self.member(node, path, key, "a string", |node| node.str().map(str::to_owned))
    }

    pub(super) fn texts(&mut self, node: &Node, path: &str, key: &str) -> Vec<String> {
        self.member(node, path, key, "a list of strings", |node| {
            node.array()?.iter().map(|element| element.str().map(str::to_owned)).collect()
        })
        .unwrap_or_default()
    }

    /// Reads a release; `null` if it is not known.
    pub(super) fn release(&mut self, node: &Node, path: &str, key: &str) -> Option<Release> {
        if matches!(node.get(key)?.value, Value::Null) {
            return None;
        }
        self.member(node, path, key, "a release such as \"1.35\"", |node| node.str()?.parse().ok())
    }

    pub(super) fn flag(&mut self, node: &Node, path: &str, key: &str) -> bool {
        self.member(node, path, key, "true or false", Node::bool).unwrap_or(false)
    }

    pub(super) fn only(&mut self, node: &Node, path: &str, known: &[&str]) {
        for (key, member) in node.object().into_iter().flatten() {
            if !known.contains(&key.as_str()) {
                self.error(
                    member,
                    &format!("{path}.{key}"),
                    format!("unknown key `{key}`"),
                    format!("known keys: {}", known.join(", ")),
                );
            }
        }
    }
}
