//! A difference between a version and the hub, as data.

use hubgen_model::GroupVersion;

/// A difference between a version and the hub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The version.
    pub version: GroupVersion,
    /// The field, or the name of the type. Paths go through lists without an index.
    pub path: String,
    /// How they differ.
    pub what: What,
}

/// How a version and the hub differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// Only the hub has the field.
    OnlyInHub,
    /// Only the version has the field.
    OnlyInVersion,
    /// Both have it, with different types; the text describes them.
    Types(String),
    /// No field, but a type of the version, which is two types in the hub; the text names them.
    TwoTypes(String),
}
