//! Converts the JSON of an object through the hub, with the stash.

use std::cell::RefCell;

use serde_json::Value;

use super::fault::Fault;
use super::graft::graft;
use super::node::value;
use super::path::{drop_out, get, put};
use super::{Path, Tree, VersionEdits};
use super::{nulls, zeros};
use crate::convert::{
    Annotations, ConvertError, Functions, STASH, Unread, ViaHub, Zeros, is_same, restore_any, stash_with,
    take_stash, with_annotations,
};
use crate::json;
use crate::reflect::{Reflect, SlotMut};
use crate::scheme::{KindEntry, SchemeError};

/// A version whose JSON converts without being decoded.
///
/// Its stash has the form of that of typed objects, and either reads what the other wrote. What is in it follows from
/// the conversion of JSON: what that loses is found, written and restored. Most objects lose nothing and have no stash,
/// and are never decoded.
pub struct Side<'c> {
    edits: &'c VersionEdits,
    functions: Functions,
    /// How its typed objects convert.
    typed: &'c ViaHub,
    empty: Empty<'c>,
}

/// Where an empty object of a version comes from. Few conversions need one.
pub enum Empty<'c> {
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
    pub fn new(typed: &'c ViaHub, empty: Empty<'c>) -> Option<Self> {
        let (edits, functions) = typed.json()?;
        Some(Self { edits, functions, typed, empty })
    }

    /// The edits.
    pub fn edits(&self) -> &'c VersionEdits {
        self.edits
    }

    /// Converts an object of the version to the hub, and restores what its stash has. What could not be read of the
    /// stash stays in the annotation, and is returned.
    ///
    /// # Errors
    /// When the JSON does not fit its version, or has no counterpart.
    pub fn to_hub(&self, tree: &mut Tree<'_>) -> Result<Option<Unread>, SchemeError> {
        if !has_stash(tree)? {
            self.edits.rules_to_hub(tree, &self.functions)?;
            return Ok(None);
        }
        let mut written = decoded(self.empty.object(), tree)?;
        let mut kept = None;
        with_annotations(&mut *written, &mut |annotations| kept = take_stash(annotations));
        remove_stash(tree)?;
        self.edits.rules_to_hub(tree, &self.functions)?;
        let mut hub = decoded(self.empty_hub()?, tree)?;
        for object in [&mut hub, &mut written] {
            clear_metadata(&mut **object);
        }
        let plain = typed_value(&*hub)?;
        // Functions may read it.
        let metadata = get(tree, &METADATA).map_err(ConvertError::from)?.cloned();
        let own = RefCell::new(tree.clone());
        let mut restored = Ok(None);
        let zeros = kept.as_deref().and_then(Zeros::in_stash);
        let mut are_own = false;
        self.typed.with_terms(&mut |terms| {
            are_own = zeros.as_ref().is_some_and(|zeros| zeros.hub.as_deref() == Some(terms.hub));
            // A `null` that the hub's type requires may be one that somebody wrote, or none.
            let show = |hub: Box<dyn Reflect>| {
                let shown = self.shown(&*hub, None, metadata.as_ref())?;
                if is_same(&*shown, &*written) {
                    return Ok(shown);
                }
                let without = self.shown(&*hub, Some(&own), metadata.as_ref())?;
                Ok(if is_same(&*without, &*written) { without } else { shown })
            };
            restored = restore_any(hub.boxed_copy(), &*written, &mut kept, terms, &show).map(Some);
        });
        if let Some(restored) = restored.map_err(of_stash)? {
            let restored = typed_value(&*restored)?;
            graft(tree, &plain, &restored).map_err(ConvertError::from)?;
            match zeros {
                Some(zeros) if are_own => zeros::put_back(tree, &restored, &zeros.members),
                // Nobody knows what they are called in this hub.
                Some(_) => zeros::put_all(tree, &restored),
                None => Ok(()),
            }
            .map_err(ConvertError::from)?;
        }
        let Some(left) = kept else { return Ok(None) };
        put_stash(tree, &left)?;
        Ok(Some(Unread::of(&left)))
    }

    /// Converts a hub to the version, and stashes what the version cannot represent.
    ///
    /// # Errors
    /// When a value has no counterpart, or what the version cannot represent does not fit into annotations.
    pub fn from_hub(&self, tree: &mut Tree<'_>) -> Result<(), SchemeError> {
        let before = (!self.edits.exact).then(|| tree.clone());
        let loses = self.edits.rules_from_hub(tree, &self.functions)?;
        let Some(before) = before.filter(|_| loses) else { return Ok(()) };
        let mut back = tree.clone();
        self.edits.rules_to_hub(&mut back, &self.functions)?;
        let [mut whole, mut reconverted] =
            [decoded(self.empty_hub()?, &before)?, decoded(self.empty_hub()?, &back)?];
        let mut annotations = Annotations::new();
        with_annotations(&mut *whole, &mut |of_hub| annotations = std::mem::take(of_hub));
        for object in [&mut whole, &mut reconverted] {
            clear_metadata(&mut **object);
        }
        let mut zeros = lost_zeros(before, back, &*reconverted, &*whole)?;
        let mut stashed = Ok(());
        self.typed.with_terms(&mut |terms| {
            stashed = stash_with(&mut annotations, terms, &*reconverted, &*whole, zeros.take());
        });
        stashed?;
        if let Some(stash) = annotations.get(STASH) {
            put_stash(tree, stash)?;
        }
        Ok(())
    }

    /// What the version shows of a hub, by the rules alone. With `own`, the JSON that the version's converts to, a `null`
    /// that nobody wrote is none.
    fn shown(
        &self,
        hub: &dyn Reflect,
        own: Option<&RefCell<Tree<'_>>>,
        metadata: Option<&Tree<'_>>,
    ) -> Result<Box<dyn Reflect>, ConvertError> {
        let unfit = |error: String| ConvertError::from(Fault::unfit(error));
        let json = json::encode(hub).map_err(|error| unfit(error.to_string()))?;
        let mut tree = Tree::new(&json).map_err(Fault::from)?;
        if let Some(own) = own {
            nulls::forget(&mut tree, hub, Some(&mut own.borrow_mut()))?;
        }
        if let Some(metadata) = metadata {
            put(&mut tree, &METADATA, metadata.clone())?;
        }
        self.edits.rules_from_hub(&mut tree, &self.functions)?;
        let mut object = decoded(self.empty.object(), &tree).map_err(|error| unfit(error.to_string()))?;
        clear_metadata(&mut *object);
        Ok(object)
    }

    /// An empty hub.
    pub fn empty_hub(&self) -> Result<Box<dyn Reflect>, ConvertError> {
        self.typed.empty_hub(|| self.empty.object())
    }
}

fn decoded(mut object: Box<dyn Reflect>, tree: &Tree<'_>) -> Result<Box<dyn Reflect>, json::Error> {
    json::decode_into(&tree.to_json(), &mut *object)?;
    Ok(object)
}

/// A typed object as JSON.
fn typed_value(object: &dyn Reflect) -> Result<Value, SchemeError> {
    let json = json::encode(object)?;
    Ok(value(&json).expect("what was encoded is JSON, and its numbers have floats because they were decoded"))
}

/// What of the JSON `before` the difference of the typed objects does not have. `back` is the JSON that comes back.
fn lost_zeros(
    mut before: Tree<'_>,
    mut back: Tree<'_>,
    reconverted: &dyn Reflect,
    whole: &dyn Reflect,
) -> Result<Option<Value>, SchemeError> {
    if !zeros::may_be_lost(&mut before, &mut back).map_err(ConvertError::from)? {
        return Ok(None);
    }
    let [plain, restored] = [typed_value(reconverted)?, typed_value(whole)?];
    graft(&mut back, &plain, &restored).map_err(ConvertError::from)?;
    Ok(zeros::lost(&mut before, &mut back, &restored).map_err(ConvertError::from)?)
}

/// The metadata is the same on both sides, and a stash never changes it.
fn clear_metadata(object: &mut dyn Reflect) {
    object.field_mut("metadata").into_iter().for_each(SlotMut::clear);
}

const METADATA: Path = Path::of(&["metadata"]);
const ANNOTATIONS: Path = Path::of(&["metadata", "annotations"]);

/// Whether a stash fits its object, only the function can tell that returns what is stashed.
fn of_stash(error: ConvertError) -> ConvertError {
    match error {
        ConvertError::NoFunction { function, .. } => ConvertError::NoFunction {
            paths: vec![ANNOTATIONS.names().collect::<Vec<_>>().join(".")],
            function,
        },
        error => error,
    }
}

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
