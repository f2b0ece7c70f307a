//! Documents in protobuf, in the format of gnostic, which clients of Kubernetes read.

mod messages;
mod v2;
mod v3;
mod yaml;

use prost::encode_length_delimiter;
use serde_json::{Map, Value};

/// Encodes a document of OpenAPI v2, which is in JSON.
///
/// # Errors
/// If it is not JSON.
pub fn v2(document: &str) -> Result<Vec<u8>, serde_json::Error> {
    v2::encode(document)
}

/// Encodes a document of OpenAPI v3, which is in JSON.
///
/// # Errors
/// If it is not JSON.
pub fn v3(document: &str) -> Result<Vec<u8>, serde_json::Error> {
    v3::encode(document)
}

/// Appends a message that is the value of a field.
fn append(number: u8, message: &[u8], out: &mut Vec<u8>) {
    const LENGTH_DELIMITED: u8 = 2;
    out.push(number << 3 | LENGTH_DELIMITED);
    encode_length_delimiter(message.len(), out).expect("a vector grows");
    out.extend_from_slice(message);
}

/// A text; empty if there is none.
fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// A boolean; false if there is none.
fn flag(value: &Value, key: &str) -> bool {
    value.get(key).and_then(Value::as_bool).unwrap_or_default()
}

/// A number; 0 if there is none.
fn number(value: &Value, key: &str) -> f64 {
    value.get(key).and_then(Value::as_f64).unwrap_or_default()
}

/// An integer; 0 if there is none.
fn integer(value: &Value, key: &str) -> i64 {
    value.get(key).and_then(Value::as_i64).unwrap_or_default()
}

/// The texts of a list; none if there is no list.
fn texts(value: &Value, key: &str) -> Vec<String> {
    items(value, key).filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The items of a list.
fn items<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value.get(key).and_then(Value::as_array).into_iter().flatten()
}

/// The members of an object.
fn members<'a>(value: &'a Value, key: &str) -> Option<&'a Map<String, Value>> {
    value.get(key).and_then(Value::as_object)
}

/// The members that are no keywords of OpenAPI, each as YAML.
fn extensions(value: &Value) -> impl Iterator<Item = (&String, String)> {
    let members = value.as_object().into_iter().flatten();
    members.filter(|(name, _)| name.starts_with("x-")).map(|(name, value)| (name, yaml::of(value)))
}

#[cfg(test)]
mod tests {
    use prost::Message;
    use serde_json::json;

    use super::messages::v2::additional_properties_item;
    use super::messages::{v2 as two, v3 as three};

    #[test]
    fn a_document_of_v3_is_read_as_messages() {
        let schema = json!({
            "type": "object",
            "required": ["a"],
            "properties": {
                "a": {"type": "string", "default": "", "maxLength": 3},
                "b": {"default": {}, "allOf": [{"$ref": "#/components/schemas/B"}]},
            },
            "x-kubernetes-map-type": "atomic",
        });
        let operation = json!({"operationId": "readA", "responses": {"200": {"description": "OK"}}});
        let document = json!({
            "openapi": "3.0.0",
            "info": {"title": "T", "version": "1"},
            "paths": {"/a": {"get": operation}},
            "components": {"schemas": {"A": schema}, "securitySchemes": {"S": {"type": "apiKey", "in": "header"}}},
        });
        let read = three::Document::decode(&*super::v3(&document.to_string()).unwrap()).unwrap();
        let paths = read.paths.unwrap().path;
        assert_eq!((paths.len(), &*paths[0].name), (1, "/a"));
        assert_eq!(paths[0].value.as_ref().unwrap().get.as_ref().unwrap().operation_id, "readA");
        let components = read.components.unwrap();
        assert_eq!(components.security_schemes.unwrap().additional_properties[0].name, "S");
        let schemas = components.schemas.unwrap().additional_properties;
        let Some(three::schema_or_reference::Oneof::Schema(schema)) = schemas[0].value.clone().unwrap().oneof
        else {
            panic!("{schemas:?}");
        };
        assert_eq!((schema.r#type, schema.required), ("object".to_owned(), vec!["a".to_owned()]));
        let extension = &schema.specification_extension[0];
        assert_eq!(
            (&*extension.name, &*extension.value.as_ref().unwrap().yaml),
            ("x-kubernetes-map-type", "atomic\n")
        );
        let fields = schema.properties.unwrap().additional_properties;
        let field = |at: usize| match fields[at].value.clone().unwrap().oneof {
            Some(three::schema_or_reference::Oneof::Schema(schema)) => schema,
            other => panic!("{other:?}"),
        };
        assert_eq!(field(0).max_length, 3);
        let default = field(0).default.unwrap().oneof;
        assert_eq!(default, Some(three::default_type::Oneof::String(String::new())));
        // An empty object has no place, and is not nothing.
        assert_eq!(field(1).default.unwrap().oneof, None);
        assert_eq!(field(1).all_of.len(), 1);
    }

    #[test]
    fn a_document_of_v2_is_read_as_messages() {
        let parameters = json!([
            {"name": "body", "in": "body", "required": true, "schema": {"$ref": "#/definitions/A"}},
            {"name": "name", "in": "path", "required": true, "type": "string"},
        ]);
        let document = json!({
            "swagger": "2.0",
            "info": {"title": "T", "version": "1"},
            "paths": {"/a": {"put": {"consumes": ["*/*"], "parameters": parameters, "responses": {}}}},
            "definitions": {"A": {"type": "object", "additionalProperties": {"type": "integer"}}},
            "security": [{"S": []}],
        });
        let read = two::Document::decode(&*super::v2(&document.to_string()).unwrap()).unwrap();
        let put = read.paths.unwrap().path[0].value.clone().unwrap().put.unwrap();
        assert_eq!((put.consumes, put.parameters.len()), (vec!["*/*".to_owned()], 2));
        let schema = read.definitions.unwrap().additional_properties[0].value.clone().unwrap();
        let Some(additional_properties_item::Oneof::Schema(values)) =
            schema.additional_properties.unwrap().oneof
        else {
            panic!("no schema of values");
        };
        assert_eq!(values.r#type.unwrap().value, ["integer"]);
        assert_eq!(read.security[0].additional_properties[0].name, "S");
        assert!(super::v2("[]").is_err() && super::v3("{").is_err());
    }
}
