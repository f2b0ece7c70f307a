//! Mistakes in definitions, and how to correct them.

use std::borrow::Cow;

use serde_json::Value;

use crate::error::{FieldError, FieldErrors};

/// A mistake in a CustomResourceDefinition or in its schema.
///
/// ```
/// use hubgen_validation::Schema;
/// use serde_json::json;
///
/// let checked = Schema::check(&json!({"type": "object", "properties": {"size": {}}}), "schema");
/// let [mistake] = &checked.mistakes[..] else { panic!("one mistake") };
/// assert_eq!(
///     mistake.error.to_string(),
///     "schema.properties[size].type: Required value: must not be empty for specified object fields"
/// );
/// assert_eq!(mistake.help, "the schema must be structural: write a `type`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mistake {
    /// The error, as the API server writes it.
    pub error: FieldError,
    /// How to correct it.
    pub help: Cow<'static, str>,
}

impl Mistake {
    pub(crate) fn new(error: FieldError, help: impl Into<Cow<'static, str>>) -> Self {
        Self { error, help: help.into() }
    }

    /// A value of a type that the API server cannot read.
    pub(crate) fn wrong_type(field: &str, found: &Value, expected: &str) -> Self {
        let error = FieldError::type_invalid(field, type_name(found), &format!("must be {expected}"));
        Self::new(error, format!("write {expected}"))
    }
}

/// The errors of mistakes, if there are any.
pub(crate) fn errors(mistakes: Vec<Mistake>) -> Result<(), FieldErrors> {
    match mistakes.is_empty() {
        true => Ok(()),
        false => {
            let errors = mistakes.into_iter().map(|mistake| mistake.error).collect();
            Err(FieldErrors { errors, more: 0 })
        }
    }
}

/// The name of the type of a value, for messages.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
