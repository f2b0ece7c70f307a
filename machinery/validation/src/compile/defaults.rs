//! Checks that each default is valid, and that pruning changes nothing in it.

use crate::error::FieldError;
use crate::findings::Findings;
use crate::node::Node;
use crate::{embedded, prune, value};

pub(super) fn check(node: &Node, path: &str, found: &mut Findings) {
    if let Some(default) = &node.default {
        let path = format!("{path}.default");
        if !prune::unknown(node, &mut default.clone()).is_empty() {
            found.add(FieldError::invalid(&path, default, "must not have unknown fields"));
        }
        let before = found.count();
        embedded::validate(node, default, &path, found);
        if found.count() == before {
            value::validate(node, default, None, &path, found);
        }
    }
    // Defaults below `additionalProperties` are not checked: the API server does not, either.
    for (name, property) in &node.properties {
        check(property, &format!("{path}.properties[{name}]"), found);
    }
    if let Some(items) = &node.items {
        check(items, &format!("{path}.items"), found);
    }
}
