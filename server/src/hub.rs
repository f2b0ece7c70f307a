//! An object in the middle between versions.

use std::sync::Arc;

use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::scheme::{Conversion, KindEntry, Object, Scheme, SchemeError};

/// An object at the hub of its family: the form in which admission sees it and in which old and
/// new are compared, whatever the versions at which they were written. A kind without a
/// conversion is its own hub.
pub(crate) struct Hub {
    /// The version that the object came at.
    pub(crate) from: Arc<KindEntry>,
    /// The object.
    pub(crate) value: Box<dyn Reflect>,
}

impl Hub {
    /// Brings an object to the hub, in its canonical form.
    ///
    /// # Errors
    /// Where it contains a word that has no counterpart there.
    pub(crate) fn of(mut object: Object) -> Result<Self, SchemeError> {
        object.canonicalize();
        let Object { entry: from, value } = object;
        let value = match &from.conversion {
            Conversion::Hub(conversion) => conversion.to_hub(value)?,
            Conversion::Single | Conversion::NotConvertible(_) => value,
        };
        Ok(Self { from, value })
    }

    /// Brings it to a version of its kind.
    ///
    /// # Errors
    /// Where there is no way, or what the version cannot say does not fit into annotations.
    pub(crate) fn at(self, to: &Arc<KindEntry>, scheme: &Scheme) -> Result<Object, SchemeError> {
        match (&self.from.conversion, &to.conversion) {
            (Conversion::Hub(_), Conversion::Hub(conversion)) if self.from.is_family_of(to) => {
                Ok(Object { entry: Arc::clone(to), value: conversion.from_hub(self.value)? })
            }
            // The same version, or the error that says why there is no way.
            _ => scheme.convert(Object { entry: self.from, value: self.value }, to),
        }
    }

    /// Whether objects of the two versions meet at one hub.
    pub(crate) fn reaches(from: &KindEntry, to: &KindEntry) -> bool {
        let converts = |entry: &KindEntry| matches!(entry.conversion, Conversion::Hub(_));
        from.is_family_of(to) && converts(from) && converts(to)
    }
}

impl Clone for Hub {
    fn clone(&self) -> Self {
        Self { from: Arc::clone(&self.from), value: self.value.boxed_copy() }
    }
}
