//! Values as upstream's messages have them: in Go's notations.

use serde_json::Value;

/// The name that upstream's messages have for the type of a value (`%T`): `map[string]interface {}` for an object.
pub fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

/// A value that something else refers to (`%v`): `&{map[a:1]}`.
pub(super) fn plain(value: &Value) -> String {
    format!("&{{{}}}", inside(value))
}

fn inside(value: &Value) -> String {
    let joined = |values: &[String]| values.join(" ");
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("[{}]", joined(&items.iter().map(inside).collect::<Vec<_>>())),
        Value::Object(members) => {
            let mut members: Vec<String> =
                members.iter().map(|(name, value)| format!("{name}:{}", inside(value))).collect();
            members.sort();
            format!("map[{}]", joined(&members))
        }
        scalar => scalar.to_string(),
    }
}

/// A value as code (`%#v`).
pub(super) fn literal(value: &Value) -> String {
    format!("&value.valueUnstructured{{Value:{}}}", code(value))
}

fn code(value: &Value) -> String {
    match value {
        Value::Null => "interface {}(nil)".to_owned(),
        Value::Array(items) => {
            format!("{}{{{}}}", type_of(value), items.iter().map(code).collect::<Vec<_>>().join(", "))
        }
        Value::Object(members) => {
            let mut members: Vec<String> =
                members.iter().map(|(name, value)| format!("{name:?}:{}", code(value))).collect();
            members.sort();
            format!("{}{{{}}}", type_of(value), members.join(", "))
        }
        scalar => scalar.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_in_the_notations_of_go() {
        let value = json!({"b": [1, "x", null], "a": 1.5});
        assert_eq!(plain(&value), "&{map[a:1.5 b:[1 x <nil>]]}");
        let expected = r#"map[string]interface {}{"a":1.5, "b":[]interface {}{1, "x", interface {}(nil)}}"#;
        assert_eq!(literal(&value), format!("&value.valueUnstructured{{Value:{expected}}}"));
        assert_eq!(
            [json!(1), json!(1.5), json!(true)].map(|value| type_of(&value)),
            ["int64", "float64", "bool"]
        );
    }
}
