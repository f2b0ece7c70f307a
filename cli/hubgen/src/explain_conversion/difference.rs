//! What differs between two objects.

use serde_json::Value;

use super::path::Path;

/// The fields of an object that another one lacks or has with another value: each with its value. Objects and lists
/// are compared field by field and element by element, unless they are empty.
pub fn new_in<'a>(object: &'a Value, other: &Value) -> Vec<(Path, &'a Value)> {
    let mut out = Vec::new();
    compare(object, Some(other), &Path(Vec::new()), &mut out);
    out
}

/// All fields of an object, each with its value.
pub fn all(object: &Value) -> Vec<(Path, &Value)> {
    new_in(object, &Value::Null)
}

fn compare<'a>(object: &'a Value, other: Option<&Value>, path: &Path, out: &mut Vec<(Path, &'a Value)>) {
    match object {
        object if Some(object) == other => {}
        Value::Object(members) if !members.is_empty() => {
            for (name, member) in members {
                compare(member, other.and_then(|other| other.get(name)), &path.below(name), out);
            }
        }
        Value::Array(elements) if !elements.is_empty() => {
            for (index, element) in elements.iter().enumerate() {
                let below = path.below(format!("[{index}]"));
                compare(element, other.and_then(|other| other.get(index)), &below, out);
            }
        }
        value => out.push((path.clone(), value)),
    }
}

/// The value at a path.
pub fn at<'a>(object: &'a Value, path: &Path) -> Option<&'a Value> {
    path.0.iter().try_fold(object, |value, part| match value {
        Value::Array(elements) => elements.get(part.trim_matches(['[', ']']).parse::<usize>().ok()?),
        value => value.get(part),
    })
}

/// Whether an object has a value at the path of a rule.
pub fn has(object: &Value, rule: &Path) -> bool {
    match rule.0.split_first() {
        None => true,
        Some((part, rest)) => {
            let rest = Path(rest.to_vec());
            match object {
                Value::Array(elements) if part == "[]" => elements.iter().any(|element| has(element, &rest)),
                Value::Object(members) if part == "[]" => members.values().any(|member| has(member, &rest)),
                object => object.get(part).is_some_and(|member| has(member, &rest)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_differs_is_found() {
        let [object, other] =
            [json!({"a": [{"b": 1, "c": 2}], "d": {}}), json!({"a": [{"b": 1, "c": 3}], "e": 1})];
        let found: Vec<String> = new_in(&object, &other).iter().map(|(path, _)| path.to_string()).collect();
        assert_eq!(found, ["a[0].c", "d"]);
        assert_eq!(at(&object, &Path::of_rule("a[0].c")), Some(&json!(2)));
        assert!(has(&object, &Path::of_rule("a[].b")) && !has(&object, &Path::of_rule("a[].d")));
    }
}
