//! The laws of conversions between the versions of a kind, which are given as types.
//!
//! To test your own versions, call [`check`]. It generates objects and checks all [`LAWS`] for each
//! version:
//!
//! ```
//! use hubgen_machinery::ApiType;
//! use hubgen_laws::versions::{self, Version};
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
//! let [old, new] = [Version::of::<Old>(), Version::of::<New>()];
//! versions::check(&[&old, &new], &[], 100)?;
//! # Ok::<(), String>(())
//! ```
//!
//! [`check_json`] generates JSON instead, as clients write it, and checks all [`JSON_LAWS`]: among
//! others, that a version returns JSON as it came. What the conversion does not distinguish, it declares
//! in [`Convert::CANONICAL`].
//!
//! [`check_undecoded`] checks the same of [conversions of JSON that is not decoded](hubgen_machinery::tree), and that
//! partial objects gain nothing ([`UNDECODED_LAWS`]).
//!
//! [`crate::check`] does both for all kinds of a Scheme in one call, with JSON that is valid by their
//! CustomResourceDefinitions.

mod all;
mod forge;
mod terms;
mod undecoded;

use hubgen_machinery::convert::inside::{is_either, stash_in, to_json};
use hubgen_machinery::convert::{
    Annotations, Canonical, Convert, ConvertError, ConvertObject, STASH, ViaHub, with_annotations,
};
use hubgen_machinery::json;
pub use hubgen_machinery::reflect::AnyObject;
use hubgen_machinery::reflect::{NewObject, Reflect, Slot, boxed, equal};
use hubgen_machinery::scheme::SchemeError;
use serde_json::Value;

pub use self::all::{
    Case, JSON_LAWS, LAWS, Law, UNDECODED_LAWS, check, check_all, check_json, check_undecoded,
};
pub use self::forge::forged;
pub use self::terms::a_former_stash_is_read;
use crate::Violations;
use crate::objects::{self, Source, differences, fill};

/// A version whose conversions are tested.
pub trait Convertible {
    /// An empty object.
    fn empty(&self) -> AnyObject;

    /// Converts the object to the hub, as [`Convert::try_to_hub`] does.
    ///
    /// # Errors
    /// As [`Convert::try_to_hub`].
    fn try_to_hub(&self, object: &dyn Reflect) -> Result<AnyObject, ConvertError>;

    /// Converts the object to the hub.
    ///
    /// # Errors
    /// As [`Convert::try_to_hub`], as text.
    fn to_hub(&self, object: &dyn Reflect) -> Result<AnyObject, Violations> {
        self.try_to_hub(object).map_err(|error| error.to_string().into())
    }

    /// Converts the hub to the version.
    ///
    /// # Errors
    /// As [`Convert::from_hub`].
    fn try_from_hub(&self, hub: &dyn Reflect) -> Result<AnyObject, ConvertError>;

    /// Converts the hub to the version.
    ///
    /// # Errors
    /// As [`Convert::from_hub`], as text.
    fn from_hub(&self, hub: &dyn Reflect) -> Result<AnyObject, Violations> {
        self.try_from_hub(hub).map_err(|error| error.to_string().into())
    }

    /// Generates an object of the version.
    fn generate(&self, source: &mut Source<'_>) -> AnyObject {
        let mut object = self.empty();
        fill(&mut *object, source);
        object
    }

    /// Generates an object of the version as clients write it: JSON, with all that JSON distinguishes.
    fn generate_json(&self, source: &mut Source<'_>) -> Value {
        objects::json_object(self.empty().descriptor(), source)
    }

    /// What version → hub → version does not distinguish.
    fn canonical(&self) -> Vec<Canonical> {
        Vec::new()
    }

    /// How the version converts, if this also tells how its JSON does without being decoded.
    fn via_hub(&self) -> Option<&ViaHub> {
        None
    }

    /// An empty hub.
    fn empty_hub(&self) -> AnyObject {
        match self.via_hub() {
            Some(via) => via.empty_hub(|| self.empty()),
            None => self.try_to_hub(&*self.empty()),
        }
        .expect("an empty object has no string value to refuse")
    }

    /// Generates a hub.
    fn generate_hub(&self, source: &mut Source<'_>) -> AnyObject {
        let mut hub = self.empty_hub();
        fill(&mut *hub, source);
        hub
    }
}

/// A version of a kind, compiled or built at run time.
#[derive(Clone)]
pub struct Version {
    /// Makes an empty object.
    pub new: NewObject,
    /// Converts to the hub and back.
    pub conversion: ViaHub,
}

impl Version {
    /// The version of a type that implements [`Convert`].
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

    fn canonical(&self) -> Vec<Canonical> {
        self.conversion.canonical()
    }

    fn via_hub(&self) -> Option<&ViaHub> {
        Some(&self.conversion)
    }
}

/// A conversion that was built at run time.
impl<T: ConvertObject> Convertible for T {
    fn empty(&self) -> AnyObject {
        ConvertObject::empty(self)
    }

    fn try_to_hub(&self, object: &dyn Reflect) -> Result<AnyObject, ConvertError> {
        ConvertObject::to_hub(self, object.boxed_copy())
    }

    fn try_from_hub(&self, hub: &dyn Reflect) -> Result<AnyObject, ConvertError> {
        ConvertObject::from_hub(self, hub.boxed_copy())
    }

    fn empty_hub(&self) -> AnyObject {
        let converted = || ConvertObject::to_hub(self, Convertible::empty(self));
        ConvertObject::empty_hub(self)
            .unwrap_or_else(|| converted().expect("an empty object has no string value to refuse"))
    }

    fn canonical(&self) -> Vec<Canonical> {
        ConvertObject::canonical(self)
    }
}

/// Why the check of a law ends early.
enum Stop {
    /// A conversion refuses the object, which no law forbids.
    Refused,
    Wrong(Violations),
}

impl From<ConvertError> for Stop {
    fn from(error: ConvertError) -> Self {
        match error {
            error if error.is_refusal() => Self::Refused,
            error => Self::Wrong(error.to_string().into()),
        }
    }
}

impl From<SchemeError> for Stop {
    fn from(error: SchemeError) -> Self {
        match error {
            SchemeError::Convert(error) => error.into(),
            error => Self::Wrong(error.to_string().into()),
        }
    }
}

impl From<Violations> for Stop {
    fn from(error: Violations) -> Self {
        Self::Wrong(error)
    }
}

impl From<String> for Stop {
    fn from(error: String) -> Self {
        Self::Wrong(error.into())
    }
}

/// Runs a law. It passes if a conversion refuses the object.
fn unless_refused(law: impl FnOnce() -> Result<(), Stop>) -> Result<(), Violations> {
    match law() {
        Ok(()) | Err(Stop::Refused) => Ok(()),
        Err(Stop::Wrong(error)) => Err(error),
    }
}

/// Hub → version → hub is the identity, also through several versions in turn.
///
/// # Errors
/// What came back instead.
pub fn hub_survives(versions: &[&dyn Convertible], hub: &dyn Reflect) -> Result<(), Violations> {
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
            Stop::from(error.to_string() + &trace.collect::<String>())
        })
    })
}

/// Version → hub → version changes nothing the second time. Changes of the first time are what the
/// rules canonicalize. Returns the result of the first time, or the object itself if the
/// conversions refuse it.
///
/// # Errors
/// The result of the second time, if it differs.
pub fn canonicalizes_once(version: &dyn Convertible, object: &dyn Reflect) -> Result<AnyObject, Violations> {
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

/// Version → hub → version returns the JSON of an object as it was: no field at all, `null`, `[]`,
/// `{}`, `""` and zero stay what they were, except for what the conversion
/// [declares](Convertible::canonical).
///
/// # Errors
/// The JSON that came back instead, and the paths at which it differs.
pub fn json_survives(version: &dyn Convertible, json: &Value) -> Result<(), Violations> {
    unless_refused(|| {
        let mut object = version.empty();
        json::decode_into(json.to_string().as_bytes(), &mut *object).map_err(|error| error.to_string())?;
        let decoded = encoded(&*object)?;
        objects::same_json(&decoded, json, object.descriptor(), &[])
            .map_err(|error| format!("decoded and encoded: {error}"))?;
        let back = version.try_from_hub(&*version.try_to_hub(&*object)?)?;
        let without_stash = encoded(&*without_ours(&*back))?;
        Ok(objects::same_json(&without_stash, json, version.empty().descriptor(), &version.canonical())?)
    })
}

fn encoded(object: &dyn Reflect) -> Result<Value, Violations> {
    let json = json::encode(object).map_err(|error| error.to_string())?;
    serde_json::from_slice(&json).map_err(|error| error.to_string().into())
}

/// A generated edit at a version wins, whatever the annotations contain: the version shows what was
/// written, or what that converts to without annotations.
///
/// Nothing else changes. The hub differs only where the edit alone makes a difference, or where the
/// old value would change what the version shows. A list gains or loses as many elements as the
/// edit added or removed.
///
/// # Errors
/// What the version shows instead, or what else changed.
pub fn an_edit_wins(
    version: &dyn Convertible,
    hub: &dyn Reflect,
    source: &mut Source<'_>,
) -> Result<(), Violations> {
    unless_refused(|| edit_wins(version, hub, source))
}

fn edit_wins(version: &dyn Convertible, hub: &dyn Reflect, source: &mut Source<'_>) -> Result<(), Stop> {
    let object = version.try_from_hub(hub)?;
    let mut edited = object.boxed_copy();
    let at = objects::edit(&mut *edited, source);
    let back = version.try_to_hub(&*edited)?;
    let describe = |error: Violations| {
        let texts = [hub, &*object, &*edited, &*back].map(text);
        let [hub, object, edited, back] = texts;
        format!(
            "{error}\n    hub: {hub}\n  shown: {object}\n   edit: {at}\n edited: {edited}\n   back: {back}"
        )
    };
    shows_either(version, &*back, &*edited)?.map_err(describe)?;
    let before = version.try_to_hub(&*without_ours(&*object))?;
    let after = version.try_to_hub(&*without_ours(&*edited))?;
    let values = [&*before, &*after, hub, &*back].map(|object| to_json(&Slot::Struct(object)));
    let meant = differences::paths(&values[0], &values[1]);
    let made = differences::paths(&values[2], &values[3]);
    for path in made.iter().filter(|path| !meant.iter().any(|other| differences::is_within(path, other))) {
        let mut as_it_was = back.boxed_copy();
        differences::put_back(hub, &mut *as_it_was, path);
        if matches!(shows_either(version, &*as_it_was, &*edited), Ok(Ok(()))) {
            return Err(describe(format!("{path} changed as well").into()).into());
        }
    }
    for path in &meant {
        let [before, after, hub, back] = [0, 1, 2, 3].map(|index| differences::len(&values[index], path));
        // If the version shows only some elements, the rules decide what happens to the others.
        if before == hub && after != back {
            return Err(describe(format!("{path} has {back} elements, expected {after}").into()).into());
        }
    }
    Ok(())
}

/// A stash that is stale, truncated, forged or enormous changes nothing that the version shows.
///
/// # Errors
/// The changed object.
pub fn a_bad_annotation_changes_nothing(
    version: &dyn Convertible,
    object: &dyn Reflect,
    annotation: &str,
) -> Result<(), Violations> {
    let mut object = object.boxed_copy();
    with_annotations(&mut *object, &mut |annotations| {
        annotations.insert(STASH, annotation.into());
    });
    unless_refused(|| {
        let hub = version.try_to_hub(&*object)?;
        shows_either(version, &*hub, &*object)?
            .map_err(|error| format!("{error}\n     of: {}\n   with: {annotation}", text(&*object)).into())
    })
}

/// Whether the version shows of a hub what was written, or what that converts to without
/// annotations.
fn shows_either(
    version: &dyn Convertible,
    hub: &dyn Reflect,
    written: &dyn Reflect,
) -> Result<Result<(), Violations>, Stop> {
    let expected = version.try_from_hub(&*version.try_to_hub(&*unannotated(written))?)?;
    let found = match version.try_from_hub(hub) {
        Ok(found) => found,
        // The restored data may be too large to be stashed again.
        Err(ConvertError::TooLarge { .. } | ConvertError::TooDeep(_) | ConvertError::NotJson(_)) => {
            return Ok(Ok(()));
        }
        // The version accepted these values when they were written, so they cannot be refused now.
        Err(error) => return Ok(Err(error.to_string().into())),
    };
    if is_either(&*found, written, &*expected, false) {
        return Ok(Ok(()));
    }
    Ok(Err(format!("expected: {}\n   found: {}", text(&*expected), text(&*found)).into()))
}

/// The stash of an object at a version.
pub fn stash_of(object: &dyn Reflect) -> Option<String> {
    stash_in(object)
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

/// Annotations that are stale, truncated or forged neither fail nor stay: `text` as the value of
/// each of `keys` and of the stash. A stash that cannot be read stays as it is.
///
/// # Errors
/// The annotations that are left in the hub.
pub fn bad_annotations_are_dropped(
    version: &dyn Convertible,
    object: &dyn Reflect,
    keys: &[&str],
    text: &str,
) -> Result<(), Violations> {
    let keys: Vec<&str> = keys.iter().copied().chain([STASH]).collect();
    let mut object = object.boxed_copy();
    with_annotations(&mut *object, &mut |annotations| {
        annotations.extend(keys.iter().map(|key| (*key, text.into())));
    });
    let mut hub = match version.try_to_hub(&*object) {
        Ok(hub) => hub,
        Err(error) => return unless_refused(|| Err(error.into())),
    };
    let mut left = Vec::new();
    with_annotations(&mut *hub, &mut |annotations| {
        let is_unread = |key: &str| key == STASH && annotations.get(key).is_some_and(|left| *left == *text);
        left = keys.iter().copied().filter(|key| annotations.contains_key(key) && !is_unread(key)).collect();
    });
    if left.is_empty() { Ok(()) } else { Err(format!("the hub still has the annotations {left:?}").into()) }
}

/// Compares two objects.
///
/// # Errors
/// The paths at which they differ, and both objects as JSON.
pub fn same(found: &dyn Reflect, expected: &dyn Reflect) -> Result<(), Violations> {
    if equal(found, expected) {
        return Ok(());
    }
    let values = [found, expected].map(|object| to_json(&Slot::Struct(object)));
    let paths = differences::paths(&values[0], &values[1]);
    let paths: Vec<&str> = paths.iter().map(|path| path.trim_start_matches('.')).collect();
    Err(format!("{} differs\nexpected: {}\n   found: {}", paths.join(", "), text(expected), text(found))
        .into())
}

fn text(object: &dyn Reflect) -> String {
    match json::encode(object) {
        Ok(json) => String::from_utf8_lossy(&json).into_owned(),
        Err(error) => error.to_string(),
    }
}
