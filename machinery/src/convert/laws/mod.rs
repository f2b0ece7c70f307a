//! The laws of conversions, for tests, and objects to test them with.
//!
//! Objects are drawn from bytes over reflection, so every type has them and
//! nobody writes test data. No bytes draw the empty object, fewer bytes draw
//! smaller ones: whatever shrinks the bytes shrinks the object.
//!
//! ```
//! use hubgen_machinery::ApiType;
//! use hubgen_machinery::convert::laws::{Source, draw};
//!
//! #[derive(ApiType)]
//! struct Size {
//!     width: Option<i32>,
//! }
//!
//! assert_eq!(draw::<Size>(&mut Source::new(&[], &[])), Size::default());
//! ```

mod draw;

use super::{Annotations, Convert, KEPT};
use crate::json;
use crate::reflect::{ApiType, DeepCopy, Reflect, SlotMut};

pub use self::draw::{Source, draw};

/// Hub → version → hub is the identity.
///
/// # Errors
/// What came back instead.
pub fn hub_survives<T: Convert>(hub: &T::Hub) -> Result<(), String> {
    let object = T::from_hub(hub.deep_copy()).map_err(|error| error.to_string())?;
    same(&object.deep_copy().to_hub(), hub)
        .map_err(|error| format!("{error}\nat the version: {}", show(&object)))
}

/// Hub → version → other version's object → hub is the identity, each time
/// through the hub.
///
/// # Errors
/// What came back instead.
pub fn hub_survives_both<A: Convert, B: Convert<Hub = A::Hub>>(hub: &A::Hub) -> Result<(), String> {
    let first = A::from_hub(hub.deep_copy()).map_err(|error| error.to_string())?.to_hub();
    let second = B::from_hub(first).map_err(|error| error.to_string())?.to_hub();
    same(&second, hub)
}

/// Version → hub → version changes nothing the second time: what it changes
/// the first time is what the rules normalise. Gives that first result.
///
/// # Errors
/// What the second time made of it.
pub fn normalises_once<T: Convert>(object: &T) -> Result<T, String> {
    let once = T::from_hub(object.deep_copy().to_hub()).map_err(|error| error.to_string())?;
    let twice = T::from_hub(once.deep_copy().to_hub()).map_err(|error| error.to_string())?;
    same(&twice, &once).map(|()| once).map_err(|error| format!("{error}\nof: {}", show(object)))
}

/// Annotations that are stale, cut or forged neither fail nor stay.
///
/// # Errors
/// What is left of them in the hub.
pub fn bad_annotations_are_ignored<T: Convert>(object: &T, keys: &[&str], text: &str) -> Result<(), String> {
    let mut object = object.deep_copy();
    for key in keys.iter().copied().chain([KEPT]) {
        with_annotations(&mut object, &mut |annotations| {
            annotations.insert(key.to_owned(), text.to_owned());
        });
    }
    let mut hub = object.to_hub();
    let mut left = Vec::new();
    with_annotations(&mut hub, &mut |annotations| {
        left = keys.iter().copied().chain([KEPT]).filter(|key| annotations.contains_key(*key)).collect();
    });
    if left.is_empty() { Ok(()) } else { Err(format!("the hub still shows {left:?}")) }
}

/// Gives the annotations of an object, which are in its `metadata`.
pub fn with_annotations(object: &mut dyn Reflect, visit: &mut dyn FnMut(&mut Annotations)) {
    let Some(SlotMut::Struct(metadata)) = object.field_mut("metadata") else { return };
    let Some(SlotMut::Map(map)) = metadata.field_mut("annotations") else { return };
    let map: &mut dyn std::any::Any = map;
    if let Some(annotations) = map.downcast_mut::<Annotations>() {
        visit(annotations);
    }
}

fn same<T: ApiType>(found: &T, expected: &T) -> Result<(), String> {
    if crate::reflect::equal(found, expected) {
        return Ok(());
    }
    Err(format!("expected: {}\n   found: {}", show(expected), show(found)))
}

fn show(object: &dyn Reflect) -> String {
    String::from_utf8_lossy(&json::encode(object)).into_owned()
}
