//! Checks one schema of a definition, with all that the API server finds in it, in its order.

mod completeness;
pub(crate) mod field_path;
pub(crate) mod keywords;
pub(crate) mod lists;
mod nested;
mod rules;
pub(crate) mod structural;

use super::props::Props;
use super::shown;
use crate::compile;
use crate::error::FieldError;

/// How strict the checks of keywords are. An update may keep what was allowed when the definition was created.
#[derive(Clone, Copy)]
pub(crate) struct Strictness {
    /// Whether types must exist.
    pub(crate) types: bool,
    /// Whether lists and objects in sets must be atomic.
    pub(crate) sets: bool,
    /// Whether items of sets and maps, and the keys of maps, must always be there.
    pub(crate) keys: bool,
    /// Why there must be no defaults; `None` if there may be some.
    pub(crate) defaults: Option<&'static str>,
}

/// How strict the checks of a schema are.
#[derive(Clone, Copy)]
pub(crate) struct Options {
    /// Whether the schema must be structural.
    pub(crate) structural: bool,
    pub(crate) keywords: Strictness,
    /// Whether defaults must have no unknown fields.
    pub(crate) pruned_defaults: bool,
}

/// What the root of a schema may contain if there is a subresource `status`.
const AT_ROOT: [&str; 22] = [
    "Description",
    "Type",
    "Format",
    "Title",
    "Maximum",
    "ExclusiveMaximum",
    "Minimum",
    "ExclusiveMinimum",
    "MaxLength",
    "MinLength",
    "Pattern",
    "MaxItems",
    "MinItems",
    "UniqueItems",
    "MultipleOf",
    "Required",
    "Items",
    "Properties",
    "ExternalDocs",
    "Example",
    "XPreserveUnknownFields",
    "XValidations",
];

/// Adds what is wrong in a schema. `path` is where its `openAPIV3Schema` is, `has_status` whether there is a subresource
/// `status`, which is validated alone.
pub(crate) fn check(
    schema: Props<'_>,
    path: &str,
    has_status: bool,
    options: Options,
    found: &mut Vec<FieldError>,
) {
    let before = found.len();
    let path = format!("{path}.openAPIV3Schema");
    if has_status {
        at_root(schema, &path, found);
    }
    if schema.is("nullable") {
        found.push(FieldError::forbidden(format!("{path}.nullable"), "nullable cannot be true at the root"));
    }
    let mut unsupported = None;
    if options.structural {
        unsupported = structural::unsupported(schema);
        if unsupported.is_none() {
            let violations = structural::violations(schema, &path);
            found.extend(match violations.is_empty() {
                true => compile::default_errors(schema.0, &path, options.pruned_defaults),
                false => violations,
            });
        }
    }
    keywords::check(schema, &path, &options.keywords, found);
    if let Some(why) = unsupported.filter(|_| found.len() == before) {
        found.push(FieldError::invalid_text(path, "", &why));
    }
}

fn at_root(schema: Props<'_>, path: &str, found: &mut Vec<FieldError>) {
    for (name, _) in shown::members(schema) {
        if name == "Type" {
            if schema.ty() != "object" {
                let why = r#"only "object" is allowed as the type at the root of the schema if the status subresource is enabled"#;
                found.push(FieldError::invalid_text(format!("{path}.type"), schema.ty(), why));
                return;
            }
        } else if !AT_ROOT.contains(&name) {
            let why = format!(
                "only [{}] fields are allowed at the root of the schema if the status subresource is enabled",
                AT_ROOT.join(" ")
            );
            found.push(FieldError::invalid_shown(path, &shown::schema(schema), &why));
            return;
        }
    }
}
