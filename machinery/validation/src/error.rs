//! Errors at fields, in the API server's words.

use std::fmt;
use std::ops::Deref;

use serde_json::Value;

use crate::text;

/// The type of an error, as `causes[].reason` of a `Status` contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Reason {
    /// The field is required.
    Required,
    /// The value occurs twice in a list of type `set` or `map`.
    Duplicate,
    /// The value has the right type, but is not allowed.
    Invalid,
    /// The value has the wrong type, or is not what its format requires.
    TypeInvalid,
    /// The value is not one of an enum.
    NotSupported,
    /// No value is allowed here.
    Forbidden,
    /// The text is too long.
    TooLong,
    /// There are too many items or properties.
    TooMany,
    /// The schema has something that the API server cannot handle.
    Internal,
}

impl Reason {
    /// The reason as the API server writes it.
    ///
    /// ```
    /// assert_eq!(hubgen_validation::Reason::TooLong.as_str(), "FieldValueTooLong");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Required => "FieldValueRequired",
            Self::Duplicate => "FieldValueDuplicate",
            Self::Invalid => "FieldValueInvalid",
            Self::TypeInvalid => "FieldValueTypeInvalid",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Forbidden => "FieldValueForbidden",
            Self::TooLong => "FieldValueTooLong",
            Self::TooMany => "FieldValueTooMany",
            Self::Internal => "InternalError",
        }
    }

    /// Whether the API server evaluates no rules of CEL for an object with such an error.
    pub fn blocks_rules(self) -> bool {
        matches!(
            self,
            Self::NotSupported | Self::Required | Self::TooLong | Self::TooMany | Self::TypeInvalid
        )
    }
}

/// An error at one field.
///
/// ```
/// # fn main() -> Result<(), hubgen_validation::FieldErrors> {
/// use hubgen_validation::{Reason, Schema};
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "properties": {"size": {"type": "integer", "minimum": 1}}});
/// let errors = Schema::compile(&schema)?.validate(&json!({"size": 0})).unwrap_err();
/// assert_eq!(errors[0].reason, Reason::Invalid);
/// assert_eq!(errors[0].field, "size");
/// assert_eq!(errors[0].message, "Invalid value: 0: size in body should be greater than or equal to 1");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FieldError {
    /// The type of the error.
    pub reason: Reason,
    /// The path of the field: `spec.names[0]`. The API server writes `<nil>` where an error is about no single
    /// field, for example when no alternative of `anyOf` fits.
    pub field: String,
    /// What is wrong, with the value.
    pub message: String,
}

/// The field of an error that is about no single field.
pub(crate) const NO_FIELD: &str = "<nil>";

impl FieldError {
    pub(crate) fn required(field: impl Into<String>, why: &str) -> Self {
        Self::new(Reason::Required, field, detailed("Required value", why))
    }

    pub(crate) fn invalid(field: impl Into<String>, value: &Value, why: &str) -> Self {
        Self::invalid_shown(field, &text::value(value), why)
    }

    /// An invalid value of which the text in messages is known.
    pub(crate) fn invalid_shown(field: impl Into<String>, shown: &str, why: &str) -> Self {
        Self::new(Reason::Invalid, field, detailed(&format!("Invalid value: {shown}"), why))
    }

    /// An invalid value that the message does not show.
    pub(crate) fn invalid_unshown(field: impl Into<String>, why: &str) -> Self {
        Self::new(Reason::Invalid, field, detailed("Invalid value", why))
    }

    /// What the API server cannot handle.
    pub(crate) fn internal(field: impl Into<String>, why: &str) -> Self {
        Self::new(Reason::Internal, field, detailed("Internal error", why))
    }

    /// An invalid value that is a text.
    pub(crate) fn invalid_text(field: impl Into<String>, value: &str, why: &str) -> Self {
        Self::invalid_shown(field, &text::quoted(value), why)
    }

    /// A value of a wrong type. The API server shows the name of the type, or what has a wrong format.
    pub(crate) fn type_invalid(field: impl Into<String>, shown: &str, why: &str) -> Self {
        let message = detailed(&format!("Invalid value: {}", text::quoted(shown)), why);
        Self::new(Reason::TypeInvalid, field, message)
    }

    pub(crate) fn duplicate(field: impl Into<String>, value: &Value) -> Self {
        Self::new(Reason::Duplicate, field, format!("Duplicate value: {}", text::value(value)))
    }

    /// A value that occurs twice, which the message does not show.
    pub(crate) fn duplicate_unshown(field: impl Into<String>) -> Self {
        Self::new(Reason::Duplicate, field, "Duplicate value".to_owned())
    }

    pub(crate) fn not_supported<'s>(
        field: impl Into<String>,
        value: &Value,
        supported: impl IntoIterator<Item = &'s str>,
    ) -> Self {
        let supported: Vec<String> = supported.into_iter().map(text::quoted).collect();
        let detail = match supported.as_slice() {
            [] => String::new(),
            all => format!("supported values: {}", all.join(", ")),
        };
        let message = detailed(&format!("Unsupported value: {}", text::value(value)), &detail);
        Self::new(Reason::NotSupported, field, message)
    }

    pub(crate) fn forbidden(field: impl Into<String>, why: &str) -> Self {
        Self::new(Reason::Forbidden, field, detailed("Forbidden", why))
    }

    /// A text with more than `max` characters. The API server counts characters, and writes bytes.
    pub(crate) fn too_long(field: impl Into<String>, max: i64) -> Self {
        let message = match max {
            ..=-1 => "Too long: value is too long".to_owned(),
            1 => "Too long: may not be more than 1 byte".to_owned(),
            _ => format!("Too long: may not be more than {max} bytes"),
        };
        Self::new(Reason::TooLong, field, message)
    }

    pub(crate) fn too_many(field: impl Into<String>, actual: usize, max: i64) -> Self {
        let message = match max {
            ..=-1 => format!("Too many: {actual}: has too many items"),
            1 => format!("Too many: {actual}: must have at most 1 item"),
            _ => format!("Too many: {actual}: must have at most {max} items"),
        };
        Self::new(Reason::TooMany, field, message)
    }

    fn new(reason: Reason, field: impl Into<String>, message: String) -> Self {
        Self { reason, field: field.into(), message }
    }
}

fn detailed(what: &str, detail: &str) -> String {
    if detail.is_empty() { what.to_owned() } else { format!("{what}: {detail}") }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}

/// All errors of an object, or of a schema. There is at least one.
///
/// ```
/// let errors = hubgen_validation::Schema::compile(&serde_json::json!({"type": "list"})).unwrap_err();
/// for error in errors.iter() {
///     println!("{error}");
/// }
/// assert!(errors.to_string().starts_with("openAPIV3Schema.type: "));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldErrors {
    pub(crate) errors: Vec<FieldError>,
    pub(crate) more: usize,
}

impl FieldErrors {
    /// The number of errors that are not in the list, because there were more than [`Limits`](crate::Limits) allow.
    pub fn more(&self) -> usize {
        self.more
    }
}

impl Deref for FieldErrors {
    type Target = [FieldError];

    fn deref(&self) -> &[FieldError] {
        &self.errors
    }
}

impl IntoIterator for FieldErrors {
    type Item = FieldError;
    type IntoIter = std::vec::IntoIter<FieldError>;

    fn into_iter(self) -> Self::IntoIter {
        self.errors.into_iter()
    }
}

impl fmt::Display for FieldErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, error) in self.errors.iter().enumerate() {
            let separator = if at == 0 { "" } else { "\n" };
            write!(f, "{separator}{error}")?;
        }
        match self.more {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

impl std::error::Error for FieldErrors {}
