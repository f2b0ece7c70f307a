//! What a stash contains, for people who ask what an annotation is good for.

use serde_json::Value;

use super::delta::{Delta, Item};
use super::kept::Stash;

/// A part of the hub that a version cannot represent, as a stash contains it.
#[derive(Clone, Debug, PartialEq)]
pub struct Stashed {
    /// The path of the field in the hub: `spec.rules[0].host`.
    pub path: String,
    /// What the stash keeps about it.
    pub kept: Keeping,
}

/// What a stash keeps about a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Keeping {
    /// Its value.
    Value(Value),
    /// That it is absent, although the version shows one.
    Absence,
    /// The order of its elements.
    Order,
}

/// What a stash contains, in the order of its text; `None` for a text that is no stash.
///
/// ```
/// use hubgen_machinery::convert::{Keeping, stashed};
///
/// let stash = r#"{"hub":"example.com/v2","seen":"0000000000000000","delta":{"fields":{"size":{"is":3}}}}"#;
/// let found = stashed(stash).unwrap();
/// assert_eq!((&*found[0].path, &found[0].kept), ("size", &Keeping::Value(3.into())));
/// assert_eq!(stashed("something else"), None);
/// ```
pub fn stashed(text: &str) -> Option<Vec<Stashed>> {
    let stash = Stash::read(text)?;
    let mut out = Vec::new();
    delta("", &stash.delta, &mut out);
    if let Some(members) = &stash.zeros {
        zeros("", members, &mut out);
    }
    Some(out)
}

fn delta(path: &str, of: &Delta, out: &mut Vec<Stashed>) {
    match of {
        Delta::Value { is, .. } => {
            let kept = is.clone().map_or(Keeping::Absence, Keeping::Value);
            out.push(Stashed { path: path.to_owned(), kept });
        }
        Delta::Fields(fields) => fields.iter().for_each(|(name, of)| delta(&member(path, name), of, out)),
        Delta::List { shown, items } => {
            let places: Vec<usize> = items.iter().filter_map(Item::index).collect();
            if places.len() < shown.len() || !places.is_sorted() {
                out.push(Stashed { path: path.to_owned(), kept: Keeping::Order });
            }
            for (index, item) in items.iter().enumerate() {
                let path = format!("{path}[{index}]");
                match item {
                    Item::Shown(_, None) => {}
                    Item::Shown(_, Some(of)) => delta(&path, of, out),
                    Item::Hidden(value) => out.push(Stashed { path, kept: Keeping::Value(value.clone()) }),
                }
            }
        }
    }
}

/// Empty members that a typed object does not tell from none. One item stands for all elements of a list.
fn zeros(path: &str, of: &Value, out: &mut Vec<Stashed>) {
    if let Some(is) = of.get("is") {
        out.push(Stashed { path: path.to_owned(), kept: Keeping::Value(is.clone()) });
    }
    for (name, of) in of.get("fields").and_then(Value::as_object).into_iter().flatten() {
        zeros(&member(path, name), of, out);
    }
    let items = of.get("items").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    match items {
        [all] => zeros(&format!("{path}[]"), all, out),
        items => {
            for (index, of) in items.iter().enumerate() {
                zeros(&format!("{path}[{index}]"), of, out);
            }
        }
    }
}

fn member(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn elements_have_their_places_in_the_hub() {
        let none = "0000000000000000";
        let stash = json!({
            "hub": "example.com/v2",
            "seen": none,
            "delta": {"fields": {
                "gone": {"was": none},
                "list": {"shown": [none, none], "items": [1, {"is": 5}, [0, {"fields": {"x": {"is": 6}}}]]},
            }},
            "zeros": {"fields": {"all": {"items": [{"fields": {"n": {"is": 0}}}]}}},
        });
        let found = stashed(&stash.to_string()).unwrap();
        let found: Vec<(&str, &Keeping)> = found.iter().map(|found| (&*found.path, &found.kept)).collect();
        let expected = [
            ("gone", &Keeping::Absence),
            ("list", &Keeping::Order),
            ("list[1]", &Keeping::Value(5.into())),
            ("list[2].x", &Keeping::Value(6.into())),
            ("all[].n", &Keeping::Value(0.into())),
        ];
        assert_eq!(found, expected);
    }
}
