//! The way of an object of any type to the hub of its kind, and back.

use std::sync::Arc;

use super::{Convert, ConvertError};
use crate::reflect::{Reflect, put, take};

/// Brings an object to the hub of its family.
pub type ToHub = fn(Box<dyn Reflect>) -> Result<Box<dyn Reflect>, ConvertError>;

/// Brings a hub to one version of its family.
pub type FromHub = fn(Box<dyn Reflect>) -> Result<Box<dyn Reflect>, ConvertError>;

/// How objects of a version get to the hub and back.
#[derive(Clone)]
pub enum ViaHub {
    /// By two functions.
    Compiled {
        /// To the hub; fails where a word has no counterpart there.
        to_hub: ToHub,
        /// From the hub; fails where what the version cannot say does not fit
        /// into annotations, or a word has no counterpart there.
        from_hub: FromHub,
    },
    /// By what was made at run time.
    Runtime(Arc<dyn ConvertObject>),
}

/// A conversion that was made at run time.
pub trait ConvertObject: Send + Sync {
    /// Brings an object to the hub of its family.
    ///
    /// # Errors
    /// Where a word has no counterpart there.
    fn to_hub(&self, object: Box<dyn Reflect>) -> Result<Box<dyn Reflect>, ConvertError>;

    /// Brings a hub to the version.
    ///
    /// # Errors
    /// Where what the version cannot say does not fit into annotations, or a
    /// word has no counterpart there.
    fn from_hub(&self, hub: Box<dyn Reflect>) -> Result<Box<dyn Reflect>, ConvertError>;
}

impl ViaHub {
    /// The conversion of a type that has one.
    pub const fn of<T: Convert>() -> Self {
        Self::Compiled { to_hub: to_hub::<T>, from_hub: from_hub::<T> }
    }

    /// Brings an object of the version to the hub.
    ///
    /// # Errors
    /// Where a word has no counterpart there.
    ///
    /// # Panics
    /// When the object is of another version.
    pub fn to_hub(&self, object: Box<dyn Reflect>) -> Result<Box<dyn Reflect>, ConvertError> {
        match self {
            Self::Compiled { to_hub, .. } => to_hub(object),
            Self::Runtime(conversion) => conversion.to_hub(object),
        }
    }

    /// Brings a hub to the version.
    ///
    /// # Errors
    /// Where what the version cannot say does not fit into annotations, or a
    /// word has no counterpart there.
    ///
    /// # Panics
    /// When the hub is that of another family.
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
