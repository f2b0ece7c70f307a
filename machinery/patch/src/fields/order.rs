//! The order of values: numbers, texts, booleans, lists, objects, and last `null`. Numbers are compared as such, whether
//! they are whole or not.

use std::cmp::Ordering;

use serde_json::{Map, Number, Value};

/// Compares two values.
pub(super) fn compare(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => numbers(left, right),
        (Value::String(left), Value::String(right)) => left.cmp(right),
        (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
        (Value::Array(left), Value::Array(right)) => {
            let unequal = left.iter().zip(right).map(|(left, right)| compare(left, right));
            unequal.fold(Ordering::Equal, Ordering::then).then(left.len().cmp(&right.len()))
        }
        (Value::Object(left), Value::Object(right)) => objects(left, right),
        _ => rank(left).cmp(&rank(right)),
    }
}

/// Whether two values are equal: `1` and `1.0` are.
pub(crate) fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => numbers(left, right).is_eq(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| equal(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            let has = |(name, left)| right.get(name).is_some_and(|right| equal(left, right));
            left.len() == right.len() && left.iter().all(has)
        }
        _ => left == right,
    }
}

fn rank(value: &Value) -> u8 {
    match value {
        Value::Number(_) => 0,
        Value::String(_) => 1,
        Value::Bool(_) => 2,
        Value::Array(_) => 3,
        Value::Object(_) => 4,
        Value::Null => 5,
    }
}

fn numbers(left: &Number, right: &Number) -> Ordering {
    let whole = |number: &Number| match (number.as_i64(), number.as_u64()) {
        (Some(whole), _) => Some(i128::from(whole)),
        (None, whole) => whole.map(i128::from),
    };
    if let (Some(left), Some(right)) = (whole(left), whole(right)) {
        return left.cmp(&right);
    }
    let float = |number: &Number| number.as_f64().unwrap_or_default();
    // No number of JSON is NaN.
    float(left).partial_cmp(&float(right)).unwrap_or(Ordering::Equal)
}

/// Compares the members in the order of their names.
fn objects(left: &Map<String, Value>, right: &Map<String, Value>) -> Ordering {
    let sorted = |object| {
        let mut members: Vec<(&String, &Value)> = Map::iter(object).collect();
        members.sort_by_key(|(name, _)| *name);
        members
    };
    let (left, right) = (sorted(left), sorted(right));
    let unequal = left
        .iter()
        .zip(&right)
        .map(|(left, right)| left.0.cmp(right.0).then_with(|| compare(left.1, right.1)));
    unequal.fold(Ordering::Equal, Ordering::then).then(left.len().cmp(&right.len()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_ordered_by_type_and_then_by_value() {
        let ordered = [
            json!(-1),
            json!(0.5),
            json!(1),
            json!(u64::MAX),
            json!("a"),
            json!("b"),
            json!(false),
            json!(true),
            json!([1]),
            json!([1, 2]),
            json!([2]),
            json!({}),
            json!({"a": 1}),
            json!({"b": 1, "a": 1}),
            json!({"a": 2}),
            json!({"b": 0}),
            Value::Null,
        ];
        for (at, left) in ordered.iter().enumerate() {
            for (other, right) in ordered.iter().enumerate() {
                assert_eq!(compare(left, right), at.cmp(&other), "{left} {right}");
                assert_eq!(equal(left, right), at == other, "{left} {right}");
            }
        }
        assert!(equal(&json!([{"a": 1}]), &json!([{"a": 1.0}])));
        assert!(compare(&json!(1), &json!(1.0)).is_eq());
    }
}
