//! Checks that every property and item that a nested schema restricts is also in the structure.

use crate::error::FieldError;
use crate::mistake::Mistake;
use crate::node::Node;

/// Checks the alternatives at the root. The API server does not check those of fields, either.
pub(super) fn check(root: &Node, path: &str, mistakes: &mut Vec<Mistake>) {
    Check { mistakes }.alternatives(root, Some(root), path, path);
}

struct Check<'m> {
    mistakes: &'m mut Vec<Mistake>,
}

impl Check<'_> {
    /// Checks the alternatives of `nested`, which is at `path`, by the structure at `structure_path`.
    fn alternatives(&mut self, nested: &Node, structure: Option<&Node>, structure_path: &str, path: &str) {
        if let Some(not) = &nested.not {
            self.nested(not, structure, structure_path, &format!("{path}.not"));
        }
        for (keyword, nodes) in
            [("allOf", &nested.all_of), ("anyOf", &nested.any_of), ("oneOf", &nested.one_of)]
        {
            for (at, node) in nodes.iter().enumerate() {
                self.nested(node, structure, structure_path, &format!("{path}.{keyword}[{at}]"));
            }
        }
    }

    fn nested(&mut self, nested: &Node, structure: Option<&Node>, structure_path: &str, path: &str) {
        let Some(structure) = structure else {
            let why = format!("because it is defined in {path}");
            let error = FieldError::required(structure_path, &why);
            self.mistakes.push(Mistake::new(error, "describe it in the schema outside, too"));
            return;
        };
        self.alternatives(nested, Some(structure), structure_path, path);
        if let Some(items) = &nested.items {
            let structure_path = format!("{structure_path}.items");
            self.nested(items, structure.items.as_deref(), &structure_path, &format!("{path}.items"));
        }
        for (name, node) in &nested.properties {
            let structure_path = format!("{structure_path}.properties[{name}]");
            let path = format!("{path}.properties[{name}]");
            self.nested(node, structure.property(name), &structure_path, &path);
        }
    }
}
