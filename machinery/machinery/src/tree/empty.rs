//! Tells whether JSON is an empty value.

use super::fault::Result;
use super::{Blank, NoValue, Path, Tree};
use crate::json::lexer::Kind;
use crate::scalar::{Duration, Quantity};

/// Whether a value is empty: `null`, `""`, zero, `false`, a list without elements, or an object without members.
/// Members at the paths in `zeros`, which begin at the value, do not count if they are empty, and those in `nulls` if
/// they are `null`.
pub(super) fn is_empty(value: &mut Tree<'_>, zeros: &[Path], nulls: &[Path]) -> Result<bool> {
    is_empty_at(value, [zeros, nulls], &mut Vec::new())
}

/// Whether an object that has nothing but this member is empty. `names` lead from the object to the member.
pub(super) fn fills_nothing(
    value: &mut Tree<'_>,
    names: &[&str],
    zeros: &[Path],
    nulls: &[Path],
) -> Result<bool> {
    let is_in = |paths: &[Path], count: usize| {
        paths.iter().any(|path| path.names().eq(names[..count].iter().copied()))
    };
    if (1..names.len()).any(|count| !is_in(zeros, count)) {
        return Ok(false);
    }
    if value.is_null() && is_in(nulls, names.len()) {
        return Ok(true);
    }
    let mut at = names.iter().map(|name| (*name).to_owned()).collect();
    Ok(is_in(zeros, names.len()) && is_empty_at(value, [zeros, nulls], &mut at)?)
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

/// Whether a value is one that a typed object does not tell from none.
pub(super) fn is_nothing(value: &mut Tree<'_>, listed: &[NoValue]) -> Result<bool> {
    is_nothing_at(value, listed, &mut Vec::new())
}

fn is_nothing_at(value: &mut Tree<'_>, listed: &[NoValue], at: &mut Vec<String>) -> Result<bool> {
    let is_it = |nothing: &&NoValue| nothing.path.names().eq(at.iter().map(String::as_str));
    let Some(NoValue { value: blank, .. }) = listed.iter().find(is_it) else { return Ok(false) };
    if value.is_null() {
        return Ok(true);
    }
    let text = || value.str().ok();
    Ok(match (blank, value.kind()) {
        (Blank::Empty, Kind::Object) => {
            for (name, member) in value.members()? {
                at.push(name.to_string());
                let is_nothing = is_nothing_at(member, listed, at)?;
                at.pop();
                if !is_nothing {
                    return Ok(false);
                }
            }
            true
        }
        (Blank::Empty, _) | (Blank::Number | Blank::Quantity, Kind::Number) => is_empty(value, &[], &[])?,
        (Blank::Quantity, Kind::String) => text().is_some_and(|text| text.parse() == Ok(Quantity::ZERO)),
        (Blank::Duration, Kind::String) => text().is_some_and(|text| text.parse() == Ok(Duration::default())),
        (Blank::Null | Blank::Number | Blank::Quantity | Blank::Duration, _) => false,
    })
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

    #[test]
    fn what_a_typed_object_does_not_tell_from_none_is_nothing() {
        let is = |json: &str, listed: &[(&'static [&'static str], Blank)]| {
            let listed: Vec<NoValue> =
                listed.iter().map(|(path, value)| NoValue { path: Path::of(path), value: *value }).collect();
            is_nothing(&mut Tree::new(json.as_bytes()).unwrap(), &listed).unwrap()
        };
        for (blank, nothing, values) in [
            (Blank::Null, &["null"][..], &["\"\"", "0", "{}"][..]),
            (Blank::Empty, &["null", "\"\"", "0", "[]", "{}"], &["1", "\"x\"", "[0]", r#"{"a":1}"#]),
            (Blank::Number, &["null", "0"], &["\"\"", "\"0\"", "1"]),
            (Blank::Quantity, &["null", "0", "\"0\"", "\"0Mi\""], &["1", "\"1\""]),
            (Blank::Duration, &["null", "\"0s\"", "\"0h\""], &["\"1s\""]),
        ] {
            nothing
                .iter()
                .for_each(|json| assert!(is(json, &[(&[], blank)]), "{json} is nothing as {blank:?}"));
            values
                .iter()
                .for_each(|json| assert!(!is(json, &[(&[], blank)]), "{json} is a value as {blank:?}"));
        }
        let listed: &[(&'static [&'static str], Blank)] = &[
            (&[], Blank::Empty),
            (&["a"], Blank::Empty),
            (&["b"], Blank::Null),
            (&["a", "c"], Blank::Number),
        ];
        assert!(is(r#"{"a":{"c":0},"b":null}"#, listed) && is("{}", listed));
        assert!(
            !is(r#"{"a":{"c":""}}"#, listed) && !is(r#"{"b":""}"#, listed) && !is(r#"{"d":null}"#, listed)
        );
    }
}
