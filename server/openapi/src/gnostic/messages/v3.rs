#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Document {
    #[prost(string, tag = "1")]
    pub openapi: ::prost::alloc::string::String,
    #[prost(message, optional, tag = "2")]
    pub info: ::core::option::Option<Info>,
    #[prost(message, optional, tag = "4")]
    pub paths: ::core::option::Option<Paths>,
    #[prost(message, optional, tag = "5")]
    pub components: ::core::option::Option<Components>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct Info {
    #[prost(string, tag = "1")]
    pub title: ::prost::alloc::string::String,
    #[prost(string, tag = "2")]
    pub description: ::prost::alloc::string::String,
    #[prost(string, tag = "6")]
    pub version: ::prost::alloc::string::String,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Paths {
    #[prost(message, repeated, tag = "1")]
    pub path: ::prost::alloc::vec::Vec<NamedPathItem>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct NamedPathItem {
    #[prost(string, tag = "1")]
    pub name: ::prost::alloc::string::String,
    #[prost(message, optional, tag = "2")]
    pub value: ::core::option::Option<PathItem>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct PathItem {
    #[prost(message, optional, tag = "4")]
    pub get: ::core::option::Option<Operation>,
    #[prost(message, optional, tag = "5")]
    pub put: ::core::option::Option<Operation>,
    #[prost(message, optional, tag = "6")]
    pub post: ::core::option::Option<Operation>,
    #[prost(message, optional, tag = "7")]
    pub delete: ::core::option::Option<Operation>,
    #[prost(message, optional, tag = "8")]
    pub options: ::core::option::Option<Operation>,
    #[prost(message, optional, tag = "9")]
    pub head: ::core::option::Option<Operation>,
    #[prost(message, optional, tag = "10")]
    pub patch: ::core::option::Option<Operation>,
    #[prost(message, repeated, tag = "13")]
    pub parameters: ::prost::alloc::vec::Vec<ParameterOrReference>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Operation {
    #[prost(string, repeated, tag = "1")]
    pub tags: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    #[prost(string, tag = "3")]
    pub description: ::prost::alloc::string::String,
    #[prost(string, tag = "5")]
    pub operation_id: ::prost::alloc::string::String,
    #[prost(message, repeated, tag = "6")]
    pub parameters: ::prost::alloc::vec::Vec<ParameterOrReference>,
    #[prost(message, optional, tag = "7")]
    pub request_body: ::core::option::Option<RequestBodyOrReference>,
    #[prost(message, optional, tag = "8")]
    pub responses: ::core::option::Option<Responses>,
    #[prost(bool, tag = "10")]
    pub deprecated: bool,
    #[prost(message, repeated, tag = "13")]
    pub specification_extension: ::prost::alloc::vec::Vec<NamedAny>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ParameterOrReference {
    #[prost(oneof = "parameter_or_reference::Oneof", tags = "1")]
    pub oneof: ::core::option::Option<parameter_or_reference::Oneof>,
}
/// Nested message and enum types in `ParameterOrReference`.
pub mod parameter_or_reference {
    #[derive(Clone, PartialEq, ::prost::Oneof)]
    pub enum Oneof {
        #[prost(message, tag = "1")]
        Parameter(super::Parameter),
    }
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Parameter {
    #[prost(string, tag = "1")]
    pub name: ::prost::alloc::string::String,
    #[prost(string, tag = "2")]
    pub r#in: ::prost::alloc::string::String,
    #[prost(string, tag = "3")]
    pub description: ::prost::alloc::string::String,
    #[prost(bool, tag = "4")]
    pub required: bool,
    #[prost(message, optional, tag = "10")]
    pub schema: ::core::option::Option<SchemaOrReference>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct RequestBodyOrReference {
    #[prost(oneof = "request_body_or_reference::Oneof", tags = "1")]
    pub oneof: ::core::option::Option<request_body_or_reference::Oneof>,
}
/// Nested message and enum types in `RequestBodyOrReference`.
pub mod request_body_or_reference {
    #[derive(Clone, PartialEq, ::prost::Oneof)]
    pub enum Oneof {
        #[prost(message, tag = "1")]
        RequestBody(super::RequestBody),
    }
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct RequestBody {
    #[prost(string, tag = "1")]
    pub description: ::prost::alloc::string::String,
    #[prost(message, optional, tag = "2")]
    pub content: ::core::option::Option<MediaTypes>,
    #[prost(bool, tag = "3")]
    pub required: bool,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct MediaTypes {
    #[prost(message, repeated, tag = "1")]
    pub additional_properties: ::prost::alloc::vec::Vec<NamedMediaType>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct NamedMediaType {
    #[prost(string, tag = "1")]
    pub name: ::prost::alloc::string::String,
    #[prost(message, optional, tag = "2")]
    pub value: ::core::option::Option<MediaType>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct MediaType {
    #[prost(message, optional, tag = "1")]
    pub schema: ::core::option::Option<SchemaOrReference>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Responses {
    #[prost(message, repeated, tag = "2")]
    pub response_or_reference: ::prost::alloc::vec::Vec<NamedResponseOrReference>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct NamedResponseOrReference {
    #[prost(string, tag = "1")]
    pub name: ::prost::alloc::string::String,
    #[prost(message, optional, tag = "2")]
    pub value: ::core::option::Option<ResponseOrReference>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ResponseOrReference {
    #[prost(oneof = "response_or_reference::Oneof", tags = "1")]
    pub oneof: ::core::option::Option<response_or_reference::Oneof>,
}
/// Nested message and enum types in `ResponseOrReference`.
pub mod response_or_reference {
    #[derive(Clone, PartialEq, ::prost::Oneof)]
    pub enum Oneof {
        #[prost(message, tag = "1")]
        Response(super::Response),
    }
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Response {
    #[prost(string, tag = "1")]
    pub description: ::prost::alloc::string::String,
    #[prost(message, optional, tag = "3")]
    pub content: ::core::option::Option<MediaTypes>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Components {
    #[prost(message, optional, tag = "1")]
    pub schemas: ::core::option::Option<SchemasOrReferences>,
    #[prost(message, optional, tag = "7")]
    pub security_schemes: ::core::option::Option<SecuritySchemesOrReferences>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct SchemasOrReferences {
    #[prost(message, repeated, tag = "1")]
    pub additional_properties: ::prost::alloc::vec::Vec<NamedSchemaOrReference>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct SecuritySchemesOrReferences {
    #[prost(message, repeated, tag = "1")]
    pub additional_properties: ::prost::alloc::vec::Vec<NamedSecuritySchemeOrReference>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct NamedSecuritySchemeOrReference {
    #[prost(string, tag = "1")]
    pub name: ::prost::alloc::string::String,
    #[prost(message, optional, tag = "2")]
    pub value: ::core::option::Option<SecuritySchemeOrReference>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct SecuritySchemeOrReference {
    #[prost(oneof = "security_scheme_or_reference::Oneof", tags = "1")]
    pub oneof: ::core::option::Option<security_scheme_or_reference::Oneof>,
}
/// Nested message and enum types in `SecuritySchemeOrReference`.
pub mod security_scheme_or_reference {
    #[derive(Clone, PartialEq, Eq, Hash, ::prost::Oneof)]
    pub enum Oneof {
        #[prost(message, tag = "1")]
        SecurityScheme(super::SecurityScheme),
    }
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct SecurityScheme {
    #[prost(string, tag = "1")]
    pub r#type: ::prost::alloc::string::String,
    #[prost(string, tag = "2")]
    pub description: ::prost::alloc::string::String,
    #[prost(string, tag = "3")]
    pub name: ::prost::alloc::string::String,
    #[prost(string, tag = "4")]
    pub r#in: ::prost::alloc::string::String,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct NamedSchemaOrReference {
    #[prost(string, tag = "1")]
    pub name: ::prost::alloc::string::String,
    #[prost(message, optional, tag = "2")]
    pub value: ::core::option::Option<SchemaOrReference>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct SchemaOrReference {
    #[prost(oneof = "schema_or_reference::Oneof", tags = "1, 2")]
    pub oneof: ::core::option::Option<schema_or_reference::Oneof>,
}
/// Nested message and enum types in `SchemaOrReference`.
pub mod schema_or_reference {
    #[derive(Clone, PartialEq, ::prost::Oneof)]
    pub enum Oneof {
        #[prost(message, tag = "1")]
        Schema(::prost::alloc::boxed::Box<super::Schema>),
        #[prost(message, tag = "2")]
        Reference(super::Reference),
    }
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct Reference {
    #[prost(string, tag = "1")]
    pub r#ref: ::prost::alloc::string::String,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Schema {
    #[prost(bool, tag = "1")]
    pub nullable: bool,
    #[prost(message, optional, tag = "6")]
    pub external_docs: ::core::option::Option<ExternalDocs>,
    #[prost(message, optional, tag = "7")]
    pub example: ::core::option::Option<Any>,
    #[prost(string, tag = "9")]
    pub title: ::prost::alloc::string::String,
    #[prost(double, tag = "10")]
    pub multiple_of: f64,
    #[prost(double, tag = "11")]
    pub maximum: f64,
    #[prost(bool, tag = "12")]
    pub exclusive_maximum: bool,
    #[prost(double, tag = "13")]
    pub minimum: f64,
    #[prost(bool, tag = "14")]
    pub exclusive_minimum: bool,
    #[prost(int64, tag = "15")]
    pub max_length: i64,
    #[prost(int64, tag = "16")]
    pub min_length: i64,
    #[prost(string, tag = "17")]
    pub pattern: ::prost::alloc::string::String,
    #[prost(int64, tag = "18")]
    pub max_items: i64,
    #[prost(int64, tag = "19")]
    pub min_items: i64,
    #[prost(bool, tag = "20")]
    pub unique_items: bool,
    #[prost(int64, tag = "21")]
    pub max_properties: i64,
    #[prost(int64, tag = "22")]
    pub min_properties: i64,
    #[prost(string, repeated, tag = "23")]
    pub required: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    #[prost(message, repeated, tag = "24")]
    pub r#enum: ::prost::alloc::vec::Vec<Any>,
    #[prost(string, tag = "25")]
    pub r#type: ::prost::alloc::string::String,
    #[prost(message, repeated, tag = "26")]
    pub all_of: ::prost::alloc::vec::Vec<SchemaOrReference>,
    #[prost(message, repeated, tag = "27")]
    pub one_of: ::prost::alloc::vec::Vec<SchemaOrReference>,
    #[prost(message, repeated, tag = "28")]
    pub any_of: ::prost::alloc::vec::Vec<SchemaOrReference>,
    #[prost(message, optional, boxed, tag = "29")]
    pub not: ::core::option::Option<::prost::alloc::boxed::Box<Schema>>,
    #[prost(message, optional, tag = "30")]
    pub items: ::core::option::Option<ItemsItem>,
    #[prost(message, optional, tag = "31")]
    pub properties: ::core::option::Option<Properties>,
    #[prost(message, optional, boxed, tag = "32")]
    pub additional_properties: ::core::option::Option<
        ::prost::alloc::boxed::Box<AdditionalPropertiesItem>,
    >,
    #[prost(message, optional, tag = "33")]
    pub default: ::core::option::Option<DefaultType>,
    #[prost(string, tag = "34")]
    pub description: ::prost::alloc::string::String,
    #[prost(string, tag = "35")]
    pub format: ::prost::alloc::string::String,
    #[prost(message, repeated, tag = "36")]
    pub specification_extension: ::prost::alloc::vec::Vec<NamedAny>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ExternalDocs {
    #[prost(string, tag = "1")]
    pub description: ::prost::alloc::string::String,
    #[prost(string, tag = "2")]
    pub url: ::prost::alloc::string::String,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ItemsItem {
    #[prost(message, repeated, tag = "1")]
    pub schema_or_reference: ::prost::alloc::vec::Vec<SchemaOrReference>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Properties {
    #[prost(message, repeated, tag = "1")]
    pub additional_properties: ::prost::alloc::vec::Vec<NamedSchemaOrReference>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct AdditionalPropertiesItem {
    #[prost(oneof = "additional_properties_item::Oneof", tags = "1, 2")]
    pub oneof: ::core::option::Option<additional_properties_item::Oneof>,
}
/// Nested message and enum types in `AdditionalPropertiesItem`.
pub mod additional_properties_item {
    #[derive(Clone, PartialEq, ::prost::Oneof)]
    pub enum Oneof {
        #[prost(message, tag = "1")]
        SchemaOrReference(::prost::alloc::boxed::Box<super::SchemaOrReference>),
        #[prost(bool, tag = "2")]
        Boolean(bool),
    }
}
/// The default of a text, a number or a boolean. Other defaults have no place in the format.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct DefaultType {
    #[prost(oneof = "default_type::Oneof", tags = "1, 2, 3")]
    pub oneof: ::core::option::Option<default_type::Oneof>,
}
/// Nested message and enum types in `DefaultType`.
pub mod default_type {
    #[derive(Clone, PartialEq, ::prost::Oneof)]
    pub enum Oneof {
        #[prost(double, tag = "1")]
        Number(f64),
        #[prost(bool, tag = "2")]
        Boolean(bool),
        #[prost(string, tag = "3")]
        String(::prost::alloc::string::String),
    }
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct NamedAny {
    #[prost(string, tag = "1")]
    pub name: ::prost::alloc::string::String,
    #[prost(message, optional, tag = "2")]
    pub value: ::core::option::Option<Any>,
}
/// A value of any form, as YAML.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct Any {
    #[prost(string, tag = "2")]
    pub yaml: ::prost::alloc::string::String,
}
