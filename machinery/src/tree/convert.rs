//! Converts the JSON of an object through the hub, with the stash.

use serde_json::Value;

use super::fault::Fault;
use super::graft::graft;
use super::path::{drop_out, get, put};
use super::{Path, Tree, VersionEdits};
use crate::convert::{ConvertError, Functions, STASH, ViaHub};
use crate::json;
use crate::reflect::{Reflect, Slot};
use crate::scheme::SchemeError;

/// A version whose JSON converts without being decoded.
pub(crate) struct Side<'c> {
    edits: &'c VersionEdits,
    functions: Functions,
    /// How its typed objects convert.
    typed: &'c ViaHub,
    /// An empty object of the version.
    empty: Box<dyn Reflect>,
}

/// Converts an object to the other version.
///
/// The stash is that of typed objects, byte for byte: whatever is lost is found, written and restored with them. Most
/// objects lose nothing and have no stash, and are never decoded.
///
/// # Errors
/// When the JSON does not fit its version, has no counterpart, or what the version cannot represent does not fit into
/// annotations.
pub(crate) fn convert(object: &[u8], from: &Side<'_>, to: &Side<'_>) -> Result<Vec<u8>, SchemeError> {
    let mut tree = from.to_hub(object)?;
    to.from_hub(&mut tree)?;
    if let Some(meta) = to.empty.descriptor().type_meta() {
        tree.set("apiVersion", Tree::string(meta.api_version))?;
        tree.set("kind", Tree::string(meta.kind))?;
    }
    Ok(tree.to_json())
}

impl<'c> Side<'c> {
    /// `None` if a rule of the version needs typed objects.
    pub(crate) fn new(typed: &'c ViaHub, empty: Box<dyn Reflect>) -> Option<Self> {
        let (edits, functions) = typed.json()?;
        Some(Self { edits, functions, typed, empty })
    }

    /// The edits.
    pub(crate) fn edits(&self) -> &'c VersionEdits {
        self.edits
    }

    /// Converts an object of the version to the hub, and restores what its stash has.
    ///
    /// # Errors
    /// When the JSON does not fit its version, or has no counterpart.
    pub(crate) fn to_hub<'o>(&self, object: &'o [u8]) -> Result<Tree<'o>, SchemeError> {
        let mut tree = Tree::new(object)?;
        let stash = take_stash(&mut tree)?;
        let plain = (stash && !self.edits.exact).then(|| tree.to_json());
        self.edits.rules_to_hub(&mut tree, &self.functions)?;
        if let Some(plain) = plain {
            let (mut plain, mut restored) = (self.typed_hub(&plain)?, self.typed_hub(object)?);
            for hub in [&mut plain, &mut restored] {
                // The stash never changes it.
                hub.as_object_mut().and_then(|members| members.remove("metadata"));
            }
            graft(&mut tree, &plain, &restored).map_err(ConvertError::from)?;
        }
        Ok(tree)
    }

    /// Converts a hub to the version, and stashes what the version cannot represent.
    ///
    /// # Errors
    /// When a value has no counterpart, or what the version cannot represent does not fit into annotations.
    pub(crate) fn from_hub(&self, tree: &mut Tree<'_>) -> Result<(), SchemeError> {
        let before = (!self.edits.exact).then(|| tree.clone());
        let loses = self.edits.rules_from_hub(tree, &self.functions)?;
        let Some(before) = before.filter(|_| loses) else { return Ok(()) };
        let mut hub = self.empty_hub()?;
        json::decode_into(&before.to_json(), &mut *hub)?;
        let object = self.typed.from_hub(hub)?;
        if let Some(stash) = annotation(&*object) {
            put(tree, &Path::of(&["metadata", "annotations", STASH]), Tree::string(&stash))
                .map_err(ConvertError::from)?;
        }
        Ok(())
    }

    /// An empty hub.
    pub(crate) fn empty_hub(&self) -> Result<Box<dyn Reflect>, ConvertError> {
        Ok(self.typed.to_hub(self.empty.boxed_copy())?.descriptor().new_object())
    }

    /// The hub that a typed object becomes, as JSON.
    fn typed_hub(&self, object: &[u8]) -> Result<Value, SchemeError> {
        let mut typed = self.empty.boxed_copy();
        json::decode_into(object, &mut *typed)?;
        let json = json::encode(&*self.typed.to_hub(typed)?)?;
        Ok(serde_json::from_slice(&json).expect("what was encoded is JSON"))
    }
}

/// Removes the stash, which a hub never has. Returns whether there was one.
fn take_stash(tree: &mut Tree<'_>) -> Result<bool, ConvertError> {
    const ANNOTATIONS: Path = Path::of(&["metadata", "annotations"]);
    let in_annotations = |error| Fault::from(error).below(ANNOTATIONS.names());
    let Some(annotations) = get(tree, &ANNOTATIONS)?.filter(|annotations| !annotations.is_null()) else {
        return Ok(false);
    };
    let found = annotations.remove(STASH).map_err(in_annotations)?.is_some();
    if found && annotations.members().map_err(in_annotations)?.is_empty() {
        drop_out(tree, &ANNOTATIONS)?;
    }
    Ok(found)
}

/// The stash of a typed object.
fn annotation(object: &dyn Reflect) -> Option<String> {
    let Some(Slot::Struct(metadata)) = object.field("metadata") else { return None };
    let Some(Slot::Map(annotations)) = metadata.field("annotations") else { return None };
    match annotations.get(STASH) {
        Some(Slot::String(text)) => Some(text.as_str().to_owned()),
        _ => None,
    }
}
