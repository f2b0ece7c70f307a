//! One rule that an object breaks, in the words of the reference server.

use std::fmt;

use crate::wire::Cause;

/// Which sort of rule is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The field must be there.
    Required,
    /// The value occurs twice.
    Duplicate,
    /// The value is of no use here.
    Invalid,
    /// The value is none of those that are allowed.
    NotSupported,
    /// The value is not allowed here, whatever it is.
    Forbidden,
    /// The value is too long.
    TooLong,
}

impl Rule {
    /// As `Status` names it.
    fn reason(self) -> &'static str {
        match self {
            Self::Required => "FieldValueRequired",
            Self::Duplicate => "FieldValueDuplicate",
            Self::Invalid => "FieldValueInvalid",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Forbidden => "FieldValueForbidden",
            Self::TooLong => "FieldValueTooLong",
        }
    }
}

/// A rule that an object breaks, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which sort of rule.
    pub rule: Rule,
    /// The path of the field, as in `spec.containers[0].name`.
    pub field: String,
    /// What is wrong with it.
    pub message: String,
}

impl Violation {
    /// The field must be there.
    pub fn required(field: impl Into<String>, why: &str) -> Self {
        let message =
            if why.is_empty() { "Required value".to_owned() } else { format!("Required value: {why}") };
        Self { rule: Rule::Required, field: field.into(), message }
    }

    /// The value, as JSON, occurs twice.
    pub fn duplicate(field: impl Into<String>, value: &str) -> Self {
        Self { rule: Rule::Duplicate, field: field.into(), message: format!("Duplicate value: {value}") }
    }

    /// The text is of no use here.
    pub fn invalid(field: impl Into<String>, value: &str, why: impl fmt::Display) -> Self {
        let message = format!("Invalid value: {value:?}: {why}");
        Self { rule: Rule::Invalid, field: field.into(), message }
    }

    /// The text is none of those that are allowed.
    pub fn not_supported(field: impl Into<String>, value: &str, supported: &[&str]) -> Self {
        let supported: Vec<String> = supported.iter().map(|value| format!("{value:?}")).collect();
        let message = format!("Unsupported value: {value:?}: supported values: {}", supported.join(", "));
        Self { rule: Rule::NotSupported, field: field.into(), message }
    }

    /// There may be no value here.
    pub fn forbidden(field: impl Into<String>, why: &str) -> Self {
        Self { rule: Rule::Forbidden, field: field.into(), message: format!("Forbidden: {why}") }
    }

    /// The value is too long.
    pub fn too_long(field: impl Into<String>, why: impl fmt::Display) -> Self {
        Self { rule: Rule::TooLong, field: field.into(), message: format!("Too long: {why}") }
    }

    pub(crate) fn cause(&self) -> Cause {
        Cause {
            kind: self.rule.reason().to_owned(),
            message: self.message.clone(),
            field: self.field.clone(),
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}
