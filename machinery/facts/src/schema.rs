//! Parts of structural schemas, which the readers of definitions and descriptors write alike.
//!
//! A structural schema is what a CustomResourceDefinition contains. `hubgen-documents` makes schemas of the model, and
//! `hubgen-machinery` of descriptors; the API server has to accept both.

use serde_json::{Map, Value, json};

/// The syntax of quantities, in the form in which controller-gen writes it.
pub const QUANTITY: &str = r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$";

/// The schema of a quantity.
#[must_use]
pub fn quantity() -> Value {
    json!({
        "anyOf": [{"type": "integer"}, {"type": "string"}],
        "pattern": QUANTITY,
        "x-kubernetes-int-or-string": true,
    })
}

/// The schema of an integer or a string.
#[must_use]
pub fn int_or_string() -> Value {
    json!({
        "anyOf": [{"type": "integer"}, {"type": "string"}],
        "x-kubernetes-int-or-string": true,
    })
}

/// The schema of an unsigned number with so many bits. Of 64 bits, the API server keeps those of a signed number.
#[must_use]
pub fn unsigned(bits: u32) -> Value {
    match bits {
        16 => json!({"type": "integer", "format": "int32", "minimum": 0, "maximum": u16::MAX}),
        32 => json!({"type": "integer", "format": "int64", "minimum": 0, "maximum": u32::MAX}),
        _ => json!({"type": "integer", "format": "int64", "minimum": 0}),
    }
}

/// Adds names to `required`, which is sorted.
pub fn require<'a>(schema: &mut Map<String, Value>, names: impl Iterator<Item = &'a str>) {
    let known = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let mut all: Vec<String> = known.filter_map(Value::as_str).map(str::to_owned).collect();
    all.extend(names.map(str::to_owned));
    all.sort();
    all.dedup();
    if !all.is_empty() {
        schema.insert("required".to_owned(), all.into());
    }
}

/// Makes the schema of a list one of a list type, `atomic`, `set` or `map`, with all that the API server requires of
/// it.
pub fn set_list_type(schema: &mut Map<String, Value>, list_type: &str, keys: &[&str]) {
    let Some(Value::Object(items)) = schema.get_mut("items") else { return };
    // Upstream has a list whose items do not have the key. The API server would refuse it.
    let lacks_key = keys.iter().any(|key| items.get("properties").is_none_or(|all| all.get(key).is_none()));
    let list_type = if lacks_key { "atomic" } else { list_type };
    match list_type {
        // The API server requires it of sets of objects.
        "set" if items.get("type").is_some_and(|ty| ty == "object") => {
            items.insert("x-kubernetes-map-type".to_owned(), "atomic".into());
        }
        "map" => {
            // The API server requires keys, or a default for them.
            let without_default = |key: &&&str| items["properties"][**key].get("default").is_none();
            let required: Vec<&str> = keys.iter().filter(without_default).copied().collect();
            require(items, required.into_iter());
            schema.insert("x-kubernetes-list-map-keys".to_owned(), keys.into());
        }
        _ => {}
    }
    schema.insert("x-kubernetes-list-type".to_owned(), list_type.into());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(schema: Value, change: impl FnOnce(&mut Map<String, Value>)) -> Value {
        let Value::Object(mut schema) = schema else { unreachable!("a schema is an object") };
        change(&mut schema);
        schema.into()
    }

    #[test]
    fn required_names_are_sorted_and_unique() {
        let schema = with(json!({"required": ["b"]}), |schema| require(schema, ["c", "a", "b"].into_iter()));
        assert_eq!(schema, json!({"required": ["a", "b", "c"]}));
        assert_eq!(with(json!({}), |schema| require(schema, std::iter::empty())), json!({}));
    }

    #[test]
    fn keys_of_lists_are_required_unless_they_have_a_default() {
        let properties =
            json!({"name": {"type": "string"}, "protocol": {"type": "string", "default": "TCP"}});
        let list = json!({"type": "array", "items": {"type": "object", "properties": properties}});
        let schema = with(list.clone(), |schema| set_list_type(schema, "map", &["name", "protocol"]));
        assert_eq!(schema["x-kubernetes-list-type"], "map");
        assert_eq!(schema["x-kubernetes-list-map-keys"], json!(["name", "protocol"]));
        assert_eq!(schema["items"]["required"], json!(["name"]));
        // Items without the key cannot be found by it.
        let schema = with(list, |schema| set_list_type(schema, "map", &["other"]));
        assert_eq!(schema["x-kubernetes-list-type"], "atomic");
        assert_eq!(schema.get("x-kubernetes-list-map-keys"), None);
    }

    #[test]
    fn objects_in_sets_are_atomic() {
        let set = |items| {
            with(json!({"type": "array", "items": items}), |schema| set_list_type(schema, "set", &[]))
        };
        assert_eq!(set(json!({"type": "object"}))["items"]["x-kubernetes-map-type"], "atomic");
        assert_eq!(set(json!({"type": "string"}))["items"], json!({"type": "string"}));
    }
}
