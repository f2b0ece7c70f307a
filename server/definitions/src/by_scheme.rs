//! Converts objects of definitions by a Scheme in which their kinds have types and conversions.

use std::sync::Arc;

use hubgen_machinery::convert::ConvertError;
use hubgen_machinery::scheme::{Scheme, SchemeError};
use hubgen_machinery::tree::Tree;
use hubgen_validation::{FieldError, Reason};
use serde_json::Value;

use crate::strategy::{Conversions, Converter, document, unfit};

/// Converts the objects of one kind by a Scheme that has its versions: by compiled code, or by rules that are interpreted.
///
/// Their JSON is not decoded, as far as the conversions allow that ([`Scheme::convert_json`]). So what was not there does not
/// appear, and what a version cannot represent is in an annotation of the object.
pub struct SchemeConverter {
    scheme: Arc<Scheme>,
    kind: String,
}

impl SchemeConverter {
    /// Converts the objects of a kind.
    pub fn new(scheme: Arc<Scheme>, kind: &str) -> Self {
        Self { scheme, kind: kind.to_owned() }
    }
}

impl Converter for SchemeConverter {
    fn convert(&self, object: Value, to: &str) -> Result<Value, ConvertError> {
        let json = object.to_string();
        let mut tree = Tree::new(json.as_bytes()).map_err(unfit)?;
        self.convert_tree(&mut tree, to)?;
        document(&tree)
    }

    fn convert_tree(&self, object: &mut Tree<'_>, to: &str) -> Result<(), ConvertError> {
        let Some(entry) = self.scheme.named(to, &self.kind) else {
            let message = format!("nobody converts {} to {to}", self.kind);
            return Err(ConvertError::Unfit { path: String::new(), message });
        };
        self.scheme.convert_tree(object, entry).map(|_| ()).map_err(of_scheme)
    }
}

fn of_scheme(error: SchemeError) -> ConvertError {
    match error {
        SchemeError::Convert(error) => error,
        SchemeError::Json(error) => unfit(error),
        error => ConvertError::Unfit { path: String::new(), message: error.to_string() },
    }
}

/// Converts the kinds of a program by its own Scheme, whatever their definitions say.
pub struct SchemeConversions {
    scheme: Arc<Scheme>,
    others: Option<Arc<dyn Conversions>>,
}

impl SchemeConversions {
    /// Converts the kinds of a Scheme; `others` convert all other kinds.
    pub fn new(scheme: Arc<Scheme>, others: Option<Arc<dyn Conversions>>) -> Self {
        Self { scheme, others }
    }
}

impl Conversions for SchemeConversions {
    /// # Errors
    /// If the Scheme has some versions of the definition, and not all.
    fn converter(&self, definition: &Value) -> Result<Option<Arc<dyn Converter>>, Vec<FieldError>> {
        let spec = &definition["spec"];
        let [group, kind] = [&spec["group"], &spec["names"]["kind"]].map(text);
        if !self.scheme.kinds().any(|entry| entry.group == group && entry.kind == kind) {
            return self.others.as_ref().map_or(Ok(None), |others| others.converter(definition));
        }
        let versions =
            spec["versions"].as_array().into_iter().flatten().map(|version| text(&version["name"]));
        let missing =
            versions.enumerate().filter(|(_, version)| self.scheme.kind(group, version, kind).is_none());
        let mistakes: Vec<FieldError> = missing
            .map(|(index, version)| FieldError {
                reason: Reason::Invalid,
                field: format!("spec.versions[{index}].name"),
                message: format!(
                    "Invalid value: {version:?}: the program converts {kind}, and has no such version"
                ),
            })
            .collect();
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        Ok(Some(Arc::new(SchemeConverter::new(Arc::clone(&self.scheme), kind))))
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
