//! What keeps conversions lossless.
//!
//! Every convertible kind has a hub, a shape that holds whatever any of its
//! versions can say, and each version converts to it and back
//! ([`Convert`]). What a version cannot say travels with the object: in an
//! annotation that upstream defines where there is one ([`annotation`]), else
//! in one of ours ([`STASH`]).
//!
//! The second works without knowing any rule. When a hub object is shown at a
//! version, [`stash`] reads the result back, compares it with the hub, and
//! writes down the difference beside fingerprints of what the client could
//! see. When the object comes back, [`restore`] puts the difference in again,
//! save where the client has edited: an edit always wins, and what hung on
//! something that is gone goes with it. What it puts in never changes what the
//! version shows, whoever wrote it.
//!
//! Generated kinds convert by rules; anybody's types do like this:
//!
//! ```
//! use hubgen_machinery::ApiType;
//! use hubgen_machinery::convert::{self, Annotations, Convert, ConvertError};
//!
//! #[derive(ApiType)]
//! struct Meta {
//!     annotations: Annotations,
//! }
//!
//! #[derive(ApiType)]
//! struct V2 {
//!     metadata: Meta,
//!     sizes: Vec<i32>,
//! }
//!
//! /// Knows one size only.
//! #[derive(ApiType)]
//! struct V1 {
//!     metadata: Meta,
//!     size: Option<i32>,
//! }
//!
//! fn to_hub(object: V1) -> V2 {
//!     V2 { metadata: object.metadata, sizes: object.size.into_iter().collect() }
//! }
//!
//! fn from_hub(hub: V2) -> V1 {
//!     V1 { metadata: hub.metadata, size: hub.sizes.first().copied() }
//! }
//!
//! impl Convert for V1 {
//!     type Hub = V2;
//!
//!     fn to_hub(mut self) -> V2 {
//!         let kept = convert::take(&mut self.metadata.annotations);
//!         convert::restore(self, kept, to_hub, from_hub)
//!     }
//!
//!     fn from_hub(mut hub: V2) -> Result<V1, ConvertError> {
//!         convert::forget(&mut hub.metadata.annotations, &[]);
//!         let mut object = from_hub(hub.clone());
//!         let shown = to_hub(object.clone());
//!         convert::stash(&mut object.metadata.annotations, &shown, &hub)?;
//!         Ok(object)
//!     }
//! }
//!
//! let hub = V2 { sizes: vec![1, 2, 3], ..V2::default() };
//! let object = V1::from_hub(hub.clone()).unwrap();
//! assert_eq!(object.size, Some(1));
//! assert_eq!(object.to_hub(), hub);
//! ```

pub mod annotation;
pub mod functions;

pub mod laws;

mod apply;
mod delta;
mod diff;
mod error;
mod expect;
mod fingerprint;
mod function;
mod hub;
mod plain;
mod restore;
mod value;

use std::collections::BTreeMap;

pub use self::error::ConvertError;
pub use self::expect::{expect, expect_any};
pub use self::function::{Function, Plain, PlainType};
pub use self::hub::{ConvertObject, FromHub, ToHub, ViaHub};
pub(crate) use self::hub::{from_hub, to_hub};
pub use self::plain::is_unset;
use self::restore::Stash;
pub use self::value::{each_value, hoist, is_present, join, present, split, spread, with_shown};
use crate::json::Raw;
use crate::reflect::{ApiType, Lent, Reflect};

/// Implements [`Convert`] for types that are the hub of their kind as they
/// are: both directions are the identity.
///
/// ```
/// use hubgen_machinery::ApiType;
/// use hubgen_machinery::convert::{self, Convert};
///
/// #[derive(ApiType)]
/// struct Lamp {
///     watts: i32,
/// }
///
/// convert::identity!(Lamp);
///
/// assert_eq!(Lamp { watts: 40 }.to_hub(), Lamp { watts: 40 });
/// ```
#[doc(inline)]
pub use crate::__identity as identity;

#[doc(hidden)]
#[macro_export]
macro_rules! __identity {
    ($($kind:ty),+ $(,)?) => {
        $(
            impl $crate::convert::Convert for $kind {
                type Hub = Self;

                fn to_hub(self) -> Self {
                    self
                }

                fn from_hub(
                    hub: Self,
                ) -> ::core::result::Result<Self, $crate::convert::ConvertError> {
                    ::core::result::Result::Ok(hub)
                }
            }
        )+
    };
}

/// The annotations of an object.
pub type Annotations = BTreeMap<String, String>;

/// The annotation that holds what a version cannot say. No hub shows it.
pub const STASH: &str = "conversion.hubgen.dev/kept";

/// The bytes that keys and values of all annotations of an object may have
/// together, as upstream limits them.
pub const MAX_ANNOTATIONS: usize = 256 * 1024;

/// A version of a kind that converts to the kind's hub and back.
///
/// The laws: `T::from_hub(hub.clone())?.to_hub() == hub` for every hub, and
/// `T::from_hub(object.to_hub())?` is `object`, save for what the rules
/// declare as canonicalized.
pub trait Convert: ApiType {
    /// What every version of the kind converts to.
    type Hub: ApiType;

    /// The object as the hub has it. Never fails: annotations that are
    /// stale, cut or forged are passed over. A word without a counterpart goes
    /// through as well, in such a way that it comes back;
    /// [`try_to_hub`](Self::try_to_hub) refuses it.
    fn to_hub(self) -> Self::Hub;

    /// As [`to_hub`](Self::to_hub), for objects that anybody may have written.
    ///
    /// # Errors
    /// When a field contains a word that the hub has no counterpart for. Most
    /// kinds have no such fields, and this never fails for them.
    fn try_to_hub(self) -> Result<Self::Hub, ConvertError> {
        Ok(self.to_hub())
    }

    /// The hub's object as this version has it, with annotations for what
    /// the version cannot say.
    ///
    /// # Errors
    /// When there is more to keep than annotations may hold, or a field
    /// contains a word that the version has no counterpart for.
    fn from_hub(hub: Self::Hub) -> Result<Self, ConvertError>;
}

/// Takes our annotation off.
pub fn take(annotations: &mut Annotations) -> Option<String> {
    annotations.remove(STASH)
}

/// Removes annotations that mean something in other versions of a kind only,
/// ours included; a hub shows none of them.
pub fn forget(annotations: &mut Annotations, keys: &[&str]) {
    for key in keys {
        annotations.remove(*key);
    }
    annotations.remove(STASH);
}

/// The hub of an object at some version, with what our annotation kept.
///
/// Unless the client changed what it could see, that is all of it. Otherwise
/// it is done item by item: a field that still holds what it held gets its
/// kept value, a list element is found by its keys or else its content, and
/// what belonged to an element or object that is gone is dropped.
///
/// Whatever the annotation says, it never changes what the version shows:
/// what would is dropped, and so is text that is not ours. `to_hub` and
/// `from_hub` are the rules alone.
#[must_use]
pub fn restore<T: ApiType, H: ApiType>(
    object: T,
    kept: Option<String>,
    to_hub: fn(T) -> H,
    from_hub: fn(H) -> T,
) -> H {
    let Some(kept) = kept.and_then(|text| Stash::read(&text)) else { return to_hub(object) };
    let written = object.deep_copy();
    let hub = to_hub(object);
    let show = |hub: &dyn Reflect| -> Box<dyn Reflect> { Box::new(from_hub(concrete(hub.boxed_copy()))) };
    let restored = restore::restored(Lent::new(&hub), Lent::new(&written), &kept, &show);
    restored.map_or(hub, concrete)
}

/// As [`restore`], for types that are known at run time only: `written` is
/// the object without our annotation, `hub` what the rules make of it, and
/// `show` the way back by the rules alone.
#[must_use]
pub fn restore_any(
    hub: Box<dyn Reflect>,
    written: &dyn Reflect,
    kept: &str,
    show: &dyn Fn(&dyn Reflect) -> Box<dyn Reflect>,
) -> Box<dyn Reflect> {
    let restored = Stash::read(kept).and_then(|kept| restore::restored(&*hub, written, &kept, show));
    restored.unwrap_or(hub)
}

fn concrete<T: Reflect>(object: Box<dyn Reflect>) -> T {
    *object.downcast().unwrap_or_else(|_| unreachable!("a copy is of the same type"))
}

/// Writes into `annotations`, of an object at some version, what `reconverted`,
/// the same object read back, lacks of `hub`.
///
/// # Errors
/// When the annotations would hold more than [`MAX_ANNOTATIONS`], or what has
/// to be kept is nested too deep to be read again.
pub fn stash(
    annotations: &mut Annotations,
    reconverted: &impl ApiType,
    hub: &impl ApiType,
) -> Result<(), ConvertError> {
    stash_any(annotations, Lent::new(reconverted), Lent::new(hub))
}

/// As [`stash`], for types that are known at run time only.
///
/// # Errors
/// As [`stash`].
pub fn stash_any(
    annotations: &mut Annotations,
    reconverted: &dyn Reflect,
    hub: &dyn Reflect,
) -> Result<(), ConvertError> {
    if let Some(delta) = diff::diff(reconverted, hub) {
        let text = Stash::new(fingerprint::of_object(reconverted, &["metadata"]), delta).write();
        // The reader has a limit to nesting, and losing is not an option.
        Raw::new(text.as_str().as_bytes()).map_err(|error| ConvertError::TooDeep(error.to_string()))?;
        annotations.insert(STASH.to_owned(), text.to_string());
    }
    check(annotations)
}

/// An object whose annotations are not too large together. Not inlined, so that
/// the code to drop one that is refused stands in one place.
///
/// # Errors
/// As [`check`].
#[inline(never)]
pub fn checked<T>(object: T, annotations: fn(&T) -> &Annotations) -> Result<T, ConvertError> {
    check(annotations(&object)).map(|()| object)
}

/// Refuses annotations that are too large together, once something was added
/// to them.
///
/// # Errors
/// When keys and values are more than [`MAX_ANNOTATIONS`] bytes.
pub fn check(annotations: &Annotations) -> Result<(), ConvertError> {
    let total = annotations.iter().map(|(key, value)| key.len() + value.len()).sum();
    if total <= MAX_ANNOTATIONS {
        return Ok(());
    }
    let (key, value) = annotations.iter().max_by_key(|(_, value)| value.len()).expect("there are some");
    Err(ConvertError::TooLarge { total, largest: key.clone(), size: value.len() })
}
