//! Checks a whole definition as the API server does before it stores it: with its errors, in its order.
//!
//! The definition is one of `v1` with its defaults, in JSON, in which all that is there has the type of its field. Rules in
//! CEL are not evaluated.
//!
//! ```
//! use hubgen_validation::definition::{Change, errors};
//! use serde_json::json;
//!
//! let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": {}}}});
//! let widgets = json!({
//!     "metadata": {"name": "widgets.example.com"},
//!     "spec": {
//!         "group": "example.com",
//!         "names": {"kind": "Widget", "listKind": "WidgetList", "plural": "widgets", "singular": "widget"},
//!         "scope": "Global",
//!         "versions": [{"name": "v1", "served": true, "storage": true, "schema": schema}]
//!     },
//!     "status": {"storedVersions": ["v1"]}
//! });
//! let errors = errors(&Change { new: &widgets, old: None, is_beta: false, ca_mistake: &|_| None });
//! let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
//! assert_eq!(texts, [
//!     r#"spec.scope: Unsupported value: "Global": supported values: "Cluster", "Namespaced""#,
//!     "spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields",
//! ]);
//! ```

mod approval;
mod conversion;
mod form;
mod names;
mod options;
pub(crate) mod props;
pub(crate) mod schema;
mod shown;
mod spec;
#[cfg(test)]
mod tests;
mod url;
mod versions;
mod warnings;
mod words;

use serde_json::Value;

pub use self::approval::{APPROVAL, Approval, approval};
use self::form::Form;
use self::options::Options;
use self::props::Props;
use self::schema::structural;
use crate::error::FieldError;

/// Finds what is wrong with a text, if anything is.
pub type Mistakes = dyn Fn(&str) -> Option<String>;

/// A definition that is created or replaced.
#[derive(Clone, Copy)]
pub struct Change<'a> {
    /// The new definition.
    pub new: &'a Value,
    /// The definition that it replaces, if there is one: what was allowed in it stays allowed.
    pub old: Option<&'a Value>,
    /// Whether it was written at `v1beta1`, where schemas may be missing and need not be structural.
    pub is_beta: bool,
    /// What is wrong with the certificates of a webhook, which are in base64.
    pub ca_mistake: &'a Mistakes,
}

/// What the API server finds wrong in a definition, besides its metadata and [its name](name_error).
pub fn errors(change: &Change<'_>) -> Vec<FieldError> {
    let (new, old) = (Form::of(change.new), change.old.map(Form::of));
    let options = Options::of(change, old.as_ref());
    let mut found = Vec::new();
    spec::check(&new, &options, &mut found);
    if let Some(old) = &old {
        spec::immutable(&new, old, &options, &mut found);
    }
    found.append(&mut status_errors(change.new));
    versions::stored(&new, &mut found);
    if !change.is_beta {
        approval::check(&new, old.as_ref(), &mut found);
        let kept = old.as_ref().is_some_and(Form::keeps_unknown_fields);
        if new.keeps_unknown_fields() && !kept {
            let why = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema \
                       instead";
            found.push(FieldError::invalid("spec.preserveUnknownFields", &true.into(), why));
        }
    }
    found
}

/// What the API server warns of in a definition that it accepts, and did not in the one that it replaces.
pub fn warnings(new: &Value, old: Option<&Value>) -> Vec<String> {
    let before = old.map_or_else(Vec::new, |old| warnings::of(&Form::of(old)));
    let mut found = warnings::of(&Form::of(new));
    found.retain(|warning| !before.contains(warning));
    found
}

/// What the API server finds wrong in the status of a definition.
pub fn status_errors(definition: &Value) -> Vec<FieldError> {
    let mut found = Vec::new();
    if let Some(accepted) = Form::of(definition).status.get("acceptedNames") {
        names::check(Props(accepted), "status.acceptedNames", &mut found);
    }
    found
}

/// What is wrong with the name of a new definition, besides its syntax.
pub fn name_error(definition: &Value) -> Option<FieldError> {
    let Form { metadata, spec, .. } = Form::of(definition);
    let plural = Props(spec.get("names").unwrap_or(&Value::Null)).text("plural");
    let (name, group) = (metadata.text("name"), spec.text("group"));
    let why = "must be spec.names.plural+\".\"+spec.group";
    (name != format!("{plural}.{group}")).then(|| FieldError::invalid_text("metadata.name", name, why))
}

/// Why schemas of a definition are not structural.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NonStructural {
    /// A schema contains what the API server does not support.
    Unsupported {
        /// The version of the schema.
        version: String,
        /// What it contains.
        why: String,
    },
    /// Schemas are not structural, or fields that they do not mention are kept.
    Violations(Vec<FieldError>),
}

/// Why the schemas of a stored definition are not structural; `None` if they are.
pub fn non_structural(definition: &Value) -> Option<NonStructural> {
    let Form { spec, .. } = Form::of(definition);
    let mut found = Vec::new();
    if spec.is("preserveUnknownFields") {
        found.push(FieldError::invalid("spec.preserveUnknownFields", &true.into(), "must be false"));
    }
    for (at, version) in spec.schemas("versions") {
        let schema = version.get("schema").and_then(|schema| Props(schema).get("openAPIV3Schema"));
        let Some(schema) = schema.map(Props) else { continue };
        if let Some(why) = structural::unsupported(schema) {
            return Some(NonStructural::Unsupported { version: version.text("name").to_owned(), why });
        }
        found.extend(structural::violations(schema, &format!("spec.versions[{at}].schema.openAPIV3Schema")));
    }
    (!found.is_empty()).then_some(NonStructural::Violations(found))
}
