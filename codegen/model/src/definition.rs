//! What a CustomResourceDefinition specifies about a kind beyond its schema.

use std::collections::BTreeMap;

pub use hubgen_facts::definition::{Column, Scale};
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
