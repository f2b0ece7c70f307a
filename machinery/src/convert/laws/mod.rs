//! The laws of conversions, for tests, and objects to test them with.
//!
//! Objects are generated from bytes over reflection, so every type has them and
//! nobody writes test data. No bytes generate the empty object, fewer bytes generate
//! smaller ones: whatever shrinks the bytes shrinks the object.
//!
//! ```
//! use hubgen_machinery::ApiType;
//! use hubgen_machinery::convert::laws::{Source, generate};
//!
//! #[derive(ApiType)]
//! struct Size {
//!     width: Option<i32>,
//! }
//!
//! assert_eq!(generate::<Size>(&mut Source::new(&[], &[])), Size::default());
//! ```
//!
//! A test of your own versions is one call, [`check`], which generates objects and checks all [`LAWS`] for each
//! version:
//!
//! ```
//! use hubgen_machinery::ApiType;
//! use hubgen_machinery::convert::laws::{self, Version};
//! use hubgen_machinery::convert::{Convert, ConvertError};
//!
//! #[derive(ApiType)]
//! struct Old {
//!     size: i32,
//! }
//!
//! #[derive(ApiType)]
//! struct New {
//!     width: i32,
//! }
//!
//! impl Convert for New {
//!     type Hub = Self;
//!
//!     fn to_hub(self) -> Self {
//!         self
//!     }
//!
//!     fn from_hub(hub: Self) -> Result<Self, ConvertError> {
//!         Ok(hub)
//!     }
//! }
//!
//! impl Convert for Old {
//!     type Hub = New;
//!
//!     fn to_hub(self) -> New {
//!         New { width: self.size }
//!     }
//!
//!     fn from_hub(hub: New) -> Result<Self, ConvertError> {
//!         Ok(Self { size: hub.width })
//!     }
//! }
//!
//! laws::check(&[&Version::of::<Old>(), &Version::of::<New>()], &[], 100)?;
//! # Ok::<(), String>(())
//! ```

mod all;
mod edit;
mod forge;
mod generate;
mod shrink;

use super::plain::to_json;
use super::restore::is_either;
use super::{Annotations, Convert, ConvertError, STASH, ViaHub};
use crate::json;
use crate::reflect::{NewObject, Reflect, Slot, SlotMut, boxed, equal};

pub use self::all::{Case, LAWS, Law, check};
pub use self::edit::edit;
pub use self::forge::forged;
pub use self::generate::{Source, fill, generate};
pub use self::shrink::{bytes, random, shrink};

/// An object of any type.
pub type AnyObject = Box<dyn Reflect>;

/// A version whose conversions are tested.
pub trait Convertible {
    /// An empty object.
    fn empty(&self) -> AnyObject;

    /// The object as the hub has it; as [`Convert::try_to_hub`].
    ///
    /// # Errors
    /// As [`Convert::try_to_hub`].
    fn try_to_hub(&self, object: &dyn Reflect) -> Result<AnyObject, ConvertError>;

    /// The object as the hub has it.
    ///
    /// # Errors
    /// As [`Convert::try_to_hub`], as text.
    fn to_hub(&self, object: &dyn Reflect) -> Result<AnyObject, String> {
        self.try_to_hub(object).map_err(|error| error.to_string())
    }

    /// The hub as the version has it.
    ///
    /// # Errors
    /// As [`Convert::from_hub`].
    fn try_from_hub(&self, hub: &dyn Reflect) -> Result<AnyObject, ConvertError>;

    /// The hub as the version has it.
    ///
    /// # Errors
    /// As [`Convert::from_hub`], as text.
    fn from_hub(&self, hub: &dyn Reflect) -> Result<AnyObject, String> {
        self.try_from_hub(hub).map_err(|error| error.to_string())
    }

    /// Generates an object of the version.
    fn generate(&self, source: &mut Source<'_>) -> AnyObject {
        let mut object = self.empty();
        fill(&mut *object, source);
        object
    }

    /// Generates a hub.
    fn generate_hub(&self, source: &mut Source<'_>) -> AnyObject {
        let mut hub = self.to_hub(&*self.empty()).expect("an empty object contains no word");
        fill(&mut *hub, source);
        hub
    }
}

/// A version of a kind, compiled or made at run time.
#[derive(Clone)]
pub struct Version {
    /// Makes an empty object.
    pub new: NewObject,
    /// To the hub and back.
    pub conversion: ViaHub,
}

impl Version {
    /// A type that converts.
    pub fn of<T: Convert>() -> Self {
        Self { new: NewObject::Compiled(boxed::<T>), conversion: ViaHub::of::<T>() }
    }
}

impl Convertible for Version {
    fn empty(&self) -> AnyObject {
        self.new.object()
    }

    fn try_to_hub(&self, object: &dyn Reflect) -> Result<AnyObject, ConvertError> {
        self.conversion.to_hub(object.boxed_copy())
    }

    fn try_from_hub(&self, hub: &dyn Reflect) -> Result<AnyObject, ConvertError> {
        self.conversion.from_hub(hub.boxed_copy())
    }
}

/// Why a law says nothing of an object, or what is wrong.
enum Stop {
    /// A conversion refuses the object, which no law forbids.
    Refused,
    Wrong(String),
}

impl From<ConvertError> for Stop {
    fn from(error: ConvertError) -> Self {
        match error {
            ConvertError::UnknownWord { .. } => Self::Refused,
            error => Self::Wrong(error.to_string()),
        }
    }
}

impl From<String> for Stop {
    fn from(error: String) -> Self {
        Self::Wrong(error)
    }
}

/// Holds where the conversions refuse the object.
fn unless_refused(law: impl FnOnce() -> Result<(), Stop>) -> Result<(), String> {
    match law() {
        Ok(()) | Err(Stop::Refused) => Ok(()),
        Err(Stop::Wrong(error)) => Err(error),
    }
}

/// Hub → version → hub is the identity, through each of the versions in turn.
///
/// # Errors
/// What came back instead.
pub fn hub_survives(versions: &[&dyn Convertible], hub: &dyn Reflect) -> Result<(), String> {
    unless_refused(|| {
        let mut current = hub.boxed_copy();
        let mut shown = Vec::new();
        for version in versions {
            let object = version.try_from_hub(&*current)?;
            current = version.try_to_hub(&*object)?;
            shown.push(object);
        }
        same(&*current, hub).map_err(|error| {
            let trace = shown.iter().map(|object| format!("\n  shown: {}", text(&**object)));
            Stop::Wrong(error + &trace.collect::<String>())
        })
    })
}

/// Version → hub → version changes nothing the second time: what it changes
/// the first time is what the rules canonicalize. Gives that first result, or the
/// object as it is where the conversions refuse it.
///
/// # Errors
/// What the second time made of it.
pub fn canonicalizes_once(version: &dyn Convertible, object: &dyn Reflect) -> Result<AnyObject, String> {
    let mut first = object.boxed_copy();
    unless_refused(|| {
        let once = version.try_from_hub(&*version.try_to_hub(object)?)?;
        let twice = version.try_from_hub(&*version.try_to_hub(&*once)?)?;
        same(&*twice, &*once).map_err(|error| format!("{error}\n     of: {}", text(object)))?;
        first = once;
        Ok(())
    })?;
    Ok(first)
}

/// An edit at a version wins, whatever the annotations say: the version shows
/// what was written, or what that means without them. And nothing else changes: what differs in
/// the hub is where the edit alone makes a difference, or could not stay as it
/// was without the version showing something else, and a list grows and shrinks
/// by as many elements. The edit is generated.
///
/// # Errors
/// What the version shows instead, or what else changed.
pub fn an_edit_wins(
    version: &dyn Convertible,
    hub: &dyn Reflect,
    source: &mut Source<'_>,
) -> Result<(), String> {
    unless_refused(|| edit_wins(version, hub, source))
}

fn edit_wins(version: &dyn Convertible, hub: &dyn Reflect, source: &mut Source<'_>) -> Result<(), Stop> {
    let object = version.try_from_hub(hub)?;
    let mut edited = object.boxed_copy();
    let at = edit(&mut *edited, source);
    let back = version.try_to_hub(&*edited)?;
    let told = |error: String| {
        let texts = [hub, &*object, &*edited, &*back].map(text);
        let [hub, object, edited, back] = texts;
        format!(
            "{error}\n    hub: {hub}\n  shown: {object}\n   edit: {at}\n edited: {edited}\n   back: {back}"
        )
    };
    shows_either(version, &*back, &*edited)?.map_err(told)?;
    let before = version.try_to_hub(&*without_ours(&*object))?;
    let after = version.try_to_hub(&*without_ours(&*edited))?;
    let values = [&*before, &*after, hub, &*back].map(|object| to_json(&Slot::Struct(object)));
    let meant = edit::differences(&values[0], &values[1]);
    let made = edit::differences(&values[2], &values[3]);
    for path in made.iter().filter(|path| !meant.iter().any(|other| edit::is_within(path, other))) {
        let mut as_it_was = back.boxed_copy();
        edit::put_back(hub, &mut *as_it_was, path);
        if matches!(shows_either(version, &*as_it_was, &*edited), Ok(Ok(()))) {
            return Err(told(format!("{path} changed as well")).into());
        }
    }
    for path in &meant {
        let [before, after, hub, back] = [0, 1, 2, 3].map(|index| edit::len(&values[index], path));
        // Where the version shows only some elements, it is for the rules to
        // say what becomes of the others.
        if before == hub && after != back {
            return Err(told(format!("{path} has {back} elements, expected {after}")).into());
        }
    }
    Ok(())
}

/// An annotation of ours that is stale, cut, forged or enormous changes
/// nothing that the version shows.
///
/// # Errors
/// What it made of the object.
pub fn a_bad_annotation_changes_nothing(
    version: &dyn Convertible,
    object: &dyn Reflect,
    annotation: &str,
) -> Result<(), String> {
    let mut object = object.boxed_copy();
    with_annotations(&mut *object, &mut |annotations| {
        annotations.insert(STASH.to_owned(), annotation.to_owned());
    });
    unless_refused(|| {
        let hub = version.try_to_hub(&*object)?;
        shows_either(version, &*hub, &*object)?
            .map_err(|error| format!("{error}\n     of: {}\n   with: {annotation}", text(&*object)).into())
    })
}

/// The version shows of a hub what was written, or what that means without any
/// annotations.
fn shows_either(
    version: &dyn Convertible,
    hub: &dyn Reflect,
    written: &dyn Reflect,
) -> Result<Result<(), String>, Stop> {
    let expected = version.try_from_hub(&*version.try_to_hub(&*unannotated(written))?)?;
    let found = match version.try_from_hub(hub) {
        Ok(found) => found,
        // What was put in may be too much to be kept again.
        Err(ConvertError::TooLarge { .. } | ConvertError::TooDeep(_)) => return Ok(Ok(())),
        // What the version shows was written at it, and was not refused then.
        Err(error @ ConvertError::UnknownWord { .. }) => return Ok(Err(error.to_string())),
    };
    if is_either(&*found, written, &*expected) {
        return Ok(Ok(()));
    }
    Ok(Err(format!("expected: {}\n   found: {}", text(&*expected), text(&*found))))
}

/// What we kept for an object that is shown at a version.
pub fn kept(object: &dyn Reflect) -> Option<String> {
    let mut found = None;
    with_annotations(&mut *object.boxed_copy(), &mut |annotations| found = annotations.remove(STASH));
    found
}

fn unannotated(object: &dyn Reflect) -> AnyObject {
    let mut object = object.boxed_copy();
    with_annotations(&mut *object, &mut Annotations::clear);
    object
}

fn without_ours(object: &dyn Reflect) -> AnyObject {
    let mut object = object.boxed_copy();
    with_annotations(&mut *object, &mut |annotations| {
        annotations.remove(STASH);
    });
    object
}

/// Annotations that are stale, cut or forged neither fail nor stay: `text`
/// under each of `keys`, and under ours.
///
/// # Errors
/// What is left of them in the hub.
pub fn bad_annotations_are_dropped(
    version: &dyn Convertible,
    object: &dyn Reflect,
    keys: &[&str],
    text: &str,
) -> Result<(), String> {
    let keys: Vec<&str> = keys.iter().copied().chain([STASH]).collect();
    let mut object = object.boxed_copy();
    with_annotations(&mut *object, &mut |annotations| {
        annotations.extend(keys.iter().map(|key| ((*key).to_owned(), text.to_owned())));
    });
    let mut hub = match version.try_to_hub(&*object) {
        Ok(hub) => hub,
        Err(error) => return unless_refused(|| Err(error.into())),
    };
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
    if let Some(annotations) = map.downcast_mut() {
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
