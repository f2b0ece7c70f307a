//! Whether every property and item that a nested schema restricts is also in the structure.

use crate::definition::checks::props::Props;
use crate::error::FieldError;

/// Checks the alternatives at the root. The API server does not check those of fields, either.
pub(super) fn check(root: Props<'_>, path: &str, found: &mut Vec<FieldError>) {
    alternatives(root, root, path, path, found);
}

/// Checks the alternatives of `nested`, which is at `path`, by the structure at `structure_path`.
fn alternatives(
    schema: Props<'_>,
    structure: Props<'_>,
    structure_path: &str,
    path: &str,
    found: &mut Vec<FieldError>,
) {
    if let Some(not) = schema.not() {
        nested(not, Some(structure), structure_path, &format!("{path}.not"), found);
    }
    for keyword in ["allOf", "anyOf", "oneOf"] {
        for (at, schema) in schema.schemas(keyword) {
            nested(schema, Some(structure), structure_path, &format!("{path}.{keyword}[{at}]"), found);
        }
    }
}

fn nested(
    schema: Props<'_>,
    structure: Option<Props<'_>>,
    structure_path: &str,
    path: &str,
    found: &mut Vec<FieldError>,
) {
    let Some(structure) = structure else {
        let why = format!("because it is defined in {path}");
        found.push(FieldError::required(structure_path, &why));
        return;
    };
    alternatives(schema, structure, structure_path, path, found);
    if let Some(items) = schema.item() {
        let structure_path = format!("{structure_path}.items");
        nested(items, structure.item(), &structure_path, &format!("{path}.items"), found);
    }
    for (name, property) in schema.members("properties") {
        let structure_path = format!("{structure_path}.properties[{name}]");
        let path = format!("{path}.properties[{name}]");
        nested(property, structure.property(name), &structure_path, &path, found);
    }
}
