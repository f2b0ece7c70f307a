//! How objects of one version become those of another.

use std::any::Any;
use std::sync::Arc;

use hubgen_machinery::convert::ConvertError;
use serde_json::Value;

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

    /// Does the same with several objects, at whatever versions they are, and returns the results in their order. Whoever has
    /// to ask somebody else asks once.
    fn convert_many(&self, objects: Vec<Value>, to: &str) -> Vec<Result<Value, ConvertError>> {
        objects.into_iter().map(|object| self.convert(object, to)).collect()
    }
}
