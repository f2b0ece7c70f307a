//! An object of any kind, with its kind.

use std::sync::Arc;

use thiserror::Error;

use super::{Conversion, KindEntry, Scheme};
use crate::convert::ConvertError;
use crate::defaults::Context;
use crate::json::{self, Decoded};
use crate::protobuf::{self, Envelope, Unknown};
use crate::reflect::{Reflect, Text, TypeMeta};

/// An object and the kind that it is.
pub struct Object {
    /// The kind, at the version that the object is of.
    pub entry: Arc<KindEntry>,
    /// The object itself.
    pub value: Box<dyn Reflect>,
}

/// Why the Scheme could not do what was asked.
#[derive(Debug, Error)]
pub enum SchemeError {
    /// The bytes are no JSON, or a field holds something else than its type.
    #[error("{0}")]
    Json(#[from] json::Error),
    /// The bytes are no protobuf, or a field holds something else than its
    /// type.
    #[error("{0}")]
    Protobuf(#[from] protobuf::Error),
    /// The object says nothing about its kind.
    #[error("expected `apiVersion` and `kind` in the object, found {0}")]
    Unnamed(&'static str),
    /// No kind of that name is registered.
    #[error("no kind \"{kind}\" is registered for version \"{api_version}\"")]
    UnknownKind {
        /// As the object had it.
        api_version: String,
        /// As the object had it.
        kind: String,
    },
    /// The two are different kinds.
    #[error("{from} cannot be read as {to}: they are different kinds")]
    OtherKind {
        /// What the object is.
        from: Arc<KindEntry>,
        /// What was asked for.
        to: Arc<KindEntry>,
    },
    /// The versions are different APIs under one name.
    #[error("{from} cannot be read as {to}: {reason}")]
    NotConvertible {
        /// What the object is.
        from: Arc<KindEntry>,
        /// What was asked for.
        to: Arc<KindEntry>,
        /// Why not.
        reason: Text,
    },
    /// What the version cannot say does not fit, or a word has no counterpart.
    #[error("{0}")]
    Convert(#[from] ConvertError),
}

impl Scheme {
    /// Reads an object of the kind that it says it is.
    ///
    /// # Errors
    /// When it is no JSON, names no kind or an unknown one, or a field holds
    /// something else than its type.
    pub fn decode(&self, bytes: &[u8]) -> Result<(Object, Decoded), SchemeError> {
        let named = json::type_meta(bytes)?;
        if named.kind.is_empty() {
            return Err(SchemeError::Unnamed("no `kind`"));
        }
        if named.api_version.is_empty() {
            return Err(SchemeError::Unnamed("no `apiVersion`"));
        }
        let Some(entry) = self.named(&named.api_version, &named.kind) else {
            return Err(SchemeError::UnknownKind { api_version: named.api_version, kind: named.kind });
        };
        Object::decode(entry, bytes)
    }

    /// Brings an object to another version of its kind, and to its canonical
    /// form ([`Object::canonicalize`]) on the way. Nothing else is done where it
    /// is of that version already.
    ///
    /// # Errors
    /// When the two are different kinds, when the versions do not convert, or
    /// when what the version cannot say does not fit into annotations.
    pub fn convert(&self, mut object: Object, to: &Arc<KindEntry>) -> Result<Object, SchemeError> {
        if object.entry == *to {
            object.canonicalize();
            return Ok(object);
        }
        let names = || (Arc::clone(&object.entry), Arc::clone(to));
        let other_kind = || {
            let (from, to) = names();
            Err(SchemeError::OtherKind { from, to })
        };
        if !object.entry.is_family_of(to) {
            return other_kind();
        }
        let (up, down) = match (&object.entry.conversion, &to.conversion) {
            (Conversion::NotConvertible(reason), _) | (_, Conversion::NotConvertible(reason)) => {
                let (from, to) = names();
                return Err(SchemeError::NotConvertible { from, to, reason: reason.clone() });
            }
            (Conversion::Single, _) | (_, Conversion::Single) => return other_kind(),
            (Conversion::Hub(up), Conversion::Hub(down)) => (up.clone(), down),
        };
        object.canonicalize();
        Ok(Object { entry: Arc::clone(to), value: down.from_hub(up.to_hub(object.value)?)? })
    }
}

impl Object {
    /// An empty object of a kind.
    pub fn new(entry: &Arc<KindEntry>) -> Self {
        Self { entry: Arc::clone(entry), value: entry.object() }
    }

    /// Reads an object of a kind that the caller knows, whatever the object
    /// itself says; what it says is handed back.
    ///
    /// # Errors
    /// When it is no JSON, or a field holds something else than its type.
    pub fn decode(entry: &Arc<KindEntry>, bytes: &[u8]) -> Result<(Self, Decoded), SchemeError> {
        let mut object = Self::new(entry);
        let decoded = json::decode_into(bytes, &mut *object.value)?;
        Ok((object, decoded))
    }

    /// Writes the object as the reference server does.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.encode_into(&mut out);
        out
    }

    /// Appends the object to `out`, as the reference server writes it.
    pub fn encode_into(&self, out: &mut Vec<u8>) {
        json::encode_into(&*self.value, self.entry.type_meta(), out);
    }

    /// Writes the object in protobuf, in an envelope, as the reference server
    /// does.
    pub fn encode_protobuf(&self) -> Vec<u8> {
        protobuf::Writer::scratch(|writer| {
            protobuf::encode_enveloped(&*self.value, self.entry.type_meta(), writer);
        })
    }

    /// As [`Object::encode_protobuf`], with fields that were kept when the
    /// object was read.
    pub fn encode_protobuf_with(&self, unknown: &Unknown) -> Vec<u8> {
        let TypeMeta { api_version, kind } =
            self.entry.type_meta().unwrap_or(TypeMeta { api_version: "", kind: "" });
        let raw = protobuf::encode_with(&*self.value, unknown);
        Envelope { api_version, kind, raw: &raw, ..Envelope::default() }.encode()
    }

    /// Sets what is absent and has a default.
    pub fn set_defaults(&mut self, context: &Context) {
        if let Some(defaults) = &self.entry.defaults {
            defaults.apply(&mut *self.value, context);
        }
    }

    /// Says in one way what the kind may say twice or in two ways, as upstream
    /// does on the way to its hub: after defaults, which may build on either.
    pub fn canonicalize(&mut self) {
        self.entry.canonical.apply(&mut *self.value);
    }
}

impl Clone for Object {
    fn clone(&self) -> Self {
        Self { entry: Arc::clone(&self.entry), value: self.value.boxed_copy() }
    }
}

impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        self.entry == other.entry && crate::reflect::equal(&*self.value, &*other.value)
    }
}

impl std::fmt::Debug for Object {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ", self.entry)?;
        crate::reflect::debug(&*self.value, f)
    }
}
