//! Documents of OpenAPI v3 as messages.

use std::collections::BTreeMap;

use prost::Message;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

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
use super::{append, extensions, flag, integer, items, members, number, text, texts, yaml};

/// A document, of which the large parts are not read yet.
#[derive(Deserialize)]
struct Parts<'a> {
    openapi: String,
    #[serde(default)]
    info: Value,
    #[serde(borrow)]
    paths: BTreeMap<String, &'a RawValue>,
    #[serde(borrow, default)]
    components: Option<ComponentParts<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ComponentParts<'a> {
    #[serde(borrow, default)]
    schemas: Option<BTreeMap<String, &'a RawValue>>,
    #[serde(default)]
    security_schemes: Value,
}

/// Encodes a document in JSON. One path and one schema after the other is read, as in OpenAPI v2.
pub(super) fn encode(document: &str) -> Result<Vec<u8>, serde_json::Error> {
    let parts: Parts<'_> = serde_json::from_str(document)?;
    let mut out = Document {
        openapi: parts.openapi,
        info: Some(Info {
            title: text(&parts.info, "title"),
            description: text(&parts.info, "description"),
            version: text(&parts.info, "version"),
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
    if let Some(ComponentParts { schemas, security_schemes }) = parts.components {
        let mut components = Vec::new();
        if let Some(all) = schemas {
            let mut schemas = Vec::new();
            for (name, schema) in all {
                let additional_properties = vec![named_schema((&name, &serde_json::from_str(schema.get())?))];
                SchemasOrReferences { additional_properties }.encode(&mut schemas).expect("a vector grows");
            }
            append(SCHEMAS, &schemas, &mut components);
        }
        let security_schemes = self::security_schemes(&security_schemes);
        Components { security_schemes, ..Components::default() }
            .encode(&mut components)
            .expect("a vector grows");
        append(COMPONENTS, &components, &mut out);
    }
    Ok(out)
}

/// The number of the field of a document that has its paths.
const PATHS: u8 = 4;
/// The number of the field of a document that has its components.
const COMPONENTS: u8 = 5;
/// The number of the field of components that has the schemas.
const SCHEMAS: u8 = 1;

fn security_schemes(schemes: &Value) -> Option<SecuritySchemesOrReferences> {
    let scheme = |scheme: &Value| SecurityScheme {
        r#type: text(scheme, "type"),
        description: text(scheme, "description"),
        name: text(scheme, "name"),
        r#in: text(scheme, "in"),
    };
    Some(SecuritySchemesOrReferences {
        additional_properties: schemes
            .as_object()?
            .iter()
            .map(|(name, value)| NamedSecuritySchemeOrReference {
                name: name.clone(),
                value: Some(SecuritySchemeOrReference {
                    oneof: Some(security_scheme_or_reference::Oneof::SecurityScheme(scheme(value))),
                }),
            })
            .collect(),
    })
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
