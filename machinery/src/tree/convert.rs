//! Converts the JSON of an object through the hub, with the stash.

use serde_json::Value;

use super::fault::Fault;
use super::graft::graft;
use super::node::value;
use super::path::{drop_out, get, put};
use super::{Path, Tree, VersionEdits};
use crate::convert::{ConvertError, Functions, STASH, ViaHub};
use crate::json;
use crate::reflect::{Reflect, Slot};
use crate::scheme::{KindEntry, SchemeError};

/// A version whose JSON converts without being decoded.
///
/// The stash is that of typed objects, byte for byte: whatever is lost is found, written and restored with them. Most
/// objects lose nothing and have no stash, and are never decoded.
pub(crate) struct Side<'c> {
    edits: &'c VersionEdits,
    functions: Functions,
    /// How its typed objects convert.
    typed: &'c ViaHub,
    empty: Empty<'c>,
}

/// Where an empty object of a version comes from. Few conversions need one.
pub(crate) enum Empty<'c> {
    /// A kind.
    Of(&'c KindEntry),
    /// It is there already.
    Made(Box<dyn Reflect>),
}

impl Empty<'_> {
    fn object(&self) -> Box<dyn Reflect> {
        match self {
            Self::Of(entry) => entry.object(),
            Self::Made(object) => object.boxed_copy(),
        }
    }
}

impl<'c> Side<'c> {
    /// `None` if a rule of the version needs typed objects.
    pub(crate) fn new(typed: &'c ViaHub, empty: Empty<'c>) -> Option<Self> {
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
    pub(crate) fn to_hub(&self, tree: &mut Tree<'_>) -> Result<(), SchemeError> {
        let object = (!self.edits.exact).then(|| tree.clone());
        let had_stash = take_stash(tree)?;
        let both = object.filter(|_| had_stash).map(|object| [tree.to_json(), object.to_json()]);
        self.edits.rules_to_hub(tree, &self.functions)?;
        if let Some([plain, object]) = both {
            let (mut plain, mut restored) = (self.typed_hub(&plain)?, self.typed_hub(&object)?);
            for hub in [&mut plain, &mut restored] {
                // The stash never changes it.
                hub.as_object_mut().and_then(|members| members.remove("metadata"));
            }
            graft(tree, &plain, &restored).map_err(ConvertError::from)?;
        }
        Ok(())
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
        Ok(self.typed.to_hub(self.empty.object())?.descriptor().new_object())
    }

    /// The hub that a typed object becomes, as JSON.
    fn typed_hub(&self, object: &[u8]) -> Result<Value, SchemeError> {
        let mut typed = self.empty.object();
        json::decode_into(object, &mut *typed)?;
        let json = json::encode(&*self.typed.to_hub(typed)?)?;
        Ok(value(&json)
            .expect("what was encoded is JSON, and its numbers have floats because they were decoded"))
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
