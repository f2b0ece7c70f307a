//! The places in an object, and what the type tells of them.

use hubgen_kubernetes::machinery::reflect::{Described, Fact, Type};
use serde_json::{Value, json};

/// A step into an object or a list.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    Member(String),
    Item(usize),
}

/// A place in an object.
#[derive(Clone, Debug)]
pub struct Place {
    pub steps: Vec<Step>,
    pub value: Value,
    /// What is known of the list, if the place is one that is merged: its key, empty for lists of values.
    pub merges: Option<String>,
}

/// Members of `metadata` that the server manages, and others that no patch may change.
const MANAGED: [&str; 9] = [
    "creationTimestamp",
    "generateName",
    "generation",
    "managedFields",
    "name",
    "namespace",
    "resourceVersion",
    "selfLink",
    "uid",
];

/// All places of an object but those that the server manages: those of its status, or the others.
pub fn places(object: &Value, of: &Described, of_status: bool) -> Vec<Place> {
    let mut found = Vec::new();
    let Value::Object(members) = object else { return found };
    for (name, value) in members {
        let is_of_status = name == "status";
        if !matches!(name.as_str(), "apiVersion" | "kind") && is_of_status == of_status {
            let inner = json!({name: value});
            collect(&inner, Some(of), &mut Vec::new(), &mut found);
        }
    }
    found
}

fn collect(value: &Value, of: Option<&Described>, steps: &mut Vec<Step>, found: &mut Vec<Place>) {
    let Value::Object(members) = value else { return };
    for (name, member) in members {
        let is_managed = matches!(&**steps, [Step::Member(first)] if first == "metadata")
            && MANAGED.contains(&name.as_str());
        if is_managed {
            continue;
        }
        let field = of.and_then(|of| of.named().iter().find(|field| field.name == **name));
        steps.push(Step::Member(name.clone()));
        let mut merges = None;
        for fact in field.into_iter().flat_map(|field| field.facts.iter()) {
            match fact {
                Fact::Patch(words) if words.contains("merge") => drop(merges.get_or_insert_default()),
                Fact::MergeKey(key) => merges = Some(key.to_string()),
                _ => {}
            }
        }
        // Metadata as a whole has members that differ from server to server.
        if !matches!(&**steps, [Step::Member(first)] if first == "metadata") {
            found.push(Place { steps: steps.clone(), value: member.clone(), merges });
        }
        let ty = field.map(|field| &field.ty);
        match (member, ty) {
            (Value::Object(_), Some(Type::Struct(inner))) => {
                collect(member, Some(&inner.descriptor()), steps, found);
            }
            (Value::Object(_), _) => collect(member, None, steps, found),
            (Value::Array(items), ty) => {
                let inner = match ty {
                    Some(Type::List(node)) => match &node.ty {
                        Type::Struct(inner) => Some(inner.descriptor()),
                        _ => None,
                    },
                    _ => None,
                };
                for (index, item) in items.iter().enumerate() {
                    steps.push(Step::Item(index));
                    found.push(Place { steps: steps.clone(), value: item.clone(), merges: None });
                    collect(item, inner.as_ref(), steps, found);
                    steps.pop();
                }
            }
            _ => {}
        }
        steps.pop();
    }
}

/// The place as a path of a JSON patch.
pub fn pointer(steps: &[Step]) -> String {
    let step = |step: &Step| match step {
        Step::Member(name) => format!("/{}", name.replace('~', "~0").replace('/', "~1")),
        Step::Item(index) => format!("/{index}"),
    };
    steps.iter().map(step).collect()
}

/// A merge patch with a value at a place; `None` if the place is inside a list.
pub fn merging(steps: &[Step], value: Value) -> Option<Value> {
    steps.iter().rev().try_fold(value, |inner, step| match step {
        Step::Member(name) => Some(json!({name: inner})),
        Step::Item(_) => None,
    })
}

/// A strategic merge patch with a value at a place: items of lists are named by their merge key. `None` if an item has
/// none.
pub fn strategic(object: &Value, all: &[Place], steps: &[Step], value: Value) -> Option<Value> {
    let mut inner = value;
    for (at, step) in steps.iter().enumerate().rev() {
        inner = match step {
            Step::Member(name) => json!({name: inner}),
            Step::Item(_) => {
                let list = all.iter().find(|place| place.steps == steps[..at])?;
                let key = list.merges.as_deref().filter(|key| !key.is_empty())?;
                let item = object.pointer(&pointer(&steps[..=at]))?;
                let Value::Object(members) = &mut inner else { return None };
                members.insert(key.to_owned(), item.get(key)?.clone());
                Value::Array(vec![inner])
            }
        };
    }
    Some(inner)
}
