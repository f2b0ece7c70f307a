//! Reads CustomResourceDefinitions into plain data, with the errors of Kubernetes' API server and how to correct them.
//!
//! It reads JSON: errors have the path of the field. A tool that reads a file finds the line of the path itself.
//!
//! ```
//! use hubgen_validation::definition::{self, Extent};
//! use serde_json::json;
//!
//! let widgets = json!({
//!     "apiVersion": "apiextensions.k8s.io/v1",
//!     "kind": "CustomResourceDefinition",
//!     "metadata": {"name": "widgets.example.com"},
//!     "spec": {
//!         "group": "example.com",
//!         "names": {"kind": "Widget", "plural": "widgets"},
//!         "scope": "Global",
//!         "versions": [{
//!             "name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}
//!         }]
//!     }
//! });
//! let read = definition::read(&widgets, Extent::Whole);
//! assert_eq!(read.definition.kind, "Widget");
//! assert_eq!(read.definition.versions[0].name, "v1");
//! assert_eq!(
//!     read.mistakes[0].error.to_string(),
//!     r#"spec.scope: Unsupported value: "Global": supported values: "Cluster", "Namespaced""#
//! );
//! ```

pub(crate) mod checks;
mod compile;
mod objects;
mod parts;
mod read;

use std::collections::BTreeMap;

pub use hubgen_facts::definition::{Column, Scale};
use serde_json::Value;

pub use self::checks::{
    APPROVAL, Approval, Change, Mistakes, NonStructural, approval, errors, name_error, non_structural,
    status_errors, warnings,
};
pub use self::compile::KindSchema;
pub use self::objects::{Object, objects};
pub use self::read::read;
pub use crate::compile::RULE_KEYS;
use crate::mistake::Mistake;

/// The `apiVersion` of definitions with a schema for each version.
pub const V1: &str = "apiextensions.k8s.io/v1";

/// The `apiVersion` of definitions that may have one schema for all versions.
pub const V1BETA1: &str = "apiextensions.k8s.io/v1beta1";

/// How much of a definition is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// What tells the kind, and the schema of each version. All else may be missing. Definitions of `v1beta1` are
    /// refused, because the API server does more with their objects than their schemas tell.
    Schemas,
    /// All that a tool needs to know about the kind. Definitions of `v1beta1` are read, too.
    Whole,
}

/// A definition, and what was found in it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Read<'a> {
    /// The definition. Where there are mistakes, parts of it are empty.
    pub definition: Definition<'a>,
    /// What the API server refuses. Mistakes in schemas are not among them: [`Schema::check`](crate::Schema::check)
    /// finds those.
    pub mistakes: Vec<Mistake>,
    /// What the API server ignores.
    pub unknown: Vec<UnknownKey>,
}

/// A key that the API server ignores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownKey {
    /// Its path: `spec.versions[0].shema`.
    pub field: String,
    /// The key.
    pub key: String,
    /// The keys that an object can have here.
    pub known: Vec<&'static str>,
}

/// A CustomResourceDefinition. A text is empty where the definition has none and the API server sets none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Definition<'a> {
    /// `metadata.name`.
    pub name: &'a str,
    /// The labels of the definition.
    pub labels: BTreeMap<String, String>,
    /// The annotations of the definition.
    pub annotations: BTreeMap<String, String>,
    /// The group: `cert-manager.io`.
    pub group: String,
    /// The kind: `Certificate`.
    pub kind: String,
    /// The kind of lists: `CertificateList`.
    pub list_kind: String,
    /// The last part of the path of objects: `certificates`.
    pub plural: String,
    /// The name of one object for users of the command line: `certificate`.
    pub singular: String,
    /// Short names for users of the command line.
    pub short_names: Vec<String>,
    /// Names of groups of kinds, such as `all`.
    pub categories: Vec<String>,
    /// Where objects are; `None` if the definition does not tell.
    pub scope: Option<Scope>,
    /// How the API server converts between versions, as `v1` writes it.
    pub conversion: Option<Value>,
    /// Whether the API server keeps fields that no schema mentions; `None` if the definition does not tell, which means
    /// no. In `v1beta1` it always tells: its default is yes.
    pub preserve_unknown_fields: Option<bool>,
    /// The versions, in the order of the definition.
    pub versions: Vec<Version<'a>>,
}

/// Where objects are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Each in a namespace.
    Namespaced,
    /// In none.
    Cluster,
}

/// One version of a definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Version<'a> {
    /// The name: `v1beta1`.
    pub name: String,
    /// Whether the API server serves it.
    pub served: bool,
    /// Whether the API server stores objects at it.
    pub storage: bool,
    /// Whether clients should stop using it.
    pub deprecated: bool,
    /// The warning that clients receive.
    pub deprecation_warning: Option<String>,
    /// The schema of objects, which may be anything: [`Schema::check`](crate::Schema::check) tells what is wrong.
    pub schema: Option<&'a Value>,
    /// The path of the schema: `spec.versions[0].schema.openAPIV3Schema`.
    pub schema_path: String,
    /// Whether there is a subresource `status`.
    pub has_status: bool,
    /// The subresource `scale`.
    pub scale: Option<Scale>,
    /// The columns that `kubectl get` prints.
    pub columns: Vec<Column>,
    /// The paths of fields that field selectors can use.
    pub selectable_fields: Vec<String>,
}
