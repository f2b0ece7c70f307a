//! Names in distilled schemas: of their files, of keys, and words.

use std::path::PathBuf;

use hubgen_model::GroupVersion;

/// The key of the version of the tool that wrote a document.
pub(super) const TOOL: &str = "x-hubgen";

/// The path of a group version's file, below the folder of all schemas.
pub(super) fn file_path(group_version: &GroupVersion) -> PathBuf {
    PathBuf::from(group_version.group_or_core()).join(format!("{}.json", group_version.version))
}

/// The key of a type for what becomes of fields that it does not have, unless they are dropped.
pub(super) const UNKNOWN: &str = "x-unknown";

/// The words for it.
pub(super) const KEEP: &str = "keep";
pub(super) const REFUSE: &str = "refuse";

/// The keys that specify the type of a field.
pub(super) const EXPRESSION_KEYS: [&str; 10] = [
    "type",
    "format",
    "items",
    "additionalProperties",
    "oneOf",
    "allOf",
    "$ref",
    "x-message",
    "x-raw",
    "x-kubernetes-int-or-string",
];
