//! Protobuf envelopes, including objects nested in envelopes.
//!
//! A `List` of objects of any kind and a `WatchEvent` contain each object in an envelope. In memory
//! such an object is the JSON that it represents, at its own version.

use std::sync::Arc;

use super::{KindEntry, Object, Scheme, SchemeError};
use crate::json::Raw;
use crate::protobuf::embedded::{self, json_of};
use crate::protobuf::{self, Envelope, PartValue, Writer, parts};
use crate::reflect::Reflect;

/// The maximum nesting of envelopes. A watch of lists of lists needs fewer.
const DEEPEST: u32 = 8;

impl Scheme {
    /// Decodes an object of the kind that its envelope names. An envelope without a kind contains a
    /// `WatchEvent`.
    ///
    /// # Errors
    /// When the bytes are not an envelope or not protobuf, are compressed, name an unknown
    /// kind, or a field does not have its type.
    pub fn decode_protobuf(&self, bytes: &[u8]) -> Result<Object, SchemeError> {
        self.decode_envelope(bytes, 0)
    }

    /// Decodes an object of a given kind, regardless of the kind in its envelope. `bytes` are those
    /// that `envelope` was decoded from.
    ///
    /// # Errors
    /// As [`Scheme::decode_protobuf`], except for the kind of the object itself.
    pub fn decode_protobuf_into(
        &self,
        envelope: &Envelope<'_>,
        bytes: &[u8],
        object: &mut dyn Reflect,
    ) -> Result<(), SchemeError> {
        Ok(envelope.decode_into_with(bytes, object, Some(&|inner| self.embedded(inner, 1)))?)
    }

    /// Decodes an object of a given kind from its protobuf message, without an envelope.
    ///
    /// # Errors
    /// When the bytes are not protobuf, or a field does not have its type.
    pub fn decode_message(&self, entry: &Arc<KindEntry>, message: &[u8]) -> Result<Object, SchemeError> {
        let mut object = Object::new(entry);
        protobuf::decode_into_with(message, &mut *object.value, Some(&|inner| self.embedded(inner, 1)))?;
        if let Some(named) = entry.type_meta() {
            protobuf::set_type_meta(&mut *object.value, named.api_version, named.kind);
        }
        Ok(object)
    }

    /// The kind that an envelope names.
    ///
    /// # Errors
    /// When the Scheme does not contain it.
    pub fn kind_in(&self, envelope: &Envelope<'_>) -> Result<&Arc<KindEntry>, SchemeError> {
        let entry = match (envelope.api_version, envelope.kind) {
            ("", "") => self.kind("meta.k8s.io", "v1", "WatchEvent"),
            (api_version, kind) => self.named(api_version, kind),
        };
        entry.ok_or_else(|| {
            let (api_version, kind) = (envelope.api_version.to_owned(), envelope.kind.to_owned());
            SchemeError::UnknownKind { api_version, kind }
        })
    }

    /// Decodes an envelope that is nested in `outer` others.
    fn decode_envelope(&self, bytes: &[u8], outer: u32) -> Result<Object, SchemeError> {
        let envelope = Envelope::decode(bytes)?;
        let mut object = Object::new(self.kind_in(&envelope)?);
        envelope.decode_into_with(
            bytes,
            &mut *object.value,
            Some(&|inner| self.embedded(inner, outer + 1)),
        )?;
        Ok(object)
    }

    /// The JSON that an embedded object represents.
    fn embedded(&self, bytes: &[u8], outer: u32) -> protobuf::Result<Raw> {
        if outer > DEEPEST {
            let message = format!("expected at most {DEEPEST} nested envelopes, found more");
            return Err(protobuf::Error::new(0, message));
        }
        if let Some(json) = embedded::json_in(&Envelope::decode(bytes)?, bytes) {
            return json;
        }
        match self.decode_envelope(bytes, outer) {
            Ok(object) => match object.encode() {
                Ok(json) => json_of(&json),
                Err(error) => Err(protobuf::Error::new(0, error.to_string())),
            },
            Err(SchemeError::Protobuf(error)) => Err(error),
            Err(error) => Err(protobuf::Error::new(0, error.to_string())),
        }
    }

    /// Encodes the object as protobuf, in an envelope, as [`Object::encode_protobuf`] does. The
    /// objects in a `List` or `WatchEvent` also get envelopes. They stay JSON if their kind is
    /// unknown or has no protobuf encoding.
    pub fn encode_protobuf(&self, object: &Object) -> Vec<u8> {
        self.encode_envelope(object, 0)
    }

    fn encode_envelope(&self, object: &Object, outer: u32) -> Vec<u8> {
        let bytes = object.encode_protobuf();
        if outer == DEEPEST || !contains_objects(&object.entry) {
            return bytes;
        }
        let envelope = Envelope::decode(&bytes).expect("the envelope was just encoded");
        let raw = Writer::scratch(|writer| {
            let parts: Vec<_> =
                parts(envelope.raw).map(|part| part.expect("the message was just encoded")).collect();
            for part in parts.iter().rev() {
                match part.value {
                    PartValue::Bytes(extension) if part.number == OBJECTS => {
                        let length = writer.len();
                        match self.embeddable(extension, outer + 1) {
                            Some(embedded) => writer.bytes(1, &embedded),
                            None => writer.raw(extension),
                        }
                        writer.message(OBJECTS, length);
                    }
                    _ => writer.raw(&envelope.raw[part.offset..part.end]),
                }
            }
        });
        Envelope { raw: &raw, ..envelope }.encode()
    }

    /// The envelope of an object that was written as JSON.
    fn embeddable(&self, extension: &[u8], outer: u32) -> Option<Vec<u8>> {
        let PartValue::Bytes(json) = parts(extension).next()?.ok()?.value else { return None };
        let (object, notes) = self.decode(json).ok()?;
        let is_whole = notes.unknown.is_empty() && protobuf::covers(object.value.descriptor());
        is_whole.then(|| self.encode_envelope(&object, outer))
    }
}

/// The field that contains objects: `items` of a `List`, `object` of a `WatchEvent`.
const OBJECTS: u32 = 2;

/// Whether objects of that kind contain objects of any kind.
fn contains_objects(entry: &KindEntry) -> bool {
    matches!((&*entry.group, &*entry.kind), ("", "List") | ("meta.k8s.io", "WatchEvent"))
}
