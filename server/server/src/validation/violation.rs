//! Violations of validation rules, with the messages of the reference server.

use std::borrow::Cow;
use std::fmt;

use hubgen_machinery::convert::ConvertError;
use hubgen_machinery::json;
use hubgen_machinery::reflect::Slot;
use hubgen_machinery::scheme::SchemeError;
use hubgen_validation::{FieldError, Reason};

/// The maximum length of a value in messages.
const MAX_VALUE: usize = 1024;

/// Returns a text, or its first `max` bytes with a trailing `…` if it is longer.
pub(crate) fn cut(text: &str, max: usize) -> Cow<'_, str> {
    if text.len() <= max {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("{}…", &text[..text.floor_char_boundary(max)]))
}

/// A rule that an object violates, with the field path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The type of the rule.
    pub reason: Reason,
    /// The path of the field, as in `spec.containers[0].name`.
    pub field: String,
    /// What is wrong with the field.
    pub message: String,
}

impl Violation {
    /// The field is required.
    pub fn required(field: impl Into<String>, why: &str) -> Self {
        let message =
            if why.is_empty() { "Required value".to_owned() } else { format!("Required value: {why}") };
        Self { reason: Reason::Required, field: field.into(), message }
    }

    /// The value, in JSON, occurs twice.
    pub fn duplicate(field: impl Into<String>, value: &str) -> Self {
        let message = format!("Duplicate value: {}", cut(value, MAX_VALUE));
        Self { reason: Reason::Duplicate, field: field.into(), message }
    }

    /// The text is invalid.
    pub fn invalid(field: impl Into<String>, value: &str, why: impl fmt::Display) -> Self {
        let message = format!("Invalid value: {}: {why}", quoted(&cut(value, MAX_VALUE)));
        Self { reason: Reason::Invalid, field: field.into(), message }
    }

    /// The value, of any type, is invalid.
    pub(crate) fn invalid_value(field: impl Into<String>, value: &Slot<'_>, why: impl fmt::Display) -> Self {
        let mut text = Vec::new();
        json::encode_slot(value, &mut text);
        let message = format!("Invalid value: {}: {why}", cut(&String::from_utf8_lossy(&text), MAX_VALUE));
        Self { reason: Reason::Invalid, field: field.into(), message }
    }

    /// The value is invalid.
    pub(crate) fn invalid_json(
        field: impl Into<String>,
        value: &serde_json::Value,
        why: impl fmt::Display,
    ) -> Self {
        let message = format!("Invalid value: {}: {why}", cut(&value.to_string(), MAX_VALUE));
        Self { reason: Reason::Invalid, field: field.into(), message }
    }

    /// The text is not one of the allowed ones.
    pub fn not_supported(field: impl Into<String>, value: &str, supported: &[&str]) -> Self {
        Self::not_supported_shown(field, &quoted(&cut(value, MAX_VALUE)), supported)
    }

    /// The value, in JSON, is not one of the allowed ones.
    pub(crate) fn not_supported_value(field: impl Into<String>, value: &str, supported: &[&str]) -> Self {
        Self::not_supported_shown(field, &cut(value, MAX_VALUE), supported)
    }

    fn not_supported_shown(field: impl Into<String>, value: &str, supported: &[&str]) -> Self {
        let supported: Vec<String> = supported.iter().map(|value| quoted(value)).collect();
        let message = format!("Unsupported value: {value}: supported values: {}", supported.join(", "));
        Self { reason: Reason::NotSupported, field: field.into(), message }
    }

    /// No value is allowed here.
    pub fn forbidden(field: impl Into<String>, why: &str) -> Self {
        Self { reason: Reason::Forbidden, field: field.into(), message: format!("Forbidden: {why}") }
    }

    /// The value is too long.
    pub fn too_long(field: impl Into<String>, why: impl fmt::Display) -> Self {
        Self { reason: Reason::TooLong, field: field.into(), message: format!("Too long: {why}") }
    }

    /// The fields with values that another version does not know, or that a function of the user's own code refuses, if
    /// this is why a conversion has failed.
    pub(crate) fn of_conversion(error: &SchemeError) -> Vec<Self> {
        match error {
            SchemeError::Convert(ConvertError::UnknownWord { path, word, known }) => {
                let known: Vec<&str> = known.iter().map(String::as_str).collect();
                vec![Self::not_supported(path, word, &known)]
            }
            SchemeError::Convert(ConvertError::KnownName { path }) => {
                let why = "another version has this field, and cannot represent the value";
                vec![Self::forbidden(path, why)]
            }
            SchemeError::Convert(ConvertError::Refused { paths, message, .. }) => {
                paths.iter().map(|path| Self::forbidden(path, message)).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl From<FieldError> for Violation {
    fn from(FieldError { reason, field, message }: FieldError) -> Self {
        Self { reason, field, message }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.field.as_str() {
            "" => f.write_str(&self.message),
            field => write!(f, "{field}: {}", self.message),
        }
    }
}

/// Quotes a text like Go's `%q`.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\x07' => quoted.push_str("\\a"),
            '\x08' => quoted.push_str("\\b"),
            '\x0c' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\x0b' => quoted.push_str("\\v"),
            c if c.is_ascii_control() => quoted.push_str(&format!("\\x{:02x}", u32::from(c))),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// A bounded list of violations: the first ones, and the number of the others.
///
/// A small body can violate tens of thousands of rules. The response contains at most
/// [`Violations::MOST`] of them, and fewer if their texts are long.
#[derive(Clone, Debug, Default)]
pub(crate) struct Violations {
    shown: Vec<Violation>,
    /// The bytes of the texts in `shown`.
    bytes: usize,
    /// The number of violations that are not in `shown`.
    more: usize,
}

impl Violations {
    /// The maximum number of violations in the list.
    pub(crate) const MOST: usize = 100;
    /// No more violations are added once their texts have this many bytes in total.
    const MOST_BYTES: usize = 32 * 1024;

    /// Adds a violation. It is only created if it is kept.
    pub(crate) fn add(&mut self, violation: impl FnOnce() -> Violation) {
        if self.shown.len() >= Self::MOST || self.bytes >= Self::MOST_BYTES {
            self.more += 1;
            return;
        }
        let violation = violation();
        self.bytes += violation.field.len() + violation.message.len();
        self.shown.push(violation);
    }

    /// Adds several violations.
    pub(crate) fn extend(&mut self, violations: impl IntoIterator<Item = Violation>) {
        for violation in violations {
            self.add(|| violation);
        }
    }

    /// Adds the violations of another list.
    pub(crate) fn append(&mut self, other: Self) {
        self.more += other.more;
        self.extend(other.shown);
    }

    /// Adds violations that are only counted.
    pub(crate) fn count(&mut self, more: usize) {
        self.more += more;
    }

    /// Whether there are some because of which no rules of a definition are evaluated.
    pub(crate) fn block_rules(&self) -> bool {
        self.shown.iter().any(|violation| violation.reason.blocks_rules())
    }

    /// Whether there are no violations.
    pub(crate) fn is_empty(&self) -> bool {
        self.shown.is_empty()
    }

    /// The violations that are kept. If there were more, an additional last one contains the number
    /// of the others.
    pub(crate) fn into_vec(self) -> Vec<Violation> {
        let mut all = self.shown;
        if self.more > 0 {
            let message = format!("too many errors, the list is truncated: {} more", self.more);
            all.push(Violation { reason: Reason::TooMany, field: String::new(), message });
        }
        all
    }
}
