//! Documents of OpenAPI v3 as messages.

use serde_json::Value;

use super::messages::v3::{
    AdditionalPropertiesItem, Any, Components, DefaultType, Document, ExternalDocs, Info, ItemsItem,
    MediaType, MediaTypes, NamedAny, NamedMediaType, NamedPathItem, NamedResponseOrReference,
    NamedSchemaOrReference, NamedSecuritySchemeOrReference, Operation, Parameter, ParameterOrReference,
    PathItem, Paths, Properties, Reference, RequestBody, RequestBodyOrReference, Response,
    ResponseOrReference, Responses, Schema, SchemaOrReference, SchemasOrReferences, SecurityScheme,
    SecuritySchemeOrReference, SecuritySchemesOrReferences, additional_properties_item, default_type,
    parameter_or_reference, request_body_or_reference, response_or_reference, schema_or_reference,
    security_scheme_or_reference,
};
use super::{extensions, flag, integer, items, members, number, text, texts, yaml};

pub(super) fn document(document: &Value) -> Document {
    Document {
        openapi: text(document, "openapi"),
        info: document.get("info").map(|info| Info {
            title: text(info, "title"),
            description: text(info, "description"),
            version: text(info, "version"),
        }),
        paths: members(document, "paths").map(|paths| Paths {
            path: paths
                .iter()
                .map(|(name, item)| NamedPathItem { name: name.clone(), value: Some(path_item(item)) })
                .collect(),
        }),
        components: document.get("components").map(components),
    }
}

fn components(components: &Value) -> Components {
    let scheme = |scheme: &Value| SecurityScheme {
        r#type: text(scheme, "type"),
        description: text(scheme, "description"),
        name: text(scheme, "name"),
        r#in: text(scheme, "in"),
    };
    Components {
        schemas: members(components, "schemas").map(|schemas| SchemasOrReferences {
            additional_properties: schemas.iter().map(named_schema).collect(),
        }),
        security_schemes: members(components, "securitySchemes").map(|schemes| SecuritySchemesOrReferences {
            additional_properties: schemes
                .iter()
                .map(|(name, value)| NamedSecuritySchemeOrReference {
                    name: name.clone(),
                    value: Some(SecuritySchemeOrReference {
                        oneof: Some(security_scheme_or_reference::Oneof::SecurityScheme(scheme(value))),
                    }),
                })
                .collect(),
        }),
    }
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
        parameters: items(item, "parameters").map(parameter).collect(),
    }
}

fn operation(operation: &Value) -> Operation {
    Operation {
        tags: texts(operation, "tags"),
        description: text(operation, "description"),
        operation_id: text(operation, "operationId"),
        parameters: items(operation, "parameters").map(parameter).collect(),
        request_body: operation.get("requestBody").map(|body| RequestBodyOrReference {
            oneof: Some(request_body_or_reference::Oneof::RequestBody(RequestBody {
                description: text(body, "description"),
                content: content(body),
                required: flag(body, "required"),
            })),
        }),
        responses: members(operation, "responses").map(|responses| Responses {
            response_or_reference: responses
                .iter()
                .map(|(code, response)| NamedResponseOrReference {
                    name: code.clone(),
                    value: Some(self::response(response)),
                })
                .collect(),
        }),
        deprecated: flag(operation, "deprecated"),
        specification_extension: named(operation),
    }
}

fn response(response: &Value) -> ResponseOrReference {
    let response = Response { description: text(response, "description"), content: content(response) };
    ResponseOrReference { oneof: Some(response_or_reference::Oneof::Response(response)) }
}

fn parameter(parameter: &Value) -> ParameterOrReference {
    let parameter = Parameter {
        name: text(parameter, "name"),
        r#in: text(parameter, "in"),
        description: text(parameter, "description"),
        required: flag(parameter, "required"),
        schema: parameter.get("schema").map(schema_or_reference),
    };
    ParameterOrReference { oneof: Some(parameter_or_reference::Oneof::Parameter(parameter)) }
}

fn content(of: &Value) -> Option<MediaTypes> {
    let content = members(of, "content")?;
    let media = |(name, media): (&String, &Value)| NamedMediaType {
        name: name.clone(),
        value: Some(MediaType { schema: media.get("schema").map(schema_or_reference) }),
    };
    Some(MediaTypes { additional_properties: content.iter().map(media).collect() })
}

fn named_schema((name, schema): (&String, &Value)) -> NamedSchemaOrReference {
    NamedSchemaOrReference { name: name.clone(), value: Some(schema_or_reference(schema)) }
}

fn schema_or_reference(schema: &Value) -> SchemaOrReference {
    let oneof = match schema.get("$ref").and_then(Value::as_str) {
        Some(reference) => schema_or_reference::Oneof::Reference(Reference { r#ref: reference.to_owned() }),
        None => schema_or_reference::Oneof::Schema(Box::new(self::schema(schema))),
    };
    SchemaOrReference { oneof: Some(oneof) }
}

fn schema(schema: &Value) -> Schema {
    let all = |key: &str| items(schema, key).map(schema_or_reference).collect();
    Schema {
        nullable: flag(schema, "nullable"),
        external_docs: schema
            .get("externalDocs")
            .map(|docs| ExternalDocs { description: text(docs, "description"), url: text(docs, "url") }),
        example: schema.get("example").map(any),
        title: text(schema, "title"),
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
        r#type: text(schema, "type"),
        all_of: all("allOf"),
        one_of: all("oneOf"),
        any_of: all("anyOf"),
        not: schema.get("not").map(|not| Box::new(self::schema(not))),
        items: schema
            .get("items")
            .map(|items| ItemsItem { schema_or_reference: vec![schema_or_reference(items)] }),
        properties: members(schema, "properties").map(|properties| Properties {
            additional_properties: properties.iter().map(named_schema).collect(),
        }),
        additional_properties: schema.get("additionalProperties").map(|values| {
            let oneof = match values {
                Value::Bool(allowed) => additional_properties_item::Oneof::Boolean(*allowed),
                values => additional_properties_item::Oneof::SchemaOrReference(Box::new(
                    schema_or_reference(values),
                )),
            };
            Box::new(AdditionalPropertiesItem { oneof: Some(oneof) })
        }),
        default: schema.get("default").map(default),
        description: text(schema, "description"),
        format: text(schema, "format"),
        specification_extension: named(schema),
    }
}

fn default(value: &Value) -> DefaultType {
    let oneof = match value {
        Value::String(text) => Some(default_type::Oneof::String(text.clone())),
        Value::Bool(flag) => Some(default_type::Oneof::Boolean(*flag)),
        Value::Number(number) => number.as_f64().map(default_type::Oneof::Number),
        // The format has no place for others, and clients of gnostic read nothing there.
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    };
    DefaultType { oneof }
}

fn named(value: &Value) -> Vec<NamedAny> {
    extensions(value).map(|(name, yaml)| NamedAny { name: name.clone(), value: Some(Any { yaml }) }).collect()
}

fn any(value: &Value) -> Any {
    Any { yaml: yaml::of(value) }
}
