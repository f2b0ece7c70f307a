//! An object at the hub of its family.

use std::sync::Arc;

use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::scheme::{Conversion, KindEntry, Object, Scheme, SchemeError};

/// An object at the hub of its family. Admission receives this form, and old and new objects are
/// compared in it, whatever their versions are. A kind without a conversion is its own hub.
pub(crate) struct Hub {
    /// The kind and version of the object before its conversion to the hub.
    pub(crate) from: Arc<KindEntry>,
    /// The object at the hub.
    pub(crate) value: Box<dyn Reflect>,
}

impl Hub {
    /// Converts an object to the hub, in its canonical form.
    ///
    /// # Errors
    /// If the object contains an enum value that has no counterpart at the hub.
    pub(crate) fn from_object(mut object: Object) -> Result<Self, SchemeError> {
        object.canonicalize();
        let Object { entry: from, value } = object;
        let value = match &from.conversion {
            Conversion::Hub(conversion) => conversion.to_hub(value)?,
            Conversion::Single | Conversion::NotConvertible(_) => value,
        };
        Ok(Self { from, value })
    }

    /// Converts the object to a version of its kind.
    ///
    /// # Errors
    /// If there is no conversion, or if the stash for what the version cannot represent does not
    /// fit into annotations.
    pub(crate) fn at(self, to: &Arc<KindEntry>, scheme: &Scheme) -> Result<Object, SchemeError> {
        match (&self.from.conversion, &to.conversion) {
            (Conversion::Hub(_), Conversion::Hub(conversion)) if self.from.is_family_of(to) => {
                Ok(Object { entry: Arc::clone(to), value: conversion.from_hub(self.value)? })
            }
            // Either both versions are the same, or this returns the error why there is no
            // conversion.
            _ => scheme.convert(Object { entry: self.from, value: self.value }, to),
        }
    }

    /// Whether two versions convert to the same hub.
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
