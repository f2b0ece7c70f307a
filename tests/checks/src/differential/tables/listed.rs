//! How the tables of Kubernetes differ from ours, and why. docs/server.md explains each reason.

use serde_json::Value;

const EARLY: &str = "A version is deprecated since the release of its facts, also where a server does not know its own release";
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

/// The reference release.
const RELEASE: (u32, u32) = (1, 37);

/// Why the warnings differ. A server that was built without its version warns of all versions that will be deprecated.
pub fn why_warned(theirs: &Value, ours: &Value) -> Option<&'static str> {
    let [Value::String(theirs)] = &**theirs.as_array()? else { return None };
    let (_, since) = theirs.split_once(" is deprecated in v")?;
    let (major, minor) = since.split_once('+')?.0.split_once('.')?;
    let since = (major.parse().ok()?, minor.parse().ok()?);
    (ours.is_null() && since > RELEASE).then_some(EARLY)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_will_be_deprecated_may_be_warned_of() {
        let warning = |since: &str| {
            json!([format!("299 - \"a/v1 B is deprecated in v{since}+, unavailable in v1.50+\"")])
        };
        assert_eq!(why_warned(&warning("1.38"), &Value::Null), Some(EARLY));
        assert_eq!(why_warned(&warning("1.37"), &Value::Null), None);
        assert_eq!(why_warned(&warning("1.38"), &warning("1.39")), None);
        assert_eq!(why_warned(&json!(["299 - \"other\""]), &Value::Null), None);
        assert_eq!(why_warned(&Value::Null, &warning("1.38")), None);
    }

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
