//! Makes an object wrong in one place, or only different.

use serde_json::{Value, json};

use crate::dice::Dice;

/// Changes one value in a document, below its metadata, kind and version. It may stay valid.
pub(super) fn change(document: &mut Value, dice: &mut Dice) {
    let mut places = Vec::new();
    if let Some(members) = document.as_object() {
        for (name, value) in
            members.iter().filter(|(name, _)| !matches!(&***name, "apiVersion" | "kind" | "metadata"))
        {
            collect(value, format!("/{}", escaped(name)), &mut places);
        }
    }
    let Some(place) = dice.one(&places).cloned() else {
        document["unknown"] = json!({"a": 1});
        return;
    };
    if dice.below(5) == 0 && remove(document, &place) {
        return;
    }
    if let Some(value) = document.pointer_mut(&place) {
        *value = other(value, dice);
    }
}

/// The places of all values inside a value, itself included.
fn collect(value: &Value, place: String, places: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            members
                .iter()
                .for_each(|(name, value)| collect(value, format!("{place}/{}", escaped(name)), places));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at, value)| collect(value, format!("{place}/{at}"), places));
        }
        _ => {}
    }
    places.push(place);
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn remove(document: &mut Value, place: &str) -> bool {
    let Some((parent, last)) = place.rsplit_once('/') else { return false };
    match document.pointer_mut(parent) {
        Some(Value::Object(members)) => {
            members.shift_remove(&last.replace("~1", "/").replace("~0", "~"));
            true
        }
        Some(Value::Array(items)) => {
            last.parse().is_ok_and(|at: usize| at < items.len() && items.remove(at) != Value::Null)
        }
        _ => false,
    }
}

/// Another value in the place of one.
fn other(value: &Value, dice: &mut Dice) -> Value {
    let any = [
        Value::Null,
        json!(true),
        json!(0),
        json!(-1),
        json!(1.5),
        json!(4_000_000_000_000_i64),
        json!(""),
        json!("x"),
        json!("UPPER case"),
        json!("x".repeat(300)),
        json!([]),
        json!({}),
        json!(["a", "a"]),
        json!({"unknown": null}),
    ];
    match value {
        Value::Object(members) if dice.below(2) == 0 => {
            let mut members = members.clone();
            members.insert("unknown".to_owned(), json!({"a": [1]}));
            members.into()
        }
        Value::Array(items) if !items.is_empty() && dice.below(2) == 0 => {
            let mut items = items.clone();
            items.push(items[0].clone());
            items.into()
        }
        Value::Number(number) if dice.below(2) == 0 => match number.as_i64() {
            Some(number) => json!(number.wrapping_mul(1_000_003).wrapping_sub(7)),
            None => json!(-1.25),
        },
        Value::String(text) if dice.below(2) == 0 => json!(format!("{text}!")),
        _ => dice.one(&any).cloned().unwrap_or_default(),
    }
}
