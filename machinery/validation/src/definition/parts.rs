//! Reads the members of objects in definitions.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;

use super::{Extent, UnknownKey};
use crate::error::FieldError;
use crate::mistake::Mistake;

/// What was found so far.
pub(super) struct Parts {
    pub extent: Extent,
    pub mistakes: Vec<Mistake>,
    pub unknown: Vec<UnknownKey>,
}

/// The help for what is required.
const REQUIRED: &str = "the API server requires it";

impl Parts {
    pub fn new(extent: Extent) -> Self {
        Self { extent, mistakes: Vec::new(), unknown: Vec::new() }
    }

    /// Adds a mistake in what tells the schemas.
    pub fn refuse(&mut self, error: FieldError, help: impl Into<Cow<'static, str>>) {
        self.mistakes.push(Mistake::new(error, help));
    }

    /// Adds a mistake in anything else.
    pub fn refuse_whole(&mut self, error: FieldError, help: impl Into<Cow<'static, str>>) {
        if self.extent == Extent::Whole {
            self.refuse(error, help);
        }
    }

    /// Adds that a value, which does not tell the schemas, has a type that the API server cannot read.
    pub fn refuse_type(&mut self, path: &str, found: &Value, expected: &str) {
        if self.extent == Extent::Whole {
            self.mistakes.push(Mistake::wrong_type(path, found, expected));
        }
    }

    /// Reads a member; `null` is as if it were missing. It is a mistake if `read` returns `None`.
    pub fn member<'j, T>(
        &mut self,
        json: &'j Value,
        path: &str,
        key: &str,
        expected: &str,
        read: impl Fn(&'j Value) -> Option<T>,
    ) -> Option<T> {
        let member = present(json, key)?;
        let value = read(member);
        if value.is_none() {
            self.refuse_type(&format!("{path}.{key}"), member, expected);
        }
        value
    }

    pub fn text(&mut self, json: &Value, path: &str, key: &str) -> Option<String> {
        self.member(json, path, key, "a string", |value| value.as_str().map(str::to_owned))
    }

    /// A text that is required, whatever the extent.
    pub fn needed(&mut self, json: &Value, path: &str, key: &str) -> String {
        match present(json, key) {
            None => self.refuse(FieldError::required(format!("{path}.{key}"), ""), REQUIRED),
            Some(Value::String(text)) if !text.is_empty() => return text.clone(),
            Some(Value::String(_)) => {
                self.refuse(FieldError::required(format!("{path}.{key}"), ""), REQUIRED);
            }
            Some(other) => {
                self.mistakes.push(Mistake::wrong_type(&format!("{path}.{key}"), other, "a string"));
            }
        }
        String::new()
    }

    /// A text that is required, and does not tell the schemas.
    pub fn needed_whole(&mut self, json: &Value, path: &str, key: &str) -> String {
        match self.extent {
            Extent::Whole => self.needed(json, path, key),
            Extent::Schemas => self.text(json, path, key).unwrap_or_default(),
        }
    }

    pub fn texts(&mut self, json: &Value, path: &str, key: &str) -> Vec<String> {
        self.member(json, path, key, "a list of strings", |value| {
            value.as_array()?.iter().map(|element| element.as_str().map(str::to_owned)).collect()
        })
        .unwrap_or_default()
    }

    pub fn map(&mut self, json: &Value, path: &str, key: &str) -> BTreeMap<String, String> {
        self.member(json, path, key, "a map of strings", |value| {
            value
                .as_object()?
                .iter()
                .map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())))
                .collect()
        })
        .unwrap_or_default()
    }

    pub fn flag(&mut self, json: &Value, path: &str, key: &str) -> Option<bool> {
        self.member(json, path, key, "true or false", Value::as_bool)
    }

    /// A flag that is required, and does not tell the schemas.
    pub fn needed_flag(&mut self, json: &Value, path: &str, key: &str) -> bool {
        if present(json, key).is_none() {
            self.refuse_whole(FieldError::required(format!("{path}.{key}"), ""), "write true or false");
        }
        self.flag(json, path, key).unwrap_or(false)
    }

    /// Finds keys that are not among those that an object can have.
    pub fn only(&mut self, json: &Value, path: &str, known: &[&'static str]) {
        for key in json.as_object().into_iter().flatten().map(|(key, _)| key) {
            if !known.contains(&key.as_str()) {
                let field = format!("{path}.{key}");
                self.unknown.push(UnknownKey { field, key: key.clone(), known: known.to_vec() });
            }
        }
    }
}

/// A member that is not `null`.
pub(super) fn present<'j>(json: &'j Value, key: &str) -> Option<&'j Value> {
    json.get(key).filter(|member| !member.is_null())
}
