//! The key of a default: `field when condition and condition`.

use hubgen_model::defaults::{Condition, Is};
use hubgen_model::rules::FieldPath;

/// What is wrong, and what to write instead.
type Wrong = (String, &'static str);

/// Parses a key into the path of the field and the conditions, all of which must be true.
///
/// # Errors
/// What is wrong, and what to write instead.
pub fn parse(text: &str) -> Result<(Vec<String>, Vec<Condition>), Wrong> {
    let (field, conditions) = match text.split_once(" when ") {
        None => (text, None),
        Some((field, conditions)) => (field, Some(conditions)),
    };
    let conditions = conditions.into_iter().flat_map(|text| text.split(" and ")).map(condition);
    Ok((path(field)?, conditions.collect::<Result<_, _>>()?))
}

fn condition(text: &str) -> Result<Condition, Wrong> {
    let wrong = || {
        (
            format!("`{text}` is not a condition"),
            "write `field is A|B`, `field is not A|B`, `field is set` or `field is unset`, with `and` between conditions",
        )
    };
    let (field, is) = text.split_once(" is ").ok_or_else(wrong)?;
    let words = |text: &str| -> Result<Vec<String>, _> {
        let words: Vec<String> = text.split('|').map(str::to_owned).collect();
        let is_word = |word: &String| !word.is_empty() && !word.contains(char::is_whitespace);
        if words.iter().all(is_word) { Ok(words) } else { Err(wrong()) }
    };
    let is = match is.split_once("not ") {
        Some(("", not)) => Is::NoneOf(words(not)?),
        _ if is == "set" => Is::Set,
        _ if is == "unset" => Is::Unset,
        _ => Is::OneOf(words(is)?),
    };
    Ok(Condition { path: path(field)?, is })
}

fn path(text: &str) -> Result<Vec<String>, Wrong> {
    match FieldPath::parse(text) {
        Some(path) if !text.contains(char::is_whitespace) => Ok(path.0),
        _ => Err((
            format!("`{text}` is not a field path"),
            "write names with dots between them, such as `spec.replicas`, and conditions after ` when `",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_may_have_conditions() {
        let (path, when) =
            parse("a.b when type is X|Y and c.d is not 1 and e is set and f is unset").unwrap();
        assert_eq!(path, ["a", "b"]);
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            when,
            [
                Condition { path: words(&["type"]), is: Is::OneOf(words(&["X", "Y"])) },
                Condition { path: words(&["c", "d"]), is: Is::NoneOf(words(&["1"])) },
                Condition { path: words(&["e"]), is: Is::Set },
                Condition { path: words(&["f"]), is: Is::Unset },
            ]
        );
    }

    #[test]
    fn malformed_keys_are_refused() {
        for text in [
            "",
            "a.",
            "a when",
            "a when b",
            "a when b is",
            "a when b is X|",
            "a if b is X",
            "a when b is X Y",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
