//! What a CustomResourceDefinition specifies about a kind beyond its schema.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// What a CustomResourceDefinition specifies about one version of its kind, beyond the schema and
/// the names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Definition {
    /// Whether the server serves the version.
    pub served: bool,
    /// Whether objects are stored at the version.
    pub storage: bool,
    /// Whether clients should stop using the version.
    pub deprecated: bool,
    /// The warning that clients of a deprecated version receive, instead of the usual one.
    pub deprecation_warning: Option<String>,
    /// The columns that `kubectl get` prints.
    pub columns: Vec<Column>,
    /// Where the scale subresource finds its numbers.
    pub scale: Option<Scale>,
    /// The paths of fields that field selectors can use.
    pub selectable_fields: Vec<String>,
    /// The schemas of `apiVersion` and `kind`, which are not fields of the type.
    pub type_meta: Map<String, Value>,
    /// What concerns all versions; only the storage version has it.
    pub shared: Option<Shared>,
}

/// A column that `kubectl get` prints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Column {
    /// The heading.
    pub name: String,
    /// `string`, `integer`, `number`, `boolean` or `date`.
    pub ty: String,
    /// The format, such as `int32`.
    pub format: Option<String>,
    /// What the column shows.
    pub description: Option<String>,
    /// Columns with a priority above 0 are shown in wide output only.
    pub priority: Option<i32>,
    /// The path of the value: `.spec.replicas`.
    pub json_path: String,
}

/// Where the scale subresource finds its numbers, as JSON paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scale {
    /// The number of replicas that somebody asked for.
    pub spec_replicas: String,
    /// The number of replicas that exist.
    pub status_replicas: String,
    /// The label selector of the replicas, as text.
    pub label_selector: Option<String>,
}

/// What a CustomResourceDefinition specifies about all versions together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shared {
    /// How the server converts between versions, as published.
    pub conversion: Option<Value>,
    /// Whether the server keeps fields that no schema mentions.
    pub preserve_unknown_fields: Option<bool>,
    /// Labels of the definition itself.
    pub labels: BTreeMap<String, String>,
    /// Annotations of the definition itself.
    pub annotations: BTreeMap<String, String>,
}
