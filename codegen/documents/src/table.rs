//! Reads TOML values with their positions, and reports errors at these positions.

use std::ops::Range;

use hubgen_model::GroupVersion;
use hubgen_model::rules::{At, FieldPath};
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use crate::{Diagnostic, Source};

/// A TOML value with its position.
pub type Value<'a> = Spanned<DeValue<'a>>;

/// Reads values and collects errors.
pub struct Reader<'a> {
    source: &'a Source,
    errors: &'a mut Vec<Diagnostic>,
    /// The path of the current value, for errors.
    path: Vec<String>,
}

impl<'a> Reader<'a> {
    pub fn new(source: &'a Source, errors: &'a mut Vec<Diagnostic>) -> Self {
        Self { source, errors, path: Vec::new() }
    }

    pub fn error(&mut self, span: Range<usize>, message: impl Into<String>, help: impl Into<String>) {
        self.errors.push(self.source.error(span, self.path.join("."), message, help));
    }

    /// Reads with `name` appended to the path.
    pub fn below<T>(&mut self, name: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(name.to_owned());
        let out = read(self);
        self.path.pop();
        out
    }

    fn expected(&mut self, value: &Value<'_>, what: &str) {
        let message = format!("expected {what}, found {}", value.get_ref().type_str());
        self.error(value.span(), message, "");
    }

    pub fn table<'v, 't>(&mut self, value: &'v Value<'t>) -> Option<&'v DeTable<'t>> {
        let table = value.get_ref().as_table();
        if table.is_none() {
            self.expected(value, "a table");
        }
        table
    }

    pub fn array<'v, 't>(&mut self, value: &'v Value<'t>) -> Option<&'v DeArray<'t>> {
        let array = value.get_ref().as_array();
        if array.is_none() {
            self.expected(value, "an array");
        }
        array
    }

    pub fn string(&mut self, value: &Value<'_>) -> Option<At<String>> {
        let string = value.get_ref().as_str();
        if string.is_none() {
            self.expected(value, "a string");
        }
        Some(At::new(string?.to_owned(), value.span()))
    }

    pub fn bool(&mut self, value: &Value<'_>) -> Option<bool> {
        let bool = value.get_ref().as_bool();
        if bool.is_none() {
            self.expected(value, "true or false");
        }
        bool
    }

    pub fn integer(&mut self, value: &Value<'_>) -> Option<i64> {
        let number = value.get_ref().as_integer();
        let parsed = number.and_then(|number| i64::from_str_radix(number.as_str(), number.radix()).ok());
        if parsed.is_none() {
            self.expected(value, "a 64 bit integer");
        }
        parsed
    }

    pub fn field_path(&mut self, value: &Value<'_>) -> Option<FieldPath> {
        let text = self.string(value)?;
        self.parse_path(&text.value, text.span)
    }

    pub fn parse_path(&mut self, text: &str, span: Range<usize>) -> Option<FieldPath> {
        let path = FieldPath::parse(text);
        if path.is_none() {
            self.error(
                span,
                format!("`{text}` is not a field path"),
                "write names with dots between them, such as `spec.replicas`",
            );
        }
        path
    }

    pub fn group_version(&mut self, value: &Value<'_>) -> Option<At<GroupVersion>> {
        let text = self.string(value)?;
        let parsed = group_version(&text.value);
        if parsed.is_none() {
            self.error(
                text.span.clone(),
                format!("`{}` is not a group version", text.value),
                "write one such as `apps/v1`; `core` is the empty group",
            );
        }
        Some(At::new(parsed?, text.span))
    }

    /// Reads an array of two strings.
    pub fn pair(&mut self, value: &Value<'_>) -> Option<(At<String>, At<String>)> {
        let pair = self.array(value)?;
        let mut elements = pair.iter();
        if let (Some(first), Some(second), None) = (elements.next(), elements.next(), elements.next()) {
            return Some((self.string(first)?, self.string(second)?));
        }
        self.error(value.span(), format!("expected two strings, found {}", pair.iter().count()), "");
        None
    }

    /// Returns a member of a table; reports an error if it is missing.
    pub fn required<'v, 't>(
        &mut self,
        owner: &Value<'_>,
        table: &'v DeTable<'t>,
        key: &str,
    ) -> Option<&'v Value<'t>> {
        let value = table.get(key);
        if value.is_none() {
            self.error(owner.span(), format!("expected `{key}`"), "");
        }
        value
    }

    /// Reports keys that are not among `known`.
    pub fn only(&mut self, table: &DeTable<'_>, known: &[&str]) {
        for key in table.keys().filter(|key| !known.contains(&key.get_ref().as_ref())) {
            let message = format!("unknown key `{}`", key.get_ref());
            self.error(key.span(), message, format!("expected one of {}", known.join(", ")));
        }
    }
}

/// Parses `apps/v1`, `core/v1` or `v1`.
pub fn group_version(text: &str) -> Option<GroupVersion> {
    GroupVersion::parse(text.strip_prefix("core/").unwrap_or(text))
}
