//! The parameters of operations.

use openapiv3::{
    IntegerType, Parameter, ParameterData, ParameterSchemaOrContent, PathStyle, QueryStyle, ReferenceOr,
    Schema, SchemaData, SchemaKind, StringType, Type,
};

/// The parameters of a list, which are those of a watch, too.
pub(crate) const LIST: [&str; 10] = [
    "allowWatchBookmarks",
    "continue",
    "fieldSelector",
    "labelSelector",
    "limit",
    "resourceVersion",
    "resourceVersionMatch",
    "sendInitialEvents",
    "timeoutSeconds",
    "watch",
];

/// The parameters of the deletion of one object.
pub(crate) const DELETE: [&str; 5] = [
    "dryRun",
    "gracePeriodSeconds",
    "ignoreStoreReadErrorWithClusterBreakingPotential",
    "orphanDependents",
    "propagationPolicy",
];

/// The parameters of the deletion of a collection.
pub(crate) const DELETE_COLLECTION: [&str; 13] = [
    "continue",
    "dryRun",
    "fieldSelector",
    "gracePeriodSeconds",
    "ignoreStoreReadErrorWithClusterBreakingPotential",
    "labelSelector",
    "limit",
    "orphanDependents",
    "propagationPolicy",
    "resourceVersion",
    "resourceVersionMatch",
    "sendInitialEvents",
    "timeoutSeconds",
];

/// The parameters of writes with a body of an object. A client finds out from `fieldValidation` of a patch that the
/// server validates fields.
pub(crate) const WRITE: [&str; 3] = ["dryRun", "fieldManager", "fieldValidation"];

/// The parameters of patches.
pub(crate) const PATCH: [&str; 4] = ["dryRun", "fieldManager", "fieldValidation", "force"];

/// Parameters of a query, with the type of each.
pub(crate) fn query(names: &[&str]) -> Vec<ReferenceOr<Parameter>> {
    let parameter = |name: &&str| Parameter::Query {
        parameter_data: data(name, false),
        allow_reserved: false,
        style: QueryStyle::default(),
        allow_empty_value: None,
    };
    names.iter().map(parameter).map(ReferenceOr::Item).collect()
}

/// Parameters of a path: its parts in braces.
pub(crate) fn path(names: &[&str]) -> Vec<ReferenceOr<Parameter>> {
    let parameter =
        |name: &&str| Parameter::Path { parameter_data: data(name, true), style: PathStyle::default() };
    names.iter().map(parameter).map(ReferenceOr::Item).collect()
}

fn data(name: &str, required: bool) -> ParameterData {
    let kind = match name {
        "gracePeriodSeconds" | "limit" | "timeoutSeconds" => Type::Integer(IntegerType::default()),
        "allowWatchBookmarks"
        | "force"
        | "ignoreStoreReadErrorWithClusterBreakingPotential"
        | "orphanDependents"
        | "sendInitialEvents"
        | "watch" => Type::Boolean(openapiv3::BooleanType::default()),
        _ => Type::String(StringType::default()),
    };
    let schema = Schema { schema_data: SchemaData::default(), schema_kind: SchemaKind::Type(kind) };
    ParameterData {
        name: name.to_owned(),
        description: None,
        required,
        deprecated: None,
        format: ParameterSchemaOrContent::Schema(ReferenceOr::Item(schema)),
        example: None,
        examples: Default::default(),
        explode: None,
        extensions: Default::default(),
    }
}
