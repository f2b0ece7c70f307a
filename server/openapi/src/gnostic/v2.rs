//! Documents of OpenAPI v2 as messages.

use std::collections::BTreeMap;

use prost::Message;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::messages::v2::{
    AdditionalPropertiesItem, Any, ApiKeySecurity, BodyParameter, Definitions, Document, ExternalDocs, Info,
    ItemsItem, JsonReference, NamedAny, NamedParameter, NamedPathItem, NamedResponseValue, NamedSchema,
    NamedSecurityDefinitionsItem, NamedStringArray, NonBodyParameter, Operation, Parameter,
    ParameterDefinitions, ParametersItem, PathItem, PathParameterSubSchema, Paths, Properties,
    QueryParameterSubSchema, Response, ResponseValue, Responses, Schema, SchemaItem, SecurityDefinitions,
    SecurityDefinitionsItem, SecurityRequirement, StringArray, TypeItem, additional_properties_item,
    non_body_parameter, parameter, parameters_item, response_value, schema_item, security_definitions_item,
};
use super::{append, extensions, flag, integer, items, members, number, text, texts, yaml};

/// A document, of which the large parts are not read yet.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Parts<'a> {
    swagger: String,
    #[serde(default)]
    info: Value,
    #[serde(borrow)]
    paths: BTreeMap<String, &'a RawValue>,
    #[serde(borrow)]
    definitions: BTreeMap<String, &'a RawValue>,
    #[serde(default)]
    parameters: Value,
    #[serde(default)]
    security: Value,
    #[serde(default)]
    security_definitions: Value,
}

/// Encodes a document in JSON. One path and one schema after the other is read: as values, all of them would take many
/// times the memory of their text.
pub(super) fn encode(document: &str) -> Result<Vec<u8>, serde_json::Error> {
    let parts: Parts<'_> = serde_json::from_str(document)?;
    let mut out = Document {
        swagger: parts.swagger,
        info: Some(Info {
            title: text(&parts.info, "title"),
            version: text(&parts.info, "version"),
            description: text(&parts.info, "description"),
        }),
        ..Document::default()
    }
    .encode_to_vec();
    let mut paths = Vec::new();
    for (name, item) in parts.paths {
        let item = path_item(&serde_json::from_str(item.get())?);
        let path = vec![NamedPathItem { name, value: Some(item) }];
        // A message is the encodings of its parts, one after the other.
        Paths { path }.encode(&mut paths).expect("a vector grows");
    }
    append(PATHS, &paths, &mut out);
    let mut definitions = Vec::new();
    for (name, schema) in parts.definitions {
        let schema = named_schema((&name, &serde_json::from_str(schema.get())?));
        let additional_properties = vec![schema];
        Definitions { additional_properties }.encode(&mut definitions).expect("a vector grows");
    }
    append(DEFINITIONS, &definitions, &mut out);
    rest(&parts.parameters, &parts.security, &parts.security_definitions)
        .encode(&mut out)
        .expect("a vector grows");
    Ok(out)
}

/// The number of the field of a document that has its paths.
const PATHS: u8 = 8;
/// The number of the field of a document that has its schemas.
const DEFINITIONS: u8 = 9;

/// What follows the paths and the schemas of a document.
fn rest(parameters: &Value, security: &Value, definitions: &Value) -> Document {
    let requirement = |requirement: &Value| SecurityRequirement {
        additional_properties: requirement
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, _)| NamedStringArray {
                name: name.clone(),
                value: Some(StringArray { value: texts(requirement, name) }),
            })
            .collect(),
    };
    Document {
        parameters: parameters.as_object().map(|all| ParameterDefinitions {
            additional_properties: all
                .iter()
                .map(|(name, value)| NamedParameter { name: name.clone(), value: Some(parameter(value)) })
                .collect(),
        }),
        security: security.as_array().into_iter().flatten().map(requirement).collect(),
        security_definitions: definitions.as_object().map(|schemes| SecurityDefinitions {
            additional_properties: schemes.iter().map(security_definition).collect(),
        }),
        ..Document::default()
    }
}

fn security_definition((name, scheme): (&String, &Value)) -> NamedSecurityDefinitionsItem {
    let key = ApiKeySecurity {
        r#type: text(scheme, "type"),
        name: text(scheme, "name"),
        r#in: text(scheme, "in"),
        description: text(scheme, "description"),
    };
    let oneof = Some(security_definitions_item::Oneof::ApiKeySecurity(key));
    NamedSecurityDefinitionsItem { name: name.clone(), value: Some(SecurityDefinitionsItem { oneof }) }
}

fn path_item(item: &Value) -> PathItem {
    let operation = |method: &str| item.get(method).map(operation);
    PathItem {
        get: operation("get"),
        put: operation("put"),
        post: operation("post"),
        delete: operation("delete"),
        options: operation("options"),
        head: operation("head"),
        patch: operation("patch"),
        parameters: items(item, "parameters").map(parameter_or_reference).collect(),
    }
}

fn operation(operation: &Value) -> Operation {
    Operation {
        tags: texts(operation, "tags"),
        description: text(operation, "description"),
        operation_id: text(operation, "operationId"),
        produces: texts(operation, "produces"),
        consumes: texts(operation, "consumes"),
        parameters: items(operation, "parameters").map(parameter_or_reference).collect(),
        responses: members(operation, "responses").map(|responses| Responses {
            response_code: responses
                .iter()
                .map(|(code, response)| NamedResponseValue {
                    name: code.clone(),
                    value: Some(self::response(response)),
                })
                .collect(),
        }),
        schemes: texts(operation, "schemes"),
        deprecated: flag(operation, "deprecated"),
        vendor_extension: named(operation),
    }
}

fn response(response: &Value) -> ResponseValue {
    let schema = response
        .get("schema")
        .map(|schema| SchemaItem { oneof: Some(schema_item::Oneof::Schema(self::schema(schema))) });
    let response = Response { description: text(response, "description"), schema };
    ResponseValue { oneof: Some(response_value::Oneof::Response(response)) }
}

fn parameter_or_reference(value: &Value) -> ParametersItem {
    let oneof = match value.get("$ref") {
        Some(_) => parameters_item::Oneof::JsonReference(JsonReference { r#ref: text(value, "$ref") }),
        None => parameters_item::Oneof::Parameter(parameter(value)),
    };
    ParametersItem { oneof: Some(oneof) }
}

fn parameter(parameter: &Value) -> Parameter {
    let (name, place) = (text(parameter, "name"), text(parameter, "in"));
    let (description, required) = (text(parameter, "description"), flag(parameter, "required"));
    let (kind, unique_items) = (text(parameter, "type"), flag(parameter, "uniqueItems"));
    let oneof = match place.as_str() {
        "body" => parameter::Oneof::BodyParameter(BodyParameter {
            description,
            name,
            r#in: place,
            required,
            schema: parameter.get("schema").map(schema),
        }),
        other => {
            let oneof = if other == "path" {
                non_body_parameter::Oneof::PathParameterSubSchema(PathParameterSubSchema {
                    required,
                    r#in: place,
                    description,
                    name,
                    r#type: kind,
                    unique_items,
                })
            } else {
                non_body_parameter::Oneof::QueryParameterSubSchema(QueryParameterSubSchema {
                    required,
                    r#in: place,
                    description,
                    name,
                    r#type: kind,
                    unique_items,
                })
            };
            parameter::Oneof::NonBodyParameter(NonBodyParameter { oneof: Some(oneof) })
        }
    };
    Parameter { oneof: Some(oneof) }
}

fn named_schema((name, schema): (&String, &Value)) -> NamedSchema {
    NamedSchema { name: name.clone(), value: Some(self::schema(schema)) }
}

fn schema(schema: &Value) -> Schema {
    Schema {
        r#ref: text(schema, "$ref"),
        format: text(schema, "format"),
        title: text(schema, "title"),
        description: text(schema, "description"),
        default: schema.get("default").map(any),
        multiple_of: number(schema, "multipleOf"),
        maximum: number(schema, "maximum"),
        exclusive_maximum: flag(schema, "exclusiveMaximum"),
        minimum: number(schema, "minimum"),
        exclusive_minimum: flag(schema, "exclusiveMinimum"),
        max_length: integer(schema, "maxLength"),
        min_length: integer(schema, "minLength"),
        pattern: text(schema, "pattern"),
        max_items: integer(schema, "maxItems"),
        min_items: integer(schema, "minItems"),
        unique_items: flag(schema, "uniqueItems"),
        max_properties: integer(schema, "maxProperties"),
        min_properties: integer(schema, "minProperties"),
        required: texts(schema, "required"),
        r#enum: items(schema, "enum").map(any).collect(),
        additional_properties: schema.get("additionalProperties").map(|values| {
            let oneof = match values {
                Value::Bool(allowed) => additional_properties_item::Oneof::Boolean(*allowed),
                values => additional_properties_item::Oneof::Schema(Box::new(self::schema(values))),
            };
            Box::new(AdditionalPropertiesItem { oneof: Some(oneof) })
        }),
        r#type: schema
            .get("type")
            .and_then(Value::as_str)
            .map(|name| TypeItem { value: vec![name.to_owned()] }),
        items: schema.get("items").map(|items| ItemsItem { schema: vec![self::schema(items)] }),
        all_of: items(schema, "allOf").map(self::schema).collect(),
        properties: members(schema, "properties").map(|properties| Properties {
            additional_properties: properties.iter().map(named_schema).collect(),
        }),
        external_docs: schema
            .get("externalDocs")
            .map(|docs| ExternalDocs { description: text(docs, "description"), url: text(docs, "url") }),
        example: schema.get("example").map(any),
        vendor_extension: named(schema),
    }
}

fn named(value: &Value) -> Vec<NamedAny> {
    extensions(value).map(|(name, yaml)| NamedAny { name: name.clone(), value: Some(Any { yaml }) }).collect()
}

fn any(value: &Value) -> Any {
    Any { yaml: yaml::of(value) }
}
