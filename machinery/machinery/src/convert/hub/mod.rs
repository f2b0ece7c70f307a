//! Conversion of an object of any type to the hub of its kind, and back.

mod terms;

use std::sync::Arc;

pub(super) use self::terms::Form;
pub use self::terms::Terms;
use super::{Canonical, Convert, ConvertError, Functions};
use crate::reflect::{Reflect, boxed, put, take};
use crate::tree::{CompiledEdits, VersionEdits};

/// Converts an object to the hub of its family.
pub type ToHub = fn(Box<dyn Reflect>) -> Result<Box<dyn Reflect>, ConvertError>;

/// Converts a hub to one version of its family.
pub type FromHub = fn(Box<dyn Reflect>) -> Result<Box<dyn Reflect>, ConvertError>;

/// How objects of a version convert to the hub and back.
#[derive(Clone)]
pub enum ViaHub {
    /// With two compiled functions.
    Compiled {
        /// Makes an empty hub; `None` where it is what an empty object becomes.
        empty_hub: Option<fn() -> Box<dyn Reflect>>,
        /// Converts to the hub; fails if a string value has no counterpart there.
        to_hub: ToHub,
        /// Converts from the hub; fails if what the version cannot represent does not fit into
        /// annotations, or a string value has no counterpart there.
        from_hub: FromHub,
        /// What version → hub → version does not distinguish.
        canonical: &'static [Canonical],
        /// Where objects may be invalid after a conversion, as rules accept it.
        may_be_invalid: &'static [&'static str],
        /// How JSON converts without being decoded, where it can.
        json: Option<CompiledEdits>,
    },
    /// With a conversion that was built at run time.
    Runtime(Arc<dyn ConvertObject>),
}

/// A conversion that was built at run time.
pub trait ConvertObject: Send + Sync {
    /// An empty object of the version.
    fn empty(&self) -> Box<dyn Reflect>;

    /// Converts an object to the hub of its family.
    ///
    /// # Errors
    /// When a string value has no counterpart there.
    fn to_hub(&self, object: Box<dyn Reflect>) -> Result<Box<dyn Reflect>, ConvertError>;

    /// Converts a hub to the version.
    ///
    /// # Errors
    /// When what the version cannot represent does not fit into annotations, or a string
    /// value has no counterpart there.
    fn from_hub(&self, hub: Box<dyn Reflect>) -> Result<Box<dyn Reflect>, ConvertError>;

    /// What version → hub → version does not distinguish.
    fn canonical(&self) -> Vec<Canonical> {
        Vec::new()
    }

    /// Where objects may be invalid after a conversion, as rules accept it.
    fn may_be_invalid(&self) -> Vec<String> {
        Vec::new()
    }

    /// Calls `read` with the versions in whose terms stashes are read and written, unless the kind has no stash.
    fn with_terms(&self, read: &mut dyn FnMut(&Terms<'_>)) {
        let _ = read;
    }

    /// An empty hub; `None` where it is what an empty object becomes.
    fn empty_hub(&self) -> Option<Box<dyn Reflect>> {
        None
    }

    /// How JSON converts without being decoded, where it can, and the functions of the user's own code that this calls.
    fn json(&self) -> Option<(&VersionEdits, Functions)> {
        None
    }
}

impl ViaHub {
    /// The conversion of a type that implements [`Convert`].
    pub const fn of<T: Convert>() -> Self {
        Self::Compiled {
            empty_hub: Some(boxed::<T::Hub>),
            to_hub: to_hub::<T>,
            from_hub: from_hub::<T>,
            canonical: T::CANONICAL,
            may_be_invalid: T::MAY_BE_INVALID,
            json: T::JSON,
        }
    }

    /// How JSON converts without being decoded, and the functions of the user's own code that this calls. `None` where
    /// a rule needs typed objects.
    pub fn json(&self) -> Option<(&VersionEdits, Functions)> {
        match self {
            Self::Compiled { json, .. } => {
                json.map(|CompiledEdits { edits, functions, .. }| (edits, functions()))
            }
            Self::Runtime(conversion) => conversion.json(),
        }
    }

    /// Calls `read` with the versions in whose terms stashes of JSON that is not decoded are read and written, unless
    /// the kind has no stash.
    pub(crate) fn with_terms(&self, read: &mut dyn FnMut(&Terms<'_>)) {
        match self {
            Self::Compiled { json, .. } => {
                if let Some(terms) = json.and_then(|json| json.terms) {
                    read(&terms());
                }
            }
            Self::Runtime(conversion) => conversion.with_terms(read),
        }
    }

    /// What version → hub → version does not distinguish.
    pub fn canonical(&self) -> Vec<Canonical> {
        match self {
            Self::Compiled { canonical, .. } => canonical.to_vec(),
            Self::Runtime(conversion) => conversion.canonical(),
        }
    }

    /// The paths at which an object of another version may be invalid after it has been converted to this one, as the
    /// rules of this version accept it with `may-be-invalid`. Paths go through lists and maps without an index.
    pub fn may_be_invalid(&self) -> Vec<String> {
        match self {
            Self::Compiled { may_be_invalid, .. } => {
                may_be_invalid.iter().map(|path| (*path).to_owned()).collect()
            }
            Self::Runtime(conversion) => conversion.may_be_invalid(),
        }
    }

    /// An empty hub. `empty` is an empty object of the version. Functions of a user's own code may refuse that.
    ///
    /// # Errors
    /// When there is no other hub than that of the empty object, which is refused.
    pub fn empty_hub(
        &self,
        empty: impl FnOnce() -> Box<dyn Reflect>,
    ) -> Result<Box<dyn Reflect>, ConvertError> {
        let made = match self {
            Self::Compiled { empty_hub, .. } => empty_hub.map(|make| make()),
            Self::Runtime(conversion) => conversion.empty_hub(),
        };
        made.map_or_else(|| Ok(self.to_hub(empty())?.descriptor().new_object()), Ok)
    }

    /// Converts an object of the version to the hub.
    ///
    /// # Errors
    /// When a string value has no counterpart there.
    ///
    /// # Panics
    /// When the object is of another version.
    pub fn to_hub(&self, object: Box<dyn Reflect>) -> Result<Box<dyn Reflect>, ConvertError> {
        match self {
            Self::Compiled { to_hub, .. } => to_hub(object),
            Self::Runtime(conversion) => conversion.to_hub(object),
        }
    }

    /// Converts a hub to the version.
    ///
    /// # Errors
    /// When what the version cannot represent does not fit into annotations, or a string
    /// value has no counterpart there.
    ///
    /// # Panics
    /// When the hub belongs to another family.
    pub fn from_hub(&self, hub: Box<dyn Reflect>) -> Result<Box<dyn Reflect>, ConvertError> {
        match self {
            Self::Compiled { from_hub, .. } => from_hub(hub),
            Self::Runtime(conversion) => conversion.from_hub(hub),
        }
    }
}

pub(crate) fn to_hub<T: Convert>(mut object: Box<dyn Reflect>) -> Result<Box<dyn Reflect>, ConvertError> {
    let version: T = take(&mut *object);
    Ok(put(object, version.try_to_hub()?))
}

pub(crate) fn from_hub<T: Convert>(mut hub: Box<dyn Reflect>) -> Result<Box<dyn Reflect>, ConvertError> {
    let object = T::from_hub(take(&mut *hub))?;
    Ok(put(hub, object))
}
