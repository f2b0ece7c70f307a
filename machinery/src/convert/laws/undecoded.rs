//! A version whose JSON converts without being decoded, tested by the same laws as its typed objects.

use serde_json::Value;

use super::{AnyObject, Convertible, Source};
use crate::convert::{Canonical, ConvertError, ViaHub};
use crate::json;
use crate::reflect::Reflect;
use crate::scheme::SchemeError;
use crate::tree::{Empty, Side, Tree};

/// A version that converts the JSON of its objects.
pub(super) struct Undecoded<'a> {
    version: &'a dyn Convertible,
    pub(super) side: Side<'a>,
}

impl<'a> Undecoded<'a> {
    /// `None` if a rule of the version needs typed objects.
    pub(super) fn new(version: &'a dyn Convertible) -> Option<Self> {
        let side = Side::new(version.via_hub()?, Empty::Made(version.empty()))?;
        Some(Self { version, side })
    }
}

impl Convertible for Undecoded<'_> {
    fn empty(&self) -> AnyObject {
        self.version.empty()
    }

    fn try_to_hub(&self, object: &dyn Reflect) -> Result<AnyObject, ConvertError> {
        let json = encoded(object)?;
        let mut tree = Tree::new(&json).map_err(|error| convert_error(error.into()))?;
        self.side.to_hub(&mut tree).map_err(convert_error)?;
        decoded(self.side.empty_hub()?, &tree)
    }

    fn try_from_hub(&self, hub: &dyn Reflect) -> Result<AnyObject, ConvertError> {
        let json = encoded(hub)?;
        let mut tree = Tree::new(&json).map_err(|error| convert_error(error.into()))?;
        self.side.from_hub(&mut tree).map_err(convert_error)?;
        decoded(self.empty(), &tree)
    }

    fn generate(&self, source: &mut Source<'_>) -> AnyObject {
        self.version.generate(source)
    }

    fn generate_json(&self, source: &mut Source<'_>) -> Value {
        self.version.generate_json(source)
    }

    fn canonical(&self) -> Vec<Canonical> {
        self.version.canonical()
    }

    fn via_hub(&self) -> Option<&ViaHub> {
        self.version.via_hub()
    }
}

fn encoded(object: &dyn Reflect) -> Result<Vec<u8>, ConvertError> {
    json::encode(object).map_err(|error| convert_error(error.into()))
}

fn decoded(mut object: AnyObject, tree: &Tree<'_>) -> Result<AnyObject, ConvertError> {
    json::decode_into(&tree.to_json(), &mut *object).map_err(|error| convert_error(error.into()))?;
    Ok(object)
}

fn convert_error(error: SchemeError) -> ConvertError {
    match error {
        SchemeError::Convert(error) => error,
        error => ConvertError::Unfit { path: String::new(), message: error.to_string() },
    }
}
