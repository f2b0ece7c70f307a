//! Converts the JSON of an object through the hub, with the stash.

use serde_json::Value;

use super::fault::Fault;
use super::graft::graft;
use super::node::value;
use super::path::{drop_out, get, put};
use super::{Path, Tree, VersionEdits};
use crate::convert::{ConvertError, Functions, STASH, Unread, ViaHub, stash_in};
use crate::json;
use crate::reflect::Reflect;
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

    /// Converts an object of the version to the hub, and restores what its stash has. What could not be read of the stash
    /// stays in the annotation, and is returned.
    ///
    /// # Errors
    /// When the JSON does not fit its version, or has no counterpart.
    pub(crate) fn to_hub(&self, tree: &mut Tree<'_>) -> Result<Option<Unread>, SchemeError> {
        if !has_stash(tree)? {
            self.edits.rules_to_hub(tree, &self.functions)?;
            return Ok(None);
        }
        let object = tree.to_json();
        remove_stash(tree)?;
        let plain = tree.to_json();
        self.edits.rules_to_hub(tree, &self.functions)?;
        let (mut plain, mut restored) = (self.typed_hub(&plain)?, self.typed_hub(&object)?);
        let left = restored.pointer(STASH_POINTER).and_then(Value::as_str).map(str::to_owned);
        for hub in [&mut plain, &mut restored] {
            // The stash never changes it.
            hub.as_object_mut().and_then(|members| members.remove("metadata"));
        }
        graft(tree, &plain, &restored).map_err(ConvertError::from)?;
        if let Some(left) = &left {
            put_stash(tree, left)?;
        }
        Ok(left.map(|left| Unread::of(&left)))
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
        if let Some(stash) = stash_in(&*object) {
            put_stash(tree, &stash)?;
        }
        Ok(())
    }

    /// An empty hub.
    pub(crate) fn empty_hub(&self) -> Result<Box<dyn Reflect>, ConvertError> {
        self.typed.empty_hub(|| self.empty.object())
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

const ANNOTATIONS: Path = Path::of(&["metadata", "annotations"]);

/// Where a stash is in JSON.
const STASH_POINTER: &str = "/metadata/annotations/conversion.hubgen.dev~1kept";

fn has_stash(tree: &mut Tree<'_>) -> Result<bool, ConvertError> {
    let Some(annotations) = get(tree, &ANNOTATIONS)?.filter(|annotations| !annotations.is_null()) else {
        return Ok(false);
    };
    let members = annotations.members().map_err(in_annotations)?;
    Ok(members.iter().any(|(name, _)| name == STASH))
}

fn in_annotations(error: json::Error) -> ConvertError {
    Fault::from(error).below(ANNOTATIONS.names()).into()
}

fn remove_stash(tree: &mut Tree<'_>) -> Result<(), ConvertError> {
    let Some(annotations) = get(tree, &ANNOTATIONS)? else { return Ok(()) };
    annotations.remove(STASH).map_err(in_annotations)?;
    if annotations.members().map_err(in_annotations)?.is_empty() {
        drop_out(tree, &ANNOTATIONS)?;
    }
    Ok(())
}

fn put_stash(tree: &mut Tree<'_>, stash: &str) -> Result<(), ConvertError> {
    let path = Path::of(&["metadata", "annotations", STASH]);
    Ok(put(tree, &path, Tree::string(stash))?)
}
