//! What converting an object changes, field by field.

use std::collections::BTreeMap;

use serde_json::Value;

/// A change of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// A field has another path.
    Moved { from: String, path: String },
    /// A field that was not there.
    Added { path: String, is: Value },
    /// A field that is gone.
    Removed { path: String, was: Value },
    /// A field with another value.
    Changed { path: String, was: Value, is: Value },
}

/// What changes from one object to another, besides the version and the kind.
pub fn edits(old: &Value, new: &Value) -> Vec<Edit> {
    let [old, new] = [old, new].map(leaves);
    let mut edits = Vec::new();
    let mut gone: Vec<(&String, &Value)> = Vec::new();
    for (path, was) in &old {
        match new.get(path) {
            None => gone.push((path, was)),
            Some(is) if is != was => {
                edits.push(Edit::Changed { path: path.clone(), was: was.clone(), is: is.clone() });
            }
            Some(_) => {}
        }
    }
    let mut came: Vec<(&String, &Value)> = new.iter().filter(|(path, _)| !old.contains_key(*path)).collect();
    for (from, was) in gone {
        match counterpart(from, was, &came) {
            Some(at) => {
                let (path, _) = came.remove(at);
                edits.push(Edit::Moved { from: from.clone(), path: path.clone() });
            }
            None => edits.push(Edit::Removed { path: from.clone(), was: was.clone() }),
        }
    }
    edits.extend(came.into_iter().map(|(path, is)| Edit::Added { path: path.clone(), is: is.clone() }));
    edits
}

/// Which of the new fields has the value of an old one: of several, the one whose path ends and begins most alike.
fn counterpart(path: &str, value: &Value, came: &[(&String, &Value)]) -> Option<usize> {
    let alike = |other: &str| {
        let same = |a: &mut dyn Iterator<Item = char>, b: &mut dyn Iterator<Item = char>| {
            a.zip(b).take_while(|(a, b)| a == b).count()
        };
        same(&mut path.chars().rev(), &mut other.chars().rev()) + same(&mut path.chars(), &mut other.chars())
    };
    let same = came.iter().enumerate().filter(|(_, (_, is))| *is == value);
    same.max_by_key(|(_, (other, _))| alike(other)).map(|(at, _)| at)
}

/// The values that contain no others, by their paths.
fn leaves(object: &Value) -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    collect(object, String::new(), &mut found);
    found.remove("apiVersion");
    found.remove("kind");
    found
}

fn collect(value: &Value, path: String, found: &mut BTreeMap<String, Value>) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (name, member) in members {
                let dot = if path.is_empty() { "" } else { "." };
                collect(member, format!("{path}{dot}{name}"), found);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (index, item) in items.iter().enumerate() {
                collect(item, format!("{path}[{index}]"), found);
            }
        }
        leaf => drop(found.insert(path, leaf.clone())),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_move_come_go_and_change() {
        let old = json!({
            "apiVersion": "a/v1", "kind": "A",
            "spec": {"backend": {"serviceName": "web", "servicePort": 80}, "same": [1, {}], "gone": true, "size": 1},
        });
        let new = json!({
            "apiVersion": "a/v2", "kind": "B",
            "spec": {
                "defaultBackend": {"service": {"name": "web", "port": {"number": 80}}},
                "same": [1, {}], "size": 2, "type": "x",
            },
        });
        let moved = |from: &str, path: &str| Edit::Moved { from: from.to_owned(), path: path.to_owned() };
        assert_eq!(
            edits(&old, &new),
            [
                Edit::Changed { path: "spec.size".to_owned(), was: json!(1), is: json!(2) },
                moved("spec.backend.serviceName", "spec.defaultBackend.service.name"),
                moved("spec.backend.servicePort", "spec.defaultBackend.service.port.number"),
                Edit::Removed { path: "spec.gone".to_owned(), was: json!(true) },
                Edit::Added { path: "spec.type".to_owned(), is: json!("x") },
            ]
        );
        assert_eq!(edits(&old, &old), []);
    }

    #[test]
    fn of_equal_values_the_path_that_is_most_alike_counts() {
        let old = json!({"a": {"min": 1, "max": 1}});
        let new = json!({"b": {"max": 1, "min": 1}});
        let moved = |from: &str, path: &str| Edit::Moved { from: from.to_owned(), path: path.to_owned() };
        assert_eq!(edits(&old, &new), [moved("a.max", "b.max"), moved("a.min", "b.min")]);
    }
}
