//! One value: an object of a known kind, or bytes that tell only their form.

use std::sync::Arc;

use hubgen_kubernetes::machinery::defaults::Context;
use hubgen_kubernetes::machinery::json;
use hubgen_kubernetes::machinery::protobuf::{Envelope, Unknown};
use hubgen_kubernetes::machinery::scalar::Time;
use hubgen_kubernetes::machinery::scheme::{KindEntry, Object, Scheme, SchemeError};
use serde_json::Value;

use super::wire;
use crate::convert::target::{Choice, Target};

/// What decodes.
pub struct Decoder<'a> {
    /// What is known.
    pub scheme: &'a Scheme,
    /// What a bare message is.
    pub kind: Option<&'a Arc<KindEntry>>,
    /// The version that is wanted.
    pub target: Option<&'a Target>,
    /// Whether defaults are set, as a server does.
    pub sets_defaults: bool,
    /// The time for defaults that say when.
    pub now: Time,
}

/// What a value is.
pub enum Decoded {
    /// An object, and what there is to say of it.
    Object(Value, Vec<String>),
    /// Something whose kind is not known, and why.
    Unknown(String),
}

impl Decoder<'_> {
    /// Decodes a value.
    ///
    /// # Errors
    /// When its kind is known and its bytes do not hold it, or cannot be
    /// converted.
    pub fn decode(&self, bytes: &[u8]) -> Result<Decoded, String> {
        if Envelope::is_one(bytes) {
            return self.enveloped(bytes);
        }
        if bytes.trim_ascii().starts_with(b"{") {
            return self.json(bytes);
        }
        match self.kind {
            Some(entry) => {
                let object = self.scheme.decode_message(entry, bytes);
                let object = object.map_err(|error| format!("{error}: it is no message of {entry}"))?;
                let unknown = not_shown(&object, bytes);
                self.object(object, unknown)
            }
            None => Ok(Decoded::Unknown(
                "is neither JSON nor in an envelope; say with --as what it is, if it is a message".to_owned(),
            )),
        }
    }

    /// The value field by field.
    pub fn wire(&self, bytes: &[u8]) -> String {
        wire::text(bytes, self.scheme, self.kind)
    }

    fn enveloped(&self, bytes: &[u8]) -> Result<Decoded, String> {
        let envelope = Envelope::decode(bytes).map_err(|error| error.to_string())?;
        if !envelope.content_type.is_empty() && envelope.content_type.contains("json") {
            return self.json(envelope.raw);
        }
        match self.scheme.decode_protobuf(bytes) {
            Ok(object) => {
                let unknown = not_shown(&object, envelope.raw);
                self.object(object, unknown)
            }
            Err(error @ SchemeError::UnknownKind { .. }) => Ok(Decoded::Unknown(error.to_string())),
            Err(error) => Err(format!("{} {}: {error}", envelope.api_version, envelope.kind)),
        }
    }

    fn json(&self, bytes: &[u8]) -> Result<Decoded, String> {
        match self.scheme.decode(bytes) {
            Ok((object, notes)) => {
                let unknown =
                    notes.unknown.iter().map(|path| format!("{path}: the version has no such field"));
                let mut unknown: Vec<String> = unknown.collect();
                if notes.more_unknown > 0 {
                    unknown
                        .push(format!("{} more fields that the version does not have", notes.more_unknown));
                }
                self.object(object, unknown)
            }
            // A custom resource: nothing is known of it, and nothing has to be.
            Err(SchemeError::UnknownKind { .. } | SchemeError::Unnamed(_)) => {
                let value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
                Ok(Decoded::Object(value, Vec::new()))
            }
            Err(error) => Err(error.to_string()),
        }
    }

    fn object(&self, mut object: Object, mut warnings: Vec<String>) -> Result<Decoded, String> {
        if self.sets_defaults {
            object.set_defaults(&Context { now: self.now });
            object.canonicalize();
        }
        let choice = self.target.map_or(Choice::Stay, |target| target.choose(self.scheme, &object.entry));
        let object = match choice {
            Choice::Stay => object,
            Choice::To(to) => self.scheme.convert(object, &to).map_err(|error| error.to_string())?,
            Choice::Gone(message) => {
                warnings.push(message);
                object
            }
        };
        let value = json::Raw::new(&object.encode()).map_err(|error| error.to_string())?.to_value();
        Ok(Decoded::Object(value, warnings))
    }
}

/// What to say of fields in a message that its type does not have.
fn not_shown(object: &Object, message: &[u8]) -> Vec<String> {
    let unknown = Unknown::of(object.value.descriptor(), message).unwrap_or_default();
    match unknown.count() {
        0 => Vec::new(),
        1 => vec!["1 unknown field is not shown; -o wire shows it".to_owned()],
        count => vec![format!("{count} unknown fields are not shown; -o wire shows them")],
    }
}
