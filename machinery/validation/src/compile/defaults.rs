//! Checks that each default is valid, and that pruning changes nothing in it.

use crate::error::FieldError;
use crate::findings::{Findings, Limits};
use crate::mistake::Mistake;
use crate::node::Node;
use crate::{embedded, prune, value};

pub(super) fn check(node: &Node, path: &str, mistakes: &mut Vec<Mistake>) {
    if let Some(default) = &node.default {
        let path = format!("{path}.default");
        let mut found = Findings::new(Limits::NONE);
        if !prune::unknown(node, &mut default.clone()).is_empty() {
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
        check(property, &format!("{path}.properties[{name}]"), mistakes);
    }
    if let Some(items) = &node.items {
        check(items, &format!("{path}.items"), mistakes);
    }
}
