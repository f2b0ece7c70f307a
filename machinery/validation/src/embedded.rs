//! Validates embedded resources: each has a version and a kind, and metadata like any object.

use serde_json::{Map, Value};

use crate::error::FieldError;
use crate::findings::Findings;
use crate::meta;
use crate::names;
use crate::node::{Member, Node};

pub(crate) fn validate(node: &Node, value: &Value, path: &str, found: &mut Findings) {
    Embedded { path: path.to_owned(), found }.value(node, value);
}

struct Embedded<'f> {
    /// The path, with keys of maps in brackets.
    path: String,
    found: &'f mut Findings,
}

impl Embedded<'_> {
    fn value(&mut self, node: &Node, value: &Value) {
        let length = self.path.len();
        match value {
            Value::Object(members) => {
                if node.embedded {
                    self.resource(members);
                }
                for (name, value) in members {
                    let node = match node.member(name) {
                        Member::Property(node) => {
                            self.path = self.child(name);
                            node
                        }
                        Member::Additional(Some(node)) => {
                            self.path.push_str(&format!("[{name}]"));
                            node
                        }
                        _ => continue,
                    };
                    self.value(node, value);
                    self.path.truncate(length);
                }
            }
            Value::Array(items) => {
                let Some(node) = &node.items else { return };
                for (at, item) in items.iter().enumerate() {
                    self.path.push_str(&format!("[{at}]"));
                    self.value(node, item);
                    self.path.truncate(length);
                }
            }
            _ => {}
        }
    }

    fn child(&self, name: &str) -> String {
        let separator = if self.path.is_empty() { "" } else { "." };
        format!("{}{separator}{name}", self.path)
    }

    fn resource(&mut self, members: &Map<String, Value>) {
        for name in ["apiVersion", "kind"] {
            let field = self.child(name);
            let Some(value) = members.get(name) else {
                self.found.add(FieldError::required(field, ""));
                continue;
            };
            let mistake = match value.as_str() {
                None => Some("must be a string".to_owned()),
                Some("") => Some("must not be empty".to_owned()),
                Some(version) if name == "apiVersion" => (version != "/" && version.matches('/').count() > 1)
                    .then(|| format!("unexpected GroupVersion string: {version}")),
                Some(kind) => kind_mistake(kind),
            };
            if let Some(mistake) = mistake {
                self.found.add(FieldError::invalid(field, value, &mistake));
            }
        }
        if let Some(metadata) = members.get("metadata") {
            let field = self.child("metadata");
            match meta::type_error(metadata) {
                Some(error) => self.found.add(FieldError::invalid(field, metadata, &error)),
                None => meta::validate(metadata, &field, self.found),
            }
        }
    }
}

fn kind_mistake(kind: &str) -> Option<String> {
    let mistakes = names::dns_1035_label_mistakes(&kind.to_lowercase());
    let text = "may have mixed case, but should otherwise match: ";
    (!mistakes.is_empty()).then(|| format!("{text}{}", mistakes.join(",")))
}
