//! An object of any kind, together with its kind.

use std::sync::Arc;

use thiserror::Error;

use super::{Conversion, KindEntry, Scheme};
use crate::convert::{self, ConvertError, Unread, ViaHub};
use crate::defaults::Context;
use crate::json::{self, Decoded, EncodeError};
use crate::protobuf::{self, Envelope, Unknown};
use crate::reflect::{Reflect, Text, TypeMeta};
use crate::tree::{Empty, Side, Tree};

/// An object and its kind.
pub struct Object {
    /// The kind, at the version of the object.
    pub entry: Arc<KindEntry>,
    /// The object itself.
    pub value: Box<dyn Reflect>,
}

/// Errors of a Scheme.
#[derive(Debug, Error)]
pub enum SchemeError {
    /// The bytes are not JSON, or a field does not have its type.
    #[error("{0}")]
    Json(#[from] json::Error),
    /// The bytes are not protobuf, or a field does not have its type.
    #[error("{0}")]
    Protobuf(#[from] protobuf::Error),
    /// The object does not specify its kind.
    #[error("expected `apiVersion` and `kind` in the object, found {0}")]
    Unnamed(&'static str),
    /// No kind with this name is registered.
    #[error("no kind \"{kind}\" is registered for version \"{api_version}\"")]
    UnknownKind {
        /// The object's `apiVersion`.
        api_version: String,
        /// The object's `kind`.
        kind: String,
    },
    /// Two entries are different kinds.
    #[error("{from} cannot be converted to {to}: they are different kinds")]
    OtherKind {
        /// The kind of the object.
        from: Arc<KindEntry>,
        /// The requested kind.
        to: Arc<KindEntry>,
    },
    /// The versions are different APIs with the same name.
    #[error("{from} cannot be converted to {to}: {reason}")]
    NotConvertible {
        /// The kind of the object.
        from: Arc<KindEntry>,
        /// The requested kind.
        to: Arc<KindEntry>,
        /// The reason, from the rules.
        reason: Text,
    },
    /// The conversion fails for this object.
    #[error("{0}")]
    Convert(#[from] ConvertError),
    /// The object contains a value that JSON cannot represent.
    #[error("{0}")]
    Encode(#[from] EncodeError),
}

impl Scheme {
    /// Decodes an object of the kind that it specifies.
    ///
    /// # Errors
    /// When the bytes are not JSON, specify no kind or an unknown one, or a field does not
    /// have its type.
    pub fn decode(&self, bytes: &[u8]) -> Result<(Object, Decoded), SchemeError> {
        Object::decode(self.kind_of(bytes)?, bytes)
    }

    /// Decodes an object as servers store it, which may be in JSON or in protobuf.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    pub fn decode_stored(&self, bytes: &[u8]) -> Result<Object, SchemeError> {
        if Envelope::is_one(bytes) {
            return self.decode_protobuf(bytes);
        }
        self.decode(bytes).map(|(object, _)| object)
    }

    /// The kind that an object specifies.
    fn kind_of(&self, bytes: &[u8]) -> Result<&Arc<KindEntry>, SchemeError> {
        let named = json::type_meta(bytes)?;
        self.kind_named(&named.api_version, &named.kind)
    }

    fn kind_named(&self, api_version: &str, kind: &str) -> Result<&Arc<KindEntry>, SchemeError> {
        if kind.is_empty() {
            return Err(SchemeError::Unnamed("no `kind`"));
        }
        if api_version.is_empty() {
            return Err(SchemeError::Unnamed("no `apiVersion`"));
        }
        let unknown =
            || SchemeError::UnknownKind { api_version: api_version.to_owned(), kind: kind.to_owned() };
        self.named(api_version, kind).ok_or_else(unknown)
    }

    /// Converts an object to another version of its kind, and brings it into canonical form
    /// ([`Object::canonicalize`]). An object that already has the version is only brought into
    /// canonical form.
    ///
    /// # Errors
    /// When the kinds differ, when the versions do not convert, when what the version
    /// cannot represent does not fit into annotations, or when a string value has no counterpart.
    pub fn convert(&self, mut object: Object, to: &Arc<KindEntry>) -> Result<Object, SchemeError> {
        if object.entry == *to {
            object.canonicalize();
            return Ok(object);
        }
        let entry = Arc::clone(&object.entry);
        if let Some(untyped) = to.untyped_from(&entry) {
            return Ok(Object {
                entry: Arc::clone(to),
                value: untyped.convert(object.value, &entry.version)?,
            });
        }
        let (up, down) = via_hub(&entry, to)?;
        object.canonicalize();
        Ok(Object { entry: Arc::clone(to), value: down.from_hub(up.to_hub(object.value)?)? })
    }

    /// What could not be read of an object's stash, because another program wrote it. It stays with the object through
    /// all conversions; nothing is lost, but no version shows it.
    ///
    /// # Errors
    /// As [`convert`](Self::convert).
    pub fn unread(&self, object: &Object) -> Result<Option<Unread>, SchemeError> {
        let Conversion::Hub(up) = &object.entry.conversion else { return Ok(None) };
        if convert::stash_in(&*object.value).is_none() {
            return Ok(None);
        }
        let hub = up.to_hub(object.value.boxed_copy())?;
        Ok(convert::stash_in(&*hub).map(|text| Unread::of(&text)))
    }

    /// Converts the JSON of an object to another version of its kind. What was not there does not appear: the object
    /// may be partial, as those that server-side apply converts. JSON that already has the version stays as it is.
    ///
    /// Where the rules of a version need typed objects, the JSON is decoded and encoded instead, and gets every field
    /// that is always written.
    ///
    /// # Errors
    /// As [`decode`](Self::decode) and [`convert`](Self::convert).
    pub fn convert_json(&self, object: &[u8], to: &Arc<KindEntry>) -> Result<Vec<u8>, SchemeError> {
        if self.kind_of(object)? == to {
            return Ok(object.to_vec());
        }
        let mut tree = Tree::new(object)?;
        self.convert_tree(&mut tree, to)?;
        Ok(tree.to_json())
    }

    /// Whether [`convert_json`](Self::convert_json) converts JSON of a kind to another version without decoding it.
    pub fn is_undecoded(&self, from: &Arc<KindEntry>, to: &Arc<KindEntry>) -> bool {
        from == to || to.untyped_from(from).is_some() || sides(from, to).is_ok_and(|sides| sides.is_some())
    }

    /// As [`convert_json`](Self::convert_json), for JSON that is part of a larger text. After an error the object is
    /// anything. Returns what could not be read of its stash, as [`unread`](Self::unread) does.
    ///
    /// # Errors
    /// As [`convert_json`](Self::convert_json).
    pub fn convert_tree(
        &self,
        object: &mut Tree<'_>,
        to: &Arc<KindEntry>,
    ) -> Result<Option<Unread>, SchemeError> {
        let members = object.members()?;
        let text = |name: &'static str| {
            let found = members.iter().find(|(own, value)| own == name && !value.is_null());
            let text = found.map(|(_, value)| value.str()).transpose();
            text.map(Option::unwrap_or_default).map_err(|error| ConvertError::Unfit {
                path: name.to_owned(),
                message: error.message().to_owned(),
            })
        };
        let from = self.kind_named(&text("apiVersion")?, &text("kind")?)?;
        if from == to {
            return Ok(None);
        }
        let name = |object: &mut Tree<'_>| -> Result<(), SchemeError> {
            if let Some(meta) = to.type_meta() {
                object.set("apiVersion", Tree::string(meta.api_version))?;
                object.set("kind", Tree::string(meta.kind))?;
            }
            Ok(())
        };
        if let Some(untyped) = to.untyped_from(from) {
            untyped.convert_tree(object, &from.version)?;
            name(object)?;
            return Ok(None);
        }
        if let Some((from_side, to_side)) = sides(from, to)? {
            let unread = from_side.to_hub(object)?;
            to_side.from_hub(object)?;
            name(object)?;
            return Ok(unread);
        }
        let (typed, _) = Object::decode(from, &object.to_json())?;
        let unread = self.unread(&typed)?;
        *object = Tree::new(&self.convert(typed, to)?.encode()?)?.into_owned();
        Ok(unread)
    }
}

/// How JSON becomes that of another version; `None` where it must be decoded.
fn sides<'a>(
    from: &'a Arc<KindEntry>,
    to: &'a Arc<KindEntry>,
) -> Result<Option<(Side<'a>, Side<'a>)>, SchemeError> {
    let (up, down) = via_hub(from, to)?;
    let sides = Side::new(up, Empty::Of(from)).zip(Side::new(down, Empty::Of(to)));
    Ok(sides.filter(|_| from.canonical.is_empty()))
}

/// How objects of a kind become those of another version.
fn via_hub<'a>(
    from: &'a Arc<KindEntry>,
    to: &'a Arc<KindEntry>,
) -> Result<(&'a ViaHub, &'a ViaHub), SchemeError> {
    let names = || (Arc::clone(from), Arc::clone(to));
    let other_kind = || {
        let (from, to) = names();
        Err(SchemeError::OtherKind { from, to })
    };
    if !from.is_family_of(to) {
        return other_kind();
    }
    match (&from.conversion, &to.conversion) {
        (Conversion::NotConvertible(reason), _) | (_, Conversion::NotConvertible(reason)) => {
            let (from, to) = names();
            Err(SchemeError::NotConvertible { from, to, reason: reason.clone() })
        }
        (Conversion::Single, _) | (_, Conversion::Single) => other_kind(),
        (Conversion::Hub(up), Conversion::Hub(down)) => Ok((up, down)),
    }
}

impl Object {
    /// An empty object of a kind.
    pub fn new(entry: &Arc<KindEntry>) -> Self {
        Self { entry: Arc::clone(entry), value: entry.object() }
    }

    /// Decodes an object of a given kind, regardless of the kind that the object specifies; that
    /// one is returned as well.
    ///
    /// # Errors
    /// When the bytes are not JSON, or a field does not have its type.
    pub fn decode(entry: &Arc<KindEntry>, bytes: &[u8]) -> Result<(Self, Decoded), SchemeError> {
        if let Some(untyped) = &entry.untyped {
            let (value, decoded) = untyped.read(bytes)?;
            return Ok((Self { entry: Arc::clone(entry), value }, decoded));
        }
        let mut object = Self::new(entry);
        let decoded = json::decode_into(bytes, &mut *object.value)?;
        Ok((object, decoded))
    }

    /// Encodes the object as JSON, as the reference server does.
    ///
    /// # Errors
    /// When the object contains a value that JSON cannot represent. No object that was decoded by
    /// a Scheme does.
    pub fn encode(&self) -> Result<Vec<u8>, EncodeError> {
        let mut out = Vec::new();
        self.encode_into(&mut out)?;
        Ok(out)
    }

    /// Appends the object to `out` as JSON, as the reference server writes it.
    ///
    /// # Errors
    /// As [`encode`](Self::encode). Nothing is appended then.
    pub fn encode_into(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        json::encode_into(&*self.value, self.entry.type_meta(), out)
    }

    /// Encodes the object as protobuf, in an envelope, as the reference server does.
    pub fn encode_protobuf(&self) -> Vec<u8> {
        protobuf::Writer::scratch(|writer| {
            protobuf::encode_enveloped(&*self.value, self.entry.type_meta(), writer);
        })
    }

    /// As [`Object::encode_protobuf`], with the unknown fields that were found when the object was
    /// decoded.
    pub fn encode_protobuf_with(&self, unknown: &Unknown) -> Vec<u8> {
        let TypeMeta { api_version, kind } =
            self.entry.type_meta().unwrap_or(TypeMeta { api_version: "", kind: "" });
        let raw = protobuf::encode_with(&*self.value, unknown);
        Envelope { api_version, kind, raw: &raw, ..Envelope::default() }.encode()
    }

    /// A copy at the hub of its family. A kind without a conversion is its own hub.
    ///
    /// # Errors
    /// When the object contains a string value that has no counterpart at the hub.
    pub fn copy_at_hub(&self) -> Result<Box<dyn Reflect>, SchemeError> {
        let mut copy = self.clone();
        copy.canonicalize();
        match &self.entry.conversion {
            Conversion::Hub(conversion) => Ok(conversion.to_hub(copy.value)?),
            Conversion::Single | Conversion::NotConvertible(_) => Ok(copy.value),
        }
    }

    /// Sets each absent field that has a default.
    pub fn set_defaults(&mut self, context: &Context) {
        if let Some(defaults) = &self.entry.defaults {
            defaults.apply(&mut *self.value, context);
        }
    }

    /// Brings the object into canonical form. Upstream does this while it converts to its hub:
    /// after defaulting, because a default may set either of two redundant fields.
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
