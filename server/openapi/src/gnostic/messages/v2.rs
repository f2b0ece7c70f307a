#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Document {
    #[prost(string, tag = "1")]
    pub swagger: ::prost::alloc::string::String,
    #[prost(message, optional, tag = "2")]
    pub info: ::core::option::Option<Info>,
    #[prost(message, optional, tag = "8")]
    pub paths: ::core::option::Option<Paths>,
    #[prost(message, optional, tag = "9")]
    pub definitions: ::core::option::Option<Definitions>,
    #[prost(message, optional, tag = "10")]
    pub parameters: ::core::option::Option<ParameterDefinitions>,
    #[prost(message, repeated, tag = "12")]
    pub security: ::prost::alloc::vec::Vec<SecurityRequirement>,
    #[prost(message, optional, tag = "13")]
    pub security_definitions: ::core::option::Option<SecurityDefinitions>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct Info {
    #[prost(string, tag = "1")]
    pub title: ::prost::alloc::string::String,
    #[prost(string, tag = "2")]
    pub version: ::prost::alloc::string::String,
    #[prost(string, tag = "3")]
    pub description: ::prost::alloc::string::String,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct SecurityRequirement {
    #[prost(message, repeated, tag = "1")]
    pub additional_properties: ::prost::alloc::vec::Vec<NamedStringArray>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct NamedStringArray {
    #[prost(string, tag = "1")]
    pub name: ::prost::alloc::string::String,
    #[prost(message, optional, tag = "2")]
    pub value: ::core::option::Option<StringArray>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct StringArray {
    #[prost(string, repeated, tag = "1")]
    pub value: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct SecurityDefinitions {
    #[prost(message, repeated, tag = "1")]
    pub additional_properties: ::prost::alloc::vec::Vec<NamedSecurityDefinitionsItem>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct NamedSecurityDefinitionsItem {
    #[prost(string, tag = "1")]
    pub name: ::prost::alloc::string::String,
    #[prost(message, optional, tag = "2")]
    pub value: ::core::option::Option<SecurityDefinitionsItem>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct SecurityDefinitionsItem {
    #[prost(oneof = "security_definitions_item::Oneof", tags = "2")]
    pub oneof: ::core::option::Option<security_definitions_item::Oneof>,
}
/// Nested message and enum types in `SecurityDefinitionsItem`.
pub mod security_definitions_item {
    #[derive(Clone, PartialEq, Eq, Hash, ::prost::Oneof)]
    pub enum Oneof {
        #[prost(message, tag = "2")]
        ApiKeySecurity(super::ApiKeySecurity),
    }
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ApiKeySecurity {
    #[prost(string, tag = "1")]
    pub r#type: ::prost::alloc::string::String,
    #[prost(string, tag = "2")]
    pub name: ::prost::alloc::string::String,
    #[prost(string, tag = "3")]
    pub r#in: ::prost::alloc::string::String,
    #[prost(string, tag = "4")]
    pub description: ::prost::alloc::string::String,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Paths {
    #[prost(message, repeated, tag = "2")]
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
    #[prost(message, optional, tag = "2")]
    pub get: ::core::option::Option<Operation>,
    #[prost(message, optional, tag = "3")]
    pub put: ::core::option::Option<Operation>,
    #[prost(message, optional, tag = "4")]
    pub post: ::core::option::Option<Operation>,
    #[prost(message, optional, tag = "5")]
    pub delete: ::core::option::Option<Operation>,
    #[prost(message, optional, tag = "6")]
    pub options: ::core::option::Option<Operation>,
    #[prost(message, optional, tag = "7")]
    pub head: ::core::option::Option<Operation>,
    #[prost(message, optional, tag = "8")]
    pub patch: ::core::option::Option<Operation>,
    #[prost(message, repeated, tag = "9")]
    pub parameters: ::prost::alloc::vec::Vec<ParametersItem>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Operation {
    #[prost(string, repeated, tag = "1")]
    pub tags: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    #[prost(string, tag = "3")]
    pub description: ::prost::alloc::string::String,
    #[prost(string, tag = "5")]
    pub operation_id: ::prost::alloc::string::String,
    #[prost(string, repeated, tag = "6")]
    pub produces: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    #[prost(string, repeated, tag = "7")]
    pub consumes: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    #[prost(message, repeated, tag = "8")]
    pub parameters: ::prost::alloc::vec::Vec<ParametersItem>,
    #[prost(message, optional, tag = "9")]
    pub responses: ::core::option::Option<Responses>,
    #[prost(string, repeated, tag = "10")]
    pub schemes: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    #[prost(bool, tag = "11")]
    pub deprecated: bool,
    #[prost(message, repeated, tag = "13")]
    pub vendor_extension: ::prost::alloc::vec::Vec<NamedAny>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ParameterDefinitions {
    #[prost(message, repeated, tag = "1")]
    pub additional_properties: ::prost::alloc::vec::Vec<NamedParameter>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct NamedParameter {
    #[prost(string, tag = "1")]
    pub name: ::prost::alloc::string::String,
    #[prost(message, optional, tag = "2")]
    pub value: ::core::option::Option<Parameter>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ParametersItem {
    #[prost(oneof = "parameters_item::Oneof", tags = "1, 2")]
    pub oneof: ::core::option::Option<parameters_item::Oneof>,
}
/// Nested message and enum types in `ParametersItem`.
pub mod parameters_item {
    #[derive(Clone, PartialEq, ::prost::Oneof)]
    pub enum Oneof {
        #[prost(message, tag = "1")]
        Parameter(super::Parameter),
        #[prost(message, tag = "2")]
        JsonReference(super::JsonReference),
    }
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct JsonReference {
    #[prost(string, tag = "1")]
    pub r#ref: ::prost::alloc::string::String,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Parameter {
    #[prost(oneof = "parameter::Oneof", tags = "1, 2")]
    pub oneof: ::core::option::Option<parameter::Oneof>,
}
/// Nested message and enum types in `Parameter`.
pub mod parameter {
    #[derive(Clone, PartialEq, ::prost::Oneof)]
    pub enum Oneof {
        #[prost(message, tag = "1")]
        BodyParameter(super::BodyParameter),
        #[prost(message, tag = "2")]
        NonBodyParameter(super::NonBodyParameter),
    }
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct BodyParameter {
    #[prost(string, tag = "1")]
    pub description: ::prost::alloc::string::String,
    #[prost(string, tag = "2")]
    pub name: ::prost::alloc::string::String,
    #[prost(string, tag = "3")]
    pub r#in: ::prost::alloc::string::String,
    #[prost(bool, tag = "4")]
    pub required: bool,
    #[prost(message, optional, tag = "5")]
    pub schema: ::core::option::Option<Schema>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct NonBodyParameter {
    #[prost(oneof = "non_body_parameter::Oneof", tags = "3, 4")]
    pub oneof: ::core::option::Option<non_body_parameter::Oneof>,
}
/// Nested message and enum types in `NonBodyParameter`.
pub mod non_body_parameter {
    #[derive(Clone, PartialEq, Eq, Hash, ::prost::Oneof)]
    pub enum Oneof {
        #[prost(message, tag = "3")]
        QueryParameterSubSchema(super::QueryParameterSubSchema),
        #[prost(message, tag = "4")]
        PathParameterSubSchema(super::PathParameterSubSchema),
    }
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct QueryParameterSubSchema {
    #[prost(bool, tag = "1")]
    pub required: bool,
    #[prost(string, tag = "2")]
    pub r#in: ::prost::alloc::string::String,
    #[prost(string, tag = "3")]
    pub description: ::prost::alloc::string::String,
    #[prost(string, tag = "4")]
    pub name: ::prost::alloc::string::String,
    #[prost(string, tag = "6")]
    pub r#type: ::prost::alloc::string::String,
    #[prost(bool, tag = "20")]
    pub unique_items: bool,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct PathParameterSubSchema {
    #[prost(bool, tag = "1")]
    pub required: bool,
    #[prost(string, tag = "2")]
    pub r#in: ::prost::alloc::string::String,
    #[prost(string, tag = "3")]
    pub description: ::prost::alloc::string::String,
    #[prost(string, tag = "4")]
    pub name: ::prost::alloc::string::String,
    #[prost(string, tag = "5")]
    pub r#type: ::prost::alloc::string::String,
    #[prost(bool, tag = "19")]
    pub unique_items: bool,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Responses {
    #[prost(message, repeated, tag = "1")]
    pub response_code: ::prost::alloc::vec::Vec<NamedResponseValue>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct NamedResponseValue {
    #[prost(string, tag = "1")]
    pub name: ::prost::alloc::string::String,
    #[prost(message, optional, tag = "2")]
    pub value: ::core::option::Option<ResponseValue>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ResponseValue {
    #[prost(oneof = "response_value::Oneof", tags = "1")]
    pub oneof: ::core::option::Option<response_value::Oneof>,
}
/// Nested message and enum types in `ResponseValue`.
pub mod response_value {
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
    #[prost(message, optional, tag = "2")]
    pub schema: ::core::option::Option<SchemaItem>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct SchemaItem {
    #[prost(oneof = "schema_item::Oneof", tags = "1")]
    pub oneof: ::core::option::Option<schema_item::Oneof>,
}
/// Nested message and enum types in `SchemaItem`.
pub mod schema_item {
    #[derive(Clone, PartialEq, ::prost::Oneof)]
    pub enum Oneof {
        #[prost(message, tag = "1")]
        Schema(super::Schema),
    }
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Definitions {
    #[prost(message, repeated, tag = "1")]
    pub additional_properties: ::prost::alloc::vec::Vec<NamedSchema>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct NamedSchema {
    #[prost(string, tag = "1")]
    pub name: ::prost::alloc::string::String,
    #[prost(message, optional, tag = "2")]
    pub value: ::core::option::Option<Schema>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Schema {
    #[prost(string, tag = "1")]
    pub r#ref: ::prost::alloc::string::String,
    #[prost(string, tag = "2")]
    pub format: ::prost::alloc::string::String,
    #[prost(string, tag = "3")]
    pub title: ::prost::alloc::string::String,
    #[prost(string, tag = "4")]
    pub description: ::prost::alloc::string::String,
    #[prost(message, optional, tag = "5")]
    pub default: ::core::option::Option<Any>,
    #[prost(double, tag = "6")]
    pub multiple_of: f64,
    #[prost(double, tag = "7")]
    pub maximum: f64,
    #[prost(bool, tag = "8")]
    pub exclusive_maximum: bool,
    #[prost(double, tag = "9")]
    pub minimum: f64,
    #[prost(bool, tag = "10")]
    pub exclusive_minimum: bool,
    #[prost(int64, tag = "11")]
    pub max_length: i64,
    #[prost(int64, tag = "12")]
    pub min_length: i64,
    #[prost(string, tag = "13")]
    pub pattern: ::prost::alloc::string::String,
    #[prost(int64, tag = "14")]
    pub max_items: i64,
    #[prost(int64, tag = "15")]
    pub min_items: i64,
    #[prost(bool, tag = "16")]
    pub unique_items: bool,
    #[prost(int64, tag = "17")]
    pub max_properties: i64,
    #[prost(int64, tag = "18")]
    pub min_properties: i64,
    #[prost(string, repeated, tag = "19")]
    pub required: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    #[prost(message, repeated, tag = "20")]
    pub r#enum: ::prost::alloc::vec::Vec<Any>,
    #[prost(message, optional, boxed, tag = "21")]
    pub additional_properties: ::core::option::Option<
        ::prost::alloc::boxed::Box<AdditionalPropertiesItem>,
    >,
    #[prost(message, optional, tag = "22")]
    pub r#type: ::core::option::Option<TypeItem>,
    #[prost(message, optional, tag = "23")]
    pub items: ::core::option::Option<ItemsItem>,
    #[prost(message, repeated, tag = "24")]
    pub all_of: ::prost::alloc::vec::Vec<Schema>,
    #[prost(message, optional, tag = "25")]
    pub properties: ::core::option::Option<Properties>,
    #[prost(message, optional, tag = "29")]
    pub external_docs: ::core::option::Option<ExternalDocs>,
    #[prost(message, optional, tag = "30")]
    pub example: ::core::option::Option<Any>,
    #[prost(message, repeated, tag = "31")]
    pub vendor_extension: ::prost::alloc::vec::Vec<NamedAny>,
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
        Schema(::prost::alloc::boxed::Box<super::Schema>),
        #[prost(bool, tag = "2")]
        Boolean(bool),
    }
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct TypeItem {
    #[prost(string, repeated, tag = "1")]
    pub value: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ItemsItem {
    #[prost(message, repeated, tag = "1")]
    pub schema: ::prost::alloc::vec::Vec<Schema>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Properties {
    #[prost(message, repeated, tag = "1")]
    pub additional_properties: ::prost::alloc::vec::Vec<NamedSchema>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ExternalDocs {
    #[prost(string, tag = "1")]
    pub description: ::prost::alloc::string::String,
    #[prost(string, tag = "2")]
    pub url: ::prost::alloc::string::String,
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
