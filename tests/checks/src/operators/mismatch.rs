//! Where two answers differ.

use std::fmt;

use serde_json::Value;

use super::path::{Path, Step};

/// A place at which both answers differ.
pub struct Mismatch<'a> {
    pub path: Path,
    /// What the operator writes there.
    pub theirs: Option<&'a Value>,
    /// What hubgen writes there.
    pub ours: Option<&'a Value>,
}

impl fmt::Display for Mismatch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = |value: Option<&Value>| value.map_or_else(|| "nothing".to_owned(), Value::to_string);
        write!(f, "{}: the operator has {}, hubgen {}", self.path, side(self.theirs), side(self.ours))
    }
}

/// The innermost places at which two objects differ.
pub fn mismatches<'a>(theirs: &'a Value, ours: &'a Value) -> Vec<Mismatch<'a>> {
    let mut out = Vec::new();
    compare(Path::default(), Some(theirs), Some(ours), &mut out);
    out
}

fn compare<'a>(path: Path, theirs: Option<&'a Value>, ours: Option<&'a Value>, out: &mut Vec<Mismatch<'a>>) {
    match (theirs, ours) {
        (Some(Value::Object(theirs)), Some(Value::Object(ours))) => {
            let only_ours = ours.keys().filter(|name| !theirs.contains_key(*name));
            for name in theirs.keys().chain(only_ours) {
                compare(path.below(Step::Member(name.clone())), theirs.get(name), ours.get(name), out);
            }
        }
        (Some(Value::Array(theirs)), Some(Value::Array(ours))) if theirs.len() == ours.len() => {
            for (index, (theirs, ours)) in theirs.iter().zip(ours).enumerate() {
                compare(path.below(Step::Item(index)), Some(theirs), Some(ours), out);
            }
        }
        _ if theirs == ours => {}
        _ => out.push(Mismatch { path, theirs, ours }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_innermost_places_are_found() {
        let theirs = json!({"a": {"b": 1, "c": [1, 2], "d": [1]}, "e": 1});
        let ours = json!({"a": {"b": 2, "c": [1, 3], "d": [1, 2]}, "f": 1});
        let found: Vec<String> = mismatches(&theirs, &ours).iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            [
                "a.b: the operator has 1, hubgen 2",
                "a.c[1]: the operator has 2, hubgen 3",
                "a.d: the operator has [1], hubgen [1,2]",
                "e: the operator has 1, hubgen nothing",
                "f: the operator has nothing, hubgen 1",
            ]
        );
    }
}
