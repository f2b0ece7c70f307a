//! How objects of one version become those of another.

use std::any::Any;
use std::sync::Arc;

use hubgen_machinery::convert::ConvertError;
use hubgen_machinery::json::{Error, Raw};
use hubgen_machinery::tree::Tree;
use hubgen_validation::FieldError;
use serde_json::Value;

/// The annotation with which a definition brings the rules by which its versions convert, as text. Who gives a server
/// [`Conversions`] decides what is in it.
pub const RULES: &str = "conversion.hubgen.dev/rules";

/// How objects of one version of a definition become those of another.
#[derive(Clone, Default)]
pub enum Strategy {
    /// They stay as they are, but for what the schema of the other version does not know: upstream's strategy `None`.
    #[default]
    Same,
    /// Somebody makes the other version of them, such as a webhook or rules.
    By(Arc<dyn Converter>),
}

/// Who makes other versions of objects.
pub trait Converter: Any + Send + Sync {
    /// Makes an object of another version, `to`, of an object with its `apiVersion`, `kind` and metadata. What the schema of the
    /// other version does not know of the result is dropped afterwards.
    ///
    /// # Errors
    /// When there is none.
    fn convert(&self, object: Value, to: &str) -> Result<Value, ConvertError>;

    /// Does the same with JSON that is not read where nobody looks.
    ///
    /// # Errors
    /// As [`convert`](Self::convert).
    fn convert_tree(&self, object: &mut Tree<'_>, to: &str) -> Result<(), ConvertError> {
        let document = self.convert(document(object)?, to)?;
        *object = Tree::new(document.to_string().as_bytes()).map_err(unfit)?.into_owned();
        Ok(())
    }

    /// Does the same with several objects, at whatever versions they are, and returns the results in their order. Whoever has
    /// to ask somebody else asks once.
    fn convert_many(&self, objects: Vec<Value>, to: &str) -> Vec<Result<Value, ConvertError>> {
        objects.into_iter().map(|object| self.convert(object, to)).collect()
    }
}

/// Who converts the objects of definitions instead of the strategies that they have: by the rules that a definition brings
/// with it, or that somebody knows for it.
pub trait Conversions: Send + Sync {
    /// What converts the objects of a definition; `None` if the strategy of the definition does. The definition may lack
    /// `apiVersion`, `kind` and a status.
    ///
    /// # Errors
    /// The mistakes in what the definition brings for it. Nothing converts its objects then.
    fn converter(&self, definition: &Value) -> Result<Option<Arc<dyn Converter>>, Vec<FieldError>>;
}

/// The value of JSON.
pub(crate) fn document(object: &Tree<'_>) -> Result<Value, ConvertError> {
    Raw::new(&object.to_json()).and_then(|json| json.to_value()).map_err(unfit)
}

/// JSON that does not become an object.
pub(crate) fn unfit(error: Error) -> ConvertError {
    ConvertError::Unfit { path: error.path().to_owned(), message: error.message().to_owned() }
}
