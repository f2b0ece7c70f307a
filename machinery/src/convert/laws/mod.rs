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

use super::{Annotations, Convert, ConvertError, KEPT};
use crate::json;
use crate::reflect::{Reflect, SlotMut, equal};

pub use self::draw::{Source, draw, fill};

/// An object of any type.
pub type AnyObject = Box<dyn Reflect>;

/// A version whose conversions are tested.
#[derive(Clone, Copy)]
pub struct Version {
    /// Makes an empty object.
    pub new: fn() -> AnyObject,
    /// To the hub.
    pub to_hub: fn(AnyObject) -> AnyObject,
    /// From the hub.
    pub from_hub: fn(AnyObject) -> Result<AnyObject, ConvertError>,
}

impl Version {
    /// A type that converts.
    pub fn of<T: Convert>() -> Self {
        fn take<T: Reflect>(object: AnyObject) -> T {
            *object.downcast().unwrap_or_else(|_| panic!("the laws mixed up two types"))
        }
        Self {
            new: || Box::new(T::default()),
            to_hub: |object| Box::new(take::<T>(object).to_hub()),
            from_hub: |hub| Ok(Box::new(T::from_hub(take(hub))?)),
        }
    }

    /// Draws an object of the version.
    pub fn draw(&self, source: &mut Source<'_>) -> AnyObject {
        let mut object = (self.new)();
        fill(&mut *object, source);
        object
    }

    /// Draws a hub.
    pub fn draw_hub(&self, source: &mut Source<'_>) -> AnyObject {
        let mut hub = (self.to_hub)((self.new)());
        fill(&mut *hub, source);
        hub
    }

    /// The hub as the version has it.
    ///
    /// # Errors
    /// As [`Convert::from_hub`], as text.
    pub fn show(&self, hub: &dyn Reflect) -> Result<AnyObject, String> {
        (self.from_hub)(hub.boxed_copy()).map_err(|error| error.to_string())
    }

    /// The object as the hub has it.
    pub fn lift(&self, object: &dyn Reflect) -> AnyObject {
        (self.to_hub)(object.boxed_copy())
    }
}

/// Hub → version → hub is the identity, through each of the versions in turn.
///
/// # Errors
/// What came back instead.
pub fn hub_survives(versions: &[Version], hub: &dyn Reflect) -> Result<(), String> {
    let mut current = hub.boxed_copy();
    let mut trace = String::new();
    for version in versions {
        let object = version.show(&*current)?;
        trace.push_str(&format!("\n  shown: {}", text(&*object)));
        current = version.lift(&*object);
    }
    same(&*current, hub).map_err(|error| format!("{error}{trace}"))
}

/// Version → hub → version changes nothing the second time: what it changes
/// the first time is what the rules normalise. Gives that first result.
///
/// # Errors
/// What the second time made of it.
pub fn normalises_once(version: &Version, object: &dyn Reflect) -> Result<AnyObject, String> {
    let once = version.show(&*version.lift(object))?;
    let twice = version.show(&*version.lift(&*once))?;
    match same(&*twice, &*once) {
        Ok(()) => Ok(once),
        Err(error) => Err(format!("{error}\n     of: {}", text(object))),
    }
}

/// Annotations that are stale, cut or forged neither fail nor stay: `text`
/// under each of `keys`, and under ours.
///
/// # Errors
/// What is left of them in the hub.
pub fn bad_annotations_are_dropped(
    version: &Version,
    object: &dyn Reflect,
    keys: &[&str],
    text: &str,
) -> Result<(), String> {
    let keys: Vec<&str> = keys.iter().copied().chain([KEPT]).collect();
    let mut object = object.boxed_copy();
    with_annotations(&mut *object, &mut |annotations| {
        annotations.extend(keys.iter().map(|key| ((*key).to_owned(), text.to_owned())));
    });
    let mut hub = version.lift(&*object);
    let mut left = Vec::new();
    with_annotations(&mut *hub, &mut |annotations| {
        left = keys.iter().copied().filter(|key| annotations.contains_key(*key)).collect();
    });
    if left.is_empty() { Ok(()) } else { Err(format!("the hub still shows {left:?}")) }
}

/// Gives the annotations of an object, which are in its `metadata`; does
/// nothing where it has none.
pub fn with_annotations(object: &mut dyn Reflect, visit: &mut dyn FnMut(&mut Annotations)) {
    let Some(SlotMut::Struct(metadata)) = object.field_mut("metadata") else { return };
    let Some(SlotMut::Map(map)) = metadata.field_mut("annotations") else { return };
    let map: &mut dyn std::any::Any = map;
    if let Some(annotations) = map.downcast_mut::<Annotations>() {
        visit(annotations);
    }
}

/// Whether two objects are equal.
///
/// # Errors
/// Both, as JSON.
pub fn same(found: &dyn Reflect, expected: &dyn Reflect) -> Result<(), String> {
    if equal(found, expected) {
        return Ok(());
    }
    Err(format!("expected: {}\n   found: {}", text(expected), text(found)))
}

fn text(object: &dyn Reflect) -> String {
    String::from_utf8_lossy(&json::encode(object)).into_owned()
}
