//! An object with the metadata that kube asks for.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, OnceLock, PoisonError};

use hubgen_machinery::reflect::{self, ApiType, Kind};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::kube_core::ObjectMeta;
use super::metadata;

/// An object of hubgen for kube's clients: `Api<Kube<Deployment>>`.
///
/// It is used as the object itself, whose fields it dereferences to. What kube asks of it is there as well: `meta()`,
/// `name_any()` and all else of `Resource` and `ResourceExt`. The metadata is one, whichever way it is read or changed:
/// labels that `labels_mut()` adds are in `metadata.labels`, and the other way round.
///
/// # What it costs
/// kube's metadata is made when kube first asks for it, and is then beside the object's own. A change of the object
/// drops it, and it is made again if kube asks again. Objects that kube never asks about pay one allocation.
pub struct Kube<T> {
    /// The object; empty while it is in `stale`.
    object: OnceLock<Box<T>>,
    /// The object, while its metadata is older than `metadata`: that was lent for writing, and nobody has looked at
    /// the object since.
    stale: Mutex<Option<Box<T>>>,
    /// kube's metadata, if it was asked for and the object was not changed since.
    metadata: OnceLock<Box<ObjectMeta>>,
}

impl<T: ApiType<Whole: Kind>> Kube<T> {
    /// Wraps an object.
    pub fn new(object: T) -> Self {
        Self { object: Box::new(object).into(), stale: Mutex::new(None), metadata: OnceLock::new() }
    }

    /// The object itself.
    pub fn into_inner(self) -> T {
        self.get();
        *self.object.into_inner().expect("it was just looked at")
    }

    fn get(&self) -> &T {
        self.object.get_or_init(|| {
            let stale = self.stale.lock().unwrap_or_else(PoisonError::into_inner).take();
            let mut object = stale.expect("the object is in one of the two");
            if let Some(metadata) = self.metadata.get() {
                metadata::write(metadata, &mut *object);
            }
            object
        })
    }

    pub(super) fn meta(&self) -> &ObjectMeta {
        self.metadata.get_or_init(|| Box::new(metadata::read(self.get())))
    }

    pub(super) fn meta_mut(&mut self) -> &mut ObjectMeta {
        self.meta();
        if let Some(object) = self.object.take() {
            *self.stale.get_mut().unwrap_or_else(PoisonError::into_inner) = Some(object);
        }
        self.metadata.get_mut().expect("it was just made")
    }
}

impl<T: ApiType<Whole: Kind>> Deref for Kube<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.get()
    }
}

impl<T: ApiType<Whole: Kind>> DerefMut for Kube<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.get();
        self.metadata.take();
        self.object.get_mut().expect("it was just looked at")
    }
}

impl<T: ApiType<Whole: Kind>> From<T> for Kube<T> {
    fn from(object: T) -> Self {
        Self::new(object)
    }
}

impl<T: ApiType<Whole: Kind>> Default for Kube<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

/// Without kube's metadata, which is made again if it is needed.
impl<T: ApiType<Whole: Kind>> Clone for Kube<T> {
    fn clone(&self) -> Self {
        Self::new(self.get().deep_copy())
    }
}

impl<T: ApiType<Whole: Kind>> PartialEq for Kube<T> {
    fn eq(&self, other: &Self) -> bool {
        reflect::equal(self.get(), other.get())
    }
}

impl<T: ApiType<Whole: Kind>> fmt::Debug for Kube<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        reflect::debug(self.get(), f)
    }
}

/// As the object itself, with `apiVersion` and `kind`. Views do not implement it: whoever replaces an object by a view
/// of it loses the other fields.
impl<T: Kind> Serialize for Kube<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        reflect::serialize(self.get(), serializer)
    }
}

/// As the object itself. `apiVersion` and `kind` may be missing, as they are in lists.
impl<'de, T: ApiType<Whole: Kind>> Deserialize<'de> for Kube<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        reflect::deserialize(deserializer).map(Self::new)
    }
}
