//! Lossless conversion between versions.
//!
//! Every convertible kind has a hub: a type that can represent whatever any of its versions can
//! represent. Each version converts to the hub and back ([`Convert`]). What a version cannot
//! represent travels with the object in an annotation: in upstream's own one where upstream defines
//! it ([`annotation`]), otherwise in the stash ([`STASH`]).
//!
//! The stash needs no rules. When a hub object is converted to a version, [`stash`] converts the
//! result back, compares it with the hub, and writes down the difference together with fingerprints
//! of what the client sees. When the object comes back, [`restore`] applies the difference again,
//! except where the client has edited. An edit always wins, and data that belongs to a removed
//! element is dropped with it. Restored data never changes a value that the version shows, whoever wrote
//! the annotation.
//!
//! A stash says in the terms of which version it is written: that of the hub. It outlives the program that wrote it,
//! and is read by programs with another hub as well ([`Terms`]). What cannot be read stays in the annotation, and
//! [`unread`] reports it.
//!
//! Generated kinds convert by rules. Other types implement the trait like this:
//!
//! ```
//! use hubgen_machinery::ApiType;
//! use hubgen_machinery::convert::{self, Annotations, Convert, ConvertError, Terms};
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
//! /// Represents one size only.
//! #[derive(ApiType)]
//! struct V1 {
//!     metadata: Meta,
//!     size: Option<i32>,
//! }
//!
//! /// Stashes have fields of V2, which is the hub.
//! const TERMS: Terms<'static> = Terms { hub: "example.com/v2", others: &[] };
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
//!         let mut kept = convert::take_stash(&mut self.metadata.annotations);
//!         let mut hub = convert::restore(self, &mut kept, &TERMS, to_hub, from_hub);
//!         convert::leave_unread(&mut hub.metadata.annotations, kept);
//!         hub
//!     }
//!
//!     fn from_hub(hub: V2) -> Result<V1, ConvertError> {
//!         let mut object = from_hub(hub.clone());
//!         let shown = to_hub(object.clone());
//!         convert::stash(&mut object.metadata.annotations, &TERMS, &shown, &hub)?;
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

#[doc(hidden)]
pub mod inside;

mod apply;
mod canonical;
mod delta;
mod diff;
mod error;
mod expect;
mod fingerprint;
mod function;
mod hub;
mod kept;
mod keyed;
pub(crate) mod number;
mod parameters;
mod plain;
mod readable;
mod rest;
mod restore;
mod returned;
mod stashed;
mod unread;
mod value;
mod value_table;

pub use self::canonical::Canonical;
pub use self::error::ConvertError;
pub use self::expect::{expect, expect_any};
pub use self::function::{Callable, Failure, Function, Functions};
pub use self::hub::{ConvertObject, FromHub, Terms, ToHub, ViaHub};
pub(crate) use self::hub::{from_hub, to_hub};
use self::kept::Stash;
pub use self::kept::is_unchanged;
pub(crate) use self::kept::{Zeros, stash_in};
pub use self::keyed::{Entries, by_key, keyed, try_by_key, try_keyed};
pub use self::number::{HoldsNumber, Number, to_number, to_text};
pub use self::parameters::{ObjectType, OptionalObject, Parameters, Plain, PlainType, PlainValue, Results};
pub use self::plain::is_unset;
pub use self::rest::{
    expect_unknown, expect_unknown_any, from_rest, from_rest_any, into_rest, into_rest_any, without,
};
use self::restore::Rules;
pub(crate) use self::restore::is_same;
pub use self::returned::{Returned, at, called, each_of, each_value_of};
pub use self::stashed::{Keeping, Stashed, stashed};
pub use self::unread::{Unread, unread};
pub use self::value::{
    Values, each_value, filled, hoist, is_present, join, present, present_if, split, spread, with_shown,
};
pub use self::value_table::{Cell, Level, Member, Part, Row, ValueTable, Way};
pub use hubgen_facts::{Bits, Multiple, NumberText, TimeUnit};

use crate::json::Lexer;
use crate::reflect::{ApiType, Lent, Reflect, SlotMut};
use crate::tree::CompiledEdits;
use crate::{Str, StrMap};

/// Implements [`Convert`] for types that are themselves the hub of their kind: both directions are
/// the identity.
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

                const JSON: ::core::option::Option<$crate::tree::CompiledEdits> =
                    ::core::option::Option::Some($crate::tree::CompiledEdits::HUB);

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
pub type Annotations = StrMap<Str>;

/// The annotation for what a version cannot represent, called the stash. A hub has it only if there is something in it
/// that could not be read.
pub const STASH: &str = "conversion.hubgen.dev/kept";

/// The maximum size in bytes of all annotations of an object, keys and values together. Upstream
/// sets this limit.
pub const MAX_ANNOTATIONS: usize = 256 * 1024;

/// A version of a kind that converts to the kind's hub and back.
///
/// Two laws apply. `T::from_hub(hub.clone())?.to_hub() == hub` is true for every hub. And
/// `T::from_hub(object.to_hub())?` equals `object`, except for what the rules declare as
/// canonicalized.
pub trait Convert: ApiType {
    /// The type that every version of the kind converts to.
    type Hub: ApiType;

    /// What version → hub → version does not distinguish. Everything else comes back as it was.
    const CANONICAL: &'static [Canonical] = &[];

    /// The paths at which an object of another version may be invalid after it has been converted to this one. Rules
    /// accept them with `may-be-invalid`, and `hubgen_laws` knows no others.
    const MAY_BE_INVALID: &'static [&'static str] = &[];

    /// How JSON converts without being decoded. `None` where this is not known: JSON is then decoded, converted and
    /// encoded, and gets every field that is always written.
    const JSON: Option<CompiledEdits> = None;

    /// Converts the object to the hub. Annotations that are stale, truncated or forged
    /// are ignored. A string value without a counterpart in the hub passes through in a form that
    /// converts back to the same value; [`try_to_hub`](Self::try_to_hub) refuses it.
    ///
    /// # Panics
    /// When a function of the user's own code refuses the object: nothing else is its hub. Objects of kinds without
    /// such functions always convert. [`try_to_hub`](Self::try_to_hub) returns an error.
    fn to_hub(self) -> Self::Hub;

    /// As [`to_hub`](Self::to_hub), for objects from untrusted clients.
    ///
    /// # Errors
    /// When a field contains a string value without a counterpart in the hub, or a function of the user's own code
    /// refuses the object. Most kinds have neither, and this never fails for them.
    fn try_to_hub(self) -> Result<Self::Hub, ConvertError> {
        Ok(self.to_hub())
    }

    /// Converts the hub to this version. Adds annotations for what the version cannot represent.
    ///
    /// # Errors
    /// When the data to keep does not fit into annotations, a field contains a string
    /// value without a counterpart in this version, or a function of the user's own code refuses the hub.
    fn from_hub(hub: Self::Hub) -> Result<Self, ConvertError>;
}

/// The hub of an object that a function of the user's own code might refuse.
///
/// # Panics
/// When it does.
pub fn expect_hub<H>(hub: Result<H, ConvertError>) -> H {
    hub.unwrap_or_else(|error| {
        panic!("the object has no hub, which `try_to_hub` returns as an error: {error}")
    })
}

/// Calls `visit` with the annotations of an object, which are in its `metadata`. Does nothing if
/// there are none.
pub fn with_annotations(object: &mut dyn Reflect, visit: &mut dyn FnMut(&mut Annotations)) {
    let Some(SlotMut::Struct(metadata)) = object.field_mut("metadata") else { return };
    let Some(SlotMut::Map(map)) = metadata.field_mut("annotations") else { return };
    if let Some(annotations) = map.downcast_mut() {
        visit(annotations);
    }
}

/// Removes and returns the stash, the annotation [`STASH`].
pub fn take_stash(annotations: &mut Annotations) -> Option<Str> {
    annotations.remove(STASH)
}

/// Puts back what could not be read of a stash, so that it stays with the object.
pub fn leave_unread(annotations: &mut Annotations, kept: Option<Str>) {
    if let Some(kept) = kept {
        annotations.insert(STASH, kept);
    }
}

/// Removes annotations that have a meaning only in other versions of the kind. A hub has none of them.
pub fn remove_reserved(annotations: &mut Annotations, keys: &[&str]) {
    for key in keys {
        annotations.remove(key);
    }
}

/// Converts an object to the hub and restores what its stash contains.
///
/// If the client changed nothing that it could see, everything is restored. Otherwise each item is
/// decided separately: a field with an unchanged value gets its stashed value, a list element is
/// found by its keys or else its content, and what belonged to a removed element or object is
/// dropped.
///
/// The stash never changes a value that the version shows, whatever it contains: parts that would are
/// dropped. `to_hub` and `from_hub` apply the rules only, without
/// the stash. Their annotations do not matter, so `from_hub` need not write any.
///
/// `kept` becomes what could not be read: text in another format, and what is in the [`Terms`] of a version, or about
/// fields, that this program does not know. It belongs into the annotations of the hub ([`leave_unread`]), where
/// [`unread`] finds it and [`stash`] keeps it.
#[must_use]
pub fn restore<T: ApiType, H: ApiType>(
    object: T,
    kept: &mut Option<Str>,
    terms: &Terms<'_>,
    to_hub: impl FnOnce(T) -> H,
    from_hub: fn(H) -> T,
) -> H {
    match try_restore(object, kept, terms, |object| Ok(to_hub(object)), |hub| Ok(from_hub(hub))) {
        Ok(hub) => hub,
        Err(error) => unreachable!("neither direction fails: {error}"),
    }
}

/// As [`restore`], for conversions by functions that may refuse an object.
///
/// # Errors
/// When `to_hub` refuses the object.
pub fn try_restore<T: ApiType, H: ApiType>(
    object: T,
    kept: &mut Option<Str>,
    terms: &Terms<'_>,
    to_hub: impl FnOnce(T) -> Result<H, ConvertError>,
    from_hub: impl Fn(H) -> Result<T, ConvertError>,
) -> Result<H, ConvertError> {
    if kept.is_none() {
        return to_hub(object);
    }
    let written = object.deep_copy();
    let hub = Box::new(to_hub(object)?);
    let rules = Rules {
        copy: &|hub| match hub.downcast_ref::<H>() {
            Some(hub) => Box::new(hub.deep_copy()),
            None => hub.boxed_copy(),
        },
        show: &|hub| Ok(Box::new(from_hub(concrete(hub))?)),
    };
    restore::restore(hub, Lent::new(&written), kept, terms, &rules).map(concrete)
}

/// As [`restore`], for an object of the version whose type is the hub. It has a stash only if it was written by a
/// program with another hub.
#[must_use]
pub fn restore_hub<H: ApiType>(
    mut object: H,
    terms: &Terms<'_>,
    annotations: fn(&mut H) -> &mut Annotations,
) -> H {
    let mut kept = take_stash(annotations(&mut object));
    let mut hub = restore(object, &mut kept, terms, |object| object, |hub| hub);
    leave_unread(annotations(&mut hub), kept);
    hub
}

/// As [`restore`], for types that are known only at run time. `written` is the object without its
/// stash, `hub` is the object converted by the rules, and `show` converts a hub back by the rules.
///
/// # Errors
/// When `show` needs a function that the program does not contain.
pub fn restore_any(
    hub: Box<dyn Reflect>,
    written: &dyn Reflect,
    kept: &mut Option<Str>,
    terms: &Terms<'_>,
    show: &dyn Fn(Box<dyn Reflect>) -> Result<Box<dyn Reflect>, ConvertError>,
) -> Result<Box<dyn Reflect>, ConvertError> {
    restore::restore(hub, written, kept, terms, &Rules { copy: &|hub| hub.boxed_copy(), show })
}

fn concrete<T: Reflect>(object: Box<dyn Reflect>) -> T {
    *object.downcast().unwrap_or_else(|_| unreachable!("a copy is of the same type"))
}

/// Adds a stash to `annotations`: what is in `hub` but not in `reconverted`. `annotations` belong
/// to an object at some version, and `reconverted` is that object converted back to the hub. A stash that `annotations`
/// have already is one that could not be read; it stays, inside the new one.
///
/// # Errors
/// When the annotations would exceed [`MAX_ANNOTATIONS`], or the data to keep is nested
/// too deeply to be read again.
pub fn stash(
    annotations: &mut Annotations,
    terms: &Terms<'_>,
    reconverted: &impl ApiType,
    hub: &impl ApiType,
) -> Result<(), ConvertError> {
    stash_any(annotations, terms, Lent::new(reconverted), Lent::new(hub))
}

/// As [`stash`], for types that are known only at run time.
///
/// # Errors
/// As [`stash`].
pub fn stash_any(
    annotations: &mut Annotations,
    terms: &Terms<'_>,
    reconverted: &dyn Reflect,
    hub: &dyn Reflect,
) -> Result<(), ConvertError> {
    stash_with(annotations, terms, reconverted, hub, None)
}

/// As [`stash_any`], for JSON that is not decoded: with its empty members that typed objects do not tell from none.
pub(crate) fn stash_with(
    annotations: &mut Annotations,
    terms: &Terms<'_>,
    reconverted: &dyn Reflect,
    hub: &dyn Reflect,
    zeros: Option<serde_json::Value>,
) -> Result<(), ConvertError> {
    let unread = annotations.get(STASH).map(ToString::to_string);
    if let Some(stash) = Stash::difference(Some(terms.hub), reconverted, hub, zeros)? {
        let text = Stash { unread, ..stash }.write();
        // The JSON reader limits nesting, and the data must not be lost.
        Lexer::over(&text).skip().map_err(|error| ConvertError::TooDeep(error.to_string()))?;
        annotations.insert(STASH, text.into());
    }
    check(annotations)
}

/// Returns an object unless its annotations exceed the limit. Not inlined, so that the code that
/// drops a refused object is compiled once.
///
/// # Errors
/// As [`check`].
#[inline(never)]
pub fn checked<T>(object: T, annotations: fn(&T) -> &Annotations) -> Result<T, ConvertError> {
    check(annotations(&object)).map(|()| object)
}

/// Checks that annotations do not exceed the limit. Called after something was added to them.
///
/// # Errors
/// When keys and values together exceed [`MAX_ANNOTATIONS`] bytes.
pub fn check(annotations: &Annotations) -> Result<(), ConvertError> {
    let total = annotations.iter().map(|(key, value)| key.len() + value.len()).sum();
    if total <= MAX_ANNOTATIONS {
        return Ok(());
    }
    let (key, value) = annotations
        .iter()
        .max_by_key(|(_, value)| value.len())
        .expect("annotations over the limit are not empty");
    Err(ConvertError::TooLarge { total, largest: key.to_string(), size: value.len() })
}
