//! A version whose JSON converts without being decoded, tested by the same laws as its typed objects.

mod agreement;
mod complete;
mod partial;

use serde_json::{Map, Value};

use super::{AnyObject, Convertible, Source, Stop};
use crate::convert::{Canonical, ConvertError, STASH, ViaHub};
use crate::json;
use crate::reflect::Reflect;
use crate::scheme::SchemeError;
use crate::tree::{Empty, Side, Tree};

pub(super) use self::agreement::agrees;
pub(super) use self::complete::{an_edit_wins, comes_back, hub_survives};
pub(super) use self::partial::gains_nothing;

/// A version that converts the JSON of its objects.
pub(super) struct Undecoded<'a> {
    version: &'a dyn Convertible,
    side: Side<'a>,
}

impl<'a> Undecoded<'a> {
    /// `None` if a rule of the version needs typed objects.
    pub(super) fn new(version: &'a dyn Convertible) -> Option<Self> {
        let side = Side::new(version.via_hub()?, Empty::Made(version.empty()))?;
        Some(Self { version, side })
    }

    fn to_hub_json(&self, object: &Value) -> Result<Value, SchemeError> {
        let json = object.to_string();
        let mut tree = Tree::new(json.as_bytes())?;
        self.side.to_hub(&mut tree)?;
        Ok(value(&tree))
    }

    fn from_hub_json(&self, hub: &[u8]) -> Result<Value, SchemeError> {
        let mut tree = Tree::new(hub)?;
        self.side.from_hub(&mut tree)?;
        Ok(value(&tree))
    }

    fn convert_json(&self, object: &Value, to: &Self) -> Result<Value, SchemeError> {
        let json = object.to_string();
        let mut tree = Tree::new(json.as_bytes())?;
        self.side.to_hub(&mut tree)?;
        to.side.from_hub(&mut tree)?;
        Ok(value(&tree))
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

/// An object of the version: generated as it is, or from another version or the hub, so that it has an annotation.
fn whole(versions: &[Undecoded<'_>], index: usize, source: &mut Source<'_>) -> Result<Value, Stop> {
    let version = &versions[index];
    let mut object = match source.below(3) {
        0 => return Ok(version.generate_json(source)),
        1 => {
            let hub = json::encode(&*version.generate_hub(source)).map_err(|error| error.to_string())?;
            version.from_hub_json(&hub)?
        }
        _ => {
            let other = &versions[source.below(versions.len())];
            other.convert_json(&other.generate_json(source), version)?
        }
    };
    if let (Value::Object(members), Some(meta)) = (&mut object, version.empty().descriptor().type_meta()) {
        members.insert("apiVersion".to_owned(), meta.api_version.into());
        members.insert("kind".to_owned(), meta.kind.into());
    }
    Ok(object)
}

fn value(tree: &Tree<'_>) -> Value {
    serde_json::from_slice(&tree.to_json()).expect("a tree is JSON")
}

fn annotations(object: &mut Value) -> Option<&mut Map<String, Value>> {
    let metadata = object.as_object_mut()?.entry("metadata").or_insert_with(|| Map::new().into());
    if metadata.is_null() {
        *metadata = Map::new().into();
    }
    let annotations = metadata.as_object_mut()?.entry("annotations").or_insert_with(|| Map::new().into());
    if annotations.is_null() {
        *annotations = Map::new().into();
    }
    annotations.as_object_mut()
}

fn stash(object: &Value) -> Option<String> {
    object.pointer("/metadata/annotations")?.get(STASH)?.as_str().map(str::to_owned)
}

fn set_stash(object: &mut Value, stash: &str) {
    if let Some(annotations) = annotations(object) {
        annotations.insert(STASH.to_owned(), stash.into());
    }
}

fn without_stash(object: &Value) -> Value {
    let mut object = object.clone();
    let metadata = object.get_mut("metadata").and_then(Value::as_object_mut);
    if let Some(metadata) = metadata
        && let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut)
        && annotations.remove(STASH).is_some()
        && annotations.is_empty()
    {
        metadata.remove("annotations");
    }
    object
}
