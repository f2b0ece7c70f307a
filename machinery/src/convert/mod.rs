//! What keeps conversions lossless.
//!
//! Every convertible kind has a hub, a shape that holds whatever any of its
//! versions can say, and each version converts to it and back
//! ([`Convert`]). What a version cannot say travels with the object: in an
//! annotation that upstream defines where there is one ([`annotation`]), else
//! in one of ours ([`KEPT`]).
//!
//! The second works without knowing any rule. When a hub object is shown at a
//! version, [`keep`] reads the result back, compares it with the hub, and
//! writes down the difference beside fingerprints of what the client could
//! see. When the object comes back, [`restore`] puts the difference in again,
//! save where the client has edited: an edit always wins, and what hung on
//! something that is gone goes with it.
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
//! impl Convert for V1 {
//!     type Hub = V2;
//!
//!     fn to_hub(mut self) -> V2 {
//!         let kept = convert::take(&mut self.metadata.annotations);
//!         convert::restore(to_hub(self), kept)
//!     }
//!
//!     fn from_hub(mut hub: V2) -> Result<V1, ConvertError> {
//!         convert::forget(&mut hub.metadata.annotations, &[]);
//!         let mut object = V1 { metadata: hub.metadata.clone(), size: hub.sizes.first().copied() };
//!         let shown = to_hub(object.clone());
//!         convert::keep(&mut object.metadata.annotations, &shown, &hub)?;
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
mod fingerprint;
mod plain;
mod value;

use std::collections::BTreeMap;

use serde_json::Value;

use self::delta::Delta;
pub use self::error::ConvertError;
pub use self::value::{hoist, is_present, join, present, split, spread, with_shown};
use crate::json::Raw;
use crate::reflect::ApiType;

/// The annotations of an object.
pub type Annotations = BTreeMap<String, String>;

/// The annotation that holds what a version cannot say. No hub shows it.
pub const KEPT: &str = "conversion.hubgen.dev/kept";

/// The bytes that keys and values of all annotations of an object may have
/// together, as upstream limits them.
pub const MAX_ANNOTATIONS: usize = 256 * 1024;

/// A version of a kind that converts to the kind's hub and back.
///
/// The laws: `T::from_hub(hub.clone())?.to_hub() == hub` for every hub, and
/// `T::from_hub(object.to_hub())?` is `object`, save for what the rules
/// declare as normalised.
pub trait Convert: ApiType {
    /// What every version of the kind converts to.
    type Hub: ApiType;

    /// The object as the hub has it. Never fails: annotations that are
    /// stale, cut or forged are passed over.
    fn to_hub(self) -> Self::Hub;

    /// The hub's object as this version has it, with annotations for what
    /// the version cannot say.
    ///
    /// # Errors
    /// When there is more to keep than annotations may hold.
    fn from_hub(hub: Self::Hub) -> Result<Self, ConvertError>;
}

/// Takes our annotation off.
pub fn take(annotations: &mut Annotations) -> Option<String> {
    annotations.remove(KEPT)
}

/// Removes annotations that mean something in other versions of a kind only,
/// ours included; a hub shows none of them.
pub fn forget(annotations: &mut Annotations, keys: &[&str]) {
    for key in keys {
        annotations.remove(*key);
    }
    annotations.remove(KEPT);
}

/// Puts back into `hub`, as a version reads it, what our annotation kept.
///
/// Unless the client changed what it could see, that is all of it. Otherwise
/// it is done item by item: a field that still holds what it held gets its
/// kept value, a list element is found by its keys or else its content, and
/// what belonged to an element or object that is gone is dropped. Text that
/// is not ours changes nothing.
#[must_use]
pub fn restore<T: ApiType>(hub: T, kept: Option<String>) -> T {
    let Some((seen, delta)) = kept.and_then(|text| read(&text)) else { return hub };
    let unchanged = seen == fingerprint::of_object(&hub, &["metadata"]);
    let mut restored = hub.deep_copy();
    match apply::apply(&mut restored, &delta, unchanged) {
        Ok(()) => restored,
        Err(apply::Malformed) => hub,
    }
}

/// Writes into `annotations`, of an object at some version, what `lifted`,
/// the same object read back, lacks of `hub`.
///
/// # Errors
/// When the annotations would hold more than [`MAX_ANNOTATIONS`], or what has
/// to be kept is nested too deep to be read again.
pub fn keep<T: ApiType>(annotations: &mut Annotations, lifted: &T, hub: &T) -> Result<(), ConvertError> {
    if let Some(delta) = diff::diff(lifted, hub) {
        let seen = fingerprint::of_object(lifted, &["metadata"]);
        let text = Raw::from(&write(seen, delta));
        // The reader has a limit to nesting, and losing is not an option.
        Raw::new(text.as_str().as_bytes()).map_err(|error| ConvertError::TooDeep(error.to_string()))?;
        annotations.insert(KEPT.to_owned(), text.to_string());
    }
    check(annotations)
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

fn write(seen: u64, delta: Delta) -> Value {
    serde_json::json!({ "seen": fingerprint::to_hex(seen), "delta": delta.into_json() })
}

fn read(text: &str) -> Option<(u64, Delta)> {
    let value = Raw::new(text.as_bytes()).ok()?.to_value();
    let seen = fingerprint::from_hex(value.get("seen")?.as_str()?)?;
    Some((seen, Delta::from_json(value.get("delta")?)?))
}
