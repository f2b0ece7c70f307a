//! One rule that an object breaks, in the words of the reference server.

use std::borrow::Cow;
use std::fmt;

use hubgen_machinery::json;
use hubgen_machinery::reflect::Slot;

use crate::wire::Cause;

/// The longest value that a message shows whole.
const MAX_VALUE: usize = 1024;

/// A text, or its beginning and a mark if it has more than `max` bytes.
pub(crate) fn cut(text: &str, max: usize) -> Cow<'_, str> {
    if text.len() <= max {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("{}…", &text[..text.floor_char_boundary(max)]))
}

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
    /// There are more of something than are allowed or shown.
    TooMany,
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
            Self::TooMany => "FieldValueTooMany",
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
        let message = format!("Duplicate value: {}", cut(value, MAX_VALUE));
        Self { rule: Rule::Duplicate, field: field.into(), message }
    }

    /// The text is of no use here.
    pub fn invalid(field: impl Into<String>, value: &str, why: impl fmt::Display) -> Self {
        let message = format!("Invalid value: {}: {why}", quoted(&cut(value, MAX_VALUE)));
        Self { rule: Rule::Invalid, field: field.into(), message }
    }

    /// The value, of any type, is of no use here.
    pub(crate) fn invalid_value(field: impl Into<String>, value: &Slot<'_>, why: impl fmt::Display) -> Self {
        let mut text = Vec::new();
        json::encode_slot(value, &mut text);
        let message = format!("Invalid value: {}: {why}", cut(&String::from_utf8_lossy(&text), MAX_VALUE));
        Self { rule: Rule::Invalid, field: field.into(), message }
    }

    /// The text is none of those that are allowed.
    pub fn not_supported(field: impl Into<String>, value: &str, supported: &[&str]) -> Self {
        Self::not_supported_shown(field, &quoted(&cut(value, MAX_VALUE)), supported)
    }

    /// The value, as JSON, is none of those that are allowed.
    pub(crate) fn not_supported_value(field: impl Into<String>, value: &str, supported: &[&str]) -> Self {
        Self::not_supported_shown(field, &cut(value, MAX_VALUE), supported)
    }

    fn not_supported_shown(field: impl Into<String>, value: &str, supported: &[&str]) -> Self {
        let supported: Vec<String> = supported.iter().map(|value| quoted(value)).collect();
        let message = format!("Unsupported value: {value}: supported values: {}", supported.join(", "));
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
        match self.field.as_str() {
            "" => f.write_str(&self.message),
            field => write!(f, "{field}: {}", self.message),
        }
    }
}

/// A text in double quotes, with the escapes of Go's `%q`.
fn quoted(text: &str) -> String {
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

/// The rules that an object breaks: the first of them, and the number of the others.
///
/// A small body can break tens of thousands of rules. The answer names at most
/// [`Violations::MOST`], and fewer if their texts are long.
#[derive(Clone, Debug, Default)]
pub(crate) struct Violations {
    shown: Vec<Violation>,
    /// The bytes of the texts in `shown`.
    bytes: usize,
    /// How many were found beyond those in `shown`.
    more: usize,
}

impl Violations {
    /// The most violations that are kept.
    pub(crate) const MOST: usize = 100;
    /// No more violations are kept once their texts have so many bytes together.
    const MOST_BYTES: usize = 32 * 1024;

    /// Adds one, which is only made if it is kept.
    pub(crate) fn add(&mut self, violation: impl FnOnce() -> Violation) {
        if self.shown.len() >= Self::MOST || self.bytes >= Self::MOST_BYTES {
            self.more += 1;
            return;
        }
        let violation = violation();
        self.bytes += violation.field.len() + violation.message.len();
        self.shown.push(violation);
    }

    /// Adds several.
    pub(crate) fn extend(&mut self, violations: impl IntoIterator<Item = Violation>) {
        for violation in violations {
            self.add(|| violation);
        }
    }

    /// Adds those of another collection.
    pub(crate) fn append(&mut self, other: Self) {
        self.more += other.more;
        self.extend(other.shown);
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.shown.is_empty()
    }

    /// The violations that are kept. If there were more, the last one is not of the object, but
    /// says how many.
    pub(crate) fn into_vec(self) -> Vec<Violation> {
        let mut all = self.shown;
        if self.more > 0 {
            let message = format!("too many errors, the list is truncated: {} more", self.more);
            all.push(Violation { rule: Rule::TooMany, field: String::new(), message });
        }
        all
    }
}
