//! Which definition converts by which rules.

use std::collections::BTreeMap;
use std::sync::Arc;

use hubgen_definitions::{Conversions, Converter, RULES, SchemeConverter};
use hubgen_diagnostic::Diagnostic;
use hubgen_validation::{FieldError, Reason};
use serde_json::Value;

use crate::read::converter;

/// The rules that definitions have: those that come with them, and those that a program knows for some.
///
/// A server asks for each definition that is written, and again when it serves it:
/// `Settings { conversions: Some(Arc::new(DefinitionRules::default())), ..settings }`.
#[derive(Default)]
pub struct DefinitionRules {
    known: BTreeMap<String, Known>,
}

/// The rules of a definition that a program knows.
struct Known {
    /// The same as text, if the definition brings it.
    text: Option<String>,
    converter: Arc<SchemeConverter>,
}

impl DefinitionRules {
    /// Adds what converts the objects of the definition that has a name, unless it brings rules that are not this `text`.
    pub fn add(&mut self, name: &str, text: Option<String>, converter: SchemeConverter) {
        self.known.insert(name.to_owned(), Known { text, converter: Arc::new(converter) });
    }
}

impl Conversions for DefinitionRules {
    fn converter(&self, definition: &Value) -> Result<Option<Arc<dyn Converter>>, Vec<FieldError>> {
        let text = definition["metadata"]["annotations"][RULES].as_str();
        let name = definition["metadata"]["name"].as_str().unwrap_or_default();
        let known = self.known.get(name);
        match (text, known) {
            (None, None) => Ok(None),
            (None, Some(known)) => Ok(Some(Arc::clone(&known.converter) as Arc<_>)),
            (Some(text), Some(known)) if known.text.as_deref() == Some(text) => {
                Ok(Some(Arc::clone(&known.converter) as Arc<_>))
            }
            (Some(text), _) => match converter(definition, text) {
                Ok(converter) => Ok(Some(Arc::new(converter))),
                Err(errors) => Err(errors.into_iter().map(|error| field_error(error, text)).collect()),
            },
        }
    }
}

/// The most characters of a line in an error.
const MAX_LINE: usize = 200;

/// An error as a server tells it: where in the annotation, and what to do.
fn field_error(error: Diagnostic, text: &str) -> FieldError {
    let line = text.lines().nth((error.line as usize).wrapping_sub(1)).unwrap_or_default().trim();
    let line: String = line.chars().take(MAX_LINE).collect();
    let mut message = format!("Invalid value: {line:?}: ");
    if error.line > 0 {
        message.push_str(&format!("line {}, column {}: ", error.line, error.column));
    }
    for part in [&error.path, &error.message] {
        if !part.is_empty() {
            message.push_str(part);
            message.push_str(": ");
        }
    }
    message.truncate(message.len() - 2);
    if !error.help.is_empty() {
        message.push_str("; ");
        message.push_str(&error.help);
    }
    FieldError { reason: Reason::Invalid, field: format!("metadata.annotations[{RULES}]"), message }
}
