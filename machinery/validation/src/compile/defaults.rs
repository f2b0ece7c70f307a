//! Checks that each default is valid, and that pruning changes nothing in it.

use serde_json::Value;

use crate::error::FieldError;
use crate::findings::{Findings, Limits};
use crate::mistake::Mistake;
use crate::node::Node;
use crate::{embedded, prune, value};

/// Whether a default anywhere in a schema has unknown fields.
pub(super) fn have_unknown_fields(node: &Node) -> bool {
    let is_own = node.default.as_ref().is_some_and(|default| has_unknown_fields(node, default));
    is_own
        || node.properties.values().any(|node| have_unknown_fields(node))
        || node.items.as_deref().is_some_and(have_unknown_fields)
}

fn has_unknown_fields(node: &Node, default: &Value) -> bool {
    !prune::unknown(node, &mut default.clone()).is_empty()
}

/// Adds the mistakes in the defaults of a whole schema: a default at the root is an object with a kind.
pub(super) fn check_root(root: &Node, path: &str, pruned: bool, mistakes: &mut Vec<Mistake>) {
    match root.default {
        None => check(root, path, pruned, mistakes),
        Some(_) => check(&Node { embedded: true, ..root.clone() }, path, pruned, mistakes),
    }
}

/// Adds the mistakes in the defaults of a schema. Those that are not `pruned` may have unknown fields.
fn check(node: &Node, path: &str, pruned: bool, mistakes: &mut Vec<Mistake>) {
    if let Some(default) = &node.default {
        let path = format!("{path}.default");
        let mut found = Findings::new(Limits::NONE);
        if pruned && has_unknown_fields(node, default) {
            found.add(FieldError::invalid(&path, default, "must not have unknown fields"));
        }
        let before = found.count();
        embedded::validate(node, default, &path, &mut found);
        if found.count() == before {
            value::validate(node, default, None, &path, &mut found);
        }
        let errors = found.into_result().err().into_iter().flatten();
        mistakes
            .extend(errors.map(|error| Mistake::new(error, "write the default as it appears in an object")));
    }
    // Defaults below `additionalProperties` are not checked: the API server does not, either.
    for (name, property) in &node.properties {
        check(property, &format!("{path}.properties[{name}]"), pruned, mistakes);
    }
    if let Some(items) = &node.items {
        check(items, &format!("{path}.items"), pruned, mistakes);
    }
}
