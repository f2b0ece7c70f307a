//! How the tables of Kubernetes differ from ours, and why. docs/server.md explains each reason.

use serde_json::Value;

const UNNAMED_CELL: &str = "A row has no cells without a column";

/// Why a cell differs: what both have there.
pub fn why(
    object: &Value,
    column: &str,
    theirs: Option<&Value>,
    ours: Option<&Value>,
) -> Option<&'static str> {
    match (object["kind"].as_str()?, column, theirs, ours) {
        // Its age is a cell, but no column.
        ("IPAddress", "", Some(Value::String(_)), None) => Some(UNNAMED_CELL),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_beyond_a_listed_difference_is_none() {
        let (address, age) = (json!({"kind": "IPAddress"}), json!("5m"));
        assert_eq!(why(&address, "", Some(&age), None), Some(UNNAMED_CELL));
        assert_eq!(why(&address, "", None, Some(&age)), None);
        assert_eq!(why(&address, "ParentRef", Some(&age), None), None);
        assert_eq!(why(&address, "", Some(&json!(5)), None), None);
        assert_eq!(why(&json!({"kind": "Pod"}), "", Some(&age), None), None);
    }
}
