//! Tells whether JSON is an empty value.

use super::fault::Result;
use super::{Path, Tree};
use crate::json::lexer::Kind;

/// Whether a value is empty: `null`, `""`, zero, `false`, a list without elements, or an object without members.
/// Members at the paths in `zeros`, which begin at the value, do not count if they are empty, and those in `nulls` if
/// they are `null`.
pub(super) fn is_empty(value: &mut Tree<'_>, zeros: &[Path], nulls: &[Path]) -> Result<bool> {
    is_empty_at(value, [zeros, nulls], &mut Vec::new())
}

/// Whether a value is empty, or an object all members of which are.
pub(super) fn is_hollow(value: &mut Tree<'_>) -> Result<bool> {
    if value.kind() != Kind::Object {
        return is_empty(value, &[], &[]);
    }
    for (_, member) in value.members()? {
        if !is_hollow(member)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn is_empty_at(value: &mut Tree<'_>, listed: [&[Path]; 2], at: &mut Vec<String>) -> Result<bool> {
    let [zeros, nulls] = listed;
    Ok(match value.kind() {
        Kind::Null => true,
        Kind::Bool | Kind::Number | Kind::String => is_zero(value),
        Kind::Array => value.elements()?.is_empty(),
        Kind::Object => {
            for (name, member) in value.members()? {
                at.push(name.to_string());
                let is_in =
                    |paths: &[Path]| paths.iter().any(|path| path.names().eq(at.iter().map(String::as_str)));
                let is_nothing =
                    member.is_null() && is_in(nulls) || is_in(zeros) && is_empty_at(member, listed, at)?;
                at.pop();
                if !is_nothing {
                    return Ok(false);
                }
            }
            true
        }
    })
}

/// Whether a text, a number or a truth value is empty.
fn is_zero(value: &Tree<'_>) -> bool {
    let Tree::Text(text) = value else { return false };
    let text = text.trim();
    text == "\"\"" || text == "false" || text.parse() == Ok(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(json: &str, zeros: &[Path]) -> bool {
        is_empty(&mut Tree::new(json.as_bytes()).unwrap(), zeros, &[Path::of(&["n"])]).unwrap()
    }

    #[test]
    fn empty_values_are_found() {
        for empty in ["null", "\"\"", "0", "-0", "0.0", "0e3", "false", "[]", "{}", "[ ]"] {
            assert!(is(empty, &[]), "{empty}");
        }
        for filled in ["\" \"", "1", "0.5", "true", "[0]", "[null]", r#"{"a":""}"#] {
            assert!(!is(filled, &[]), "{filled}");
        }
    }

    #[test]
    fn hollow_objects_have_empty_members_only() {
        let is = |json: &str| is_hollow(&mut Tree::new(json.as_bytes()).unwrap()).unwrap();
        assert!(is("{}") && is(r#"{"a":"","b":{"c":0}}"#));
        assert!(!is(r#"{"a":"","b":{"c":1}}"#) && !is("[{}]"));
    }

    #[test]
    fn listed_members_do_not_count_if_they_are_empty() {
        let zeros = [Path::of(&["a"]), Path::of(&["b"]), Path::of(&["b", "c"])];
        for empty in [r#"{"a":""}"#, r#"{"a":0,"b":{"c":[]}}"#, r#"{"b":{},"n":null}"#] {
            assert!(is(empty, &zeros), "{empty}");
        }
        for filled in [
            r#"{"n":""}"#,
            r#"{"m":null}"#,
            r#"{"a":1}"#,
            r#"{"c":""}"#,
            r#"{"b":{"d":0}}"#,
            r#"{"a":"","b":{"c":1}}"#,
        ] {
            assert!(!is(filled, &zeros), "{filled}");
        }
    }
}
