//! One value: an object of a known kind, or bytes of which only the wire form is known.

use std::sync::Arc;

use hubgen_kubernetes::machinery::convert::ConvertError;
use hubgen_kubernetes::machinery::defaults::Context;
use hubgen_kubernetes::machinery::json;
use hubgen_kubernetes::machinery::protobuf::{Envelope, Unknown};
use hubgen_kubernetes::machinery::scalar::Time;
use hubgen_kubernetes::machinery::scheme::{KindEntry, Object, SchemeError};
use hubgen_manifest::value;
use hubgen_migrate::{Choice, Gone, Known, Target, is_of_repository};
use serde_json::Value;

use crate::encrypted::Encrypted;
use crate::finding::{Finding, Help};
use crate::wire;

/// Decodes values.
///
/// ```
/// use hubgen_migrate::{Known, Target};
/// use hubgen_stored::{Decoded, Decoder};
///
/// let known = Known::kubernetes();
/// let decoder = Decoder { target: Some(&Target::Newest), ..Decoder::new(&known) };
/// let bytes = br#"{"apiVersion":"policy/v1beta1","kind":"PodDisruptionBudget","metadata":{"name":"web"}}"#;
/// let Decoded::Object(object, warnings) = decoder.decode(bytes)? else { panic!("its kind is known") };
/// assert_eq!(object["apiVersion"], "policy/v1");
/// assert!(warnings.is_empty());
/// # Ok::<(), hubgen_stored::Finding>(())
/// ```
#[derive(Clone)]
pub struct Decoder<'a> {
    /// The known kinds.
    pub known: &'a Known,
    /// The kind of bare messages.
    pub kind: Option<&'a Arc<KindEntry>>,
    /// The wanted version; without one, objects stay at theirs.
    pub target: Option<&'a Target>,
    /// Whether defaults are set, as a server does.
    pub sets_defaults: bool,
    /// The time for defaults that are times.
    pub now: Time,
}

/// A decoded value.
#[derive(Clone, Debug)]
pub enum Decoded {
    /// An object, and warnings about it.
    Object(Value, Vec<Finding>),
    /// A value whose kind is not known, and why.
    Unknown(Finding),
}

/// What a value contains.
pub(crate) enum Read<'b> {
    /// An object of a known kind.
    Object {
        /// The object, at its own version.
        object: Object,
        /// What the bytes have and the object has not.
        unknown: Vec<Finding>,
        /// Its text, if it is JSON.
        json: Option<&'b [u8]>,
    },
    /// An object of another kind, in JSON.
    Custom(Value),
    /// A value whose kind is not known, and why.
    Unknown(Finding),
}

impl<'a> Decoder<'a> {
    /// Decodes values of known kinds as they are, at their own versions and without defaults.
    pub fn new(known: &'a Known) -> Self {
        Self { known, kind: None, target: None, sets_defaults: false, now: Time::now() }
    }

    /// Decodes a value.
    ///
    /// # Errors
    /// When its kind is known, but the bytes are not an object of that kind, or it cannot be converted.
    pub fn decode(&self, bytes: &[u8]) -> Result<Decoded, Finding> {
        match self.read(bytes)? {
            Read::Object { object, unknown, json } => self.object(object, unknown, json),
            Read::Custom(value) => Ok(Decoded::Object(value, Vec::new())),
            Read::Unknown(why) => Ok(Decoded::Unknown(why)),
        }
    }

    /// The value field by field.
    pub fn wire(&self, bytes: &[u8]) -> String {
        wire::text(bytes, &self.known.scheme, self.kind)
    }

    /// The object in a value, at its own version.
    pub(crate) fn read<'b>(&self, bytes: &'b [u8]) -> Result<Read<'b>, Finding> {
        if Envelope::is_one(bytes) {
            return self.enveloped(bytes);
        }
        if bytes.trim_ascii().starts_with(b"{") {
            return self.json(bytes);
        }
        if let Some(encrypted) = Encrypted::of(bytes) {
            let help = "read it through an API server that has the key";
            return Ok(Read::Unknown(Finding::new(encrypted.text()).help(help)));
        }
        match self.kind {
            Some(entry) => {
                let object = self.known.scheme.decode_message(entry, bytes);
                let object = object.map_err(|error| {
                    Finding::new(format!("{error}: this is not a message of {entry}")).help(Help::CheckKind)
                })?;
                let unknown = not_shown(&object, bytes);
                Ok(Read::Object { object, unknown, json: None })
            }
            None => Ok(Read::Unknown(
                Finding::new("this is neither JSON nor protobuf in an envelope").help(Help::NameKind),
            )),
        }
    }

    fn enveloped<'b>(&self, bytes: &'b [u8]) -> Result<Read<'b>, Finding> {
        let envelope = Envelope::decode(bytes).map_err(|error| Finding::new(error.to_string()))?;
        if !envelope.content_type.is_empty() && envelope.content_type.contains("json") {
            return self.json(envelope.raw);
        }
        match self.known.scheme.decode_protobuf(bytes) {
            Ok(object) => {
                let unknown = not_shown(&object, envelope.raw);
                Ok(Read::Object { object, unknown, json: None })
            }
            Err(error @ SchemeError::UnknownKind { .. }) => {
                Ok(Read::Unknown(Finding::new(error.to_string())))
            }
            Err(error) => Err(Finding::new(format!("{} {}: {error}", envelope.api_version, envelope.kind))
                .help(Help::SeeUntilBroken)),
        }
    }

    fn json<'b>(&self, bytes: &'b [u8]) -> Result<Read<'b>, Finding> {
        match self.known.scheme.decode(bytes) {
            Ok((object, notes)) => {
                let entry = &object.entry;
                let unknown = notes
                    .unknown
                    .iter()
                    .map(|path| Finding::new(format!("{entry} has no such field; it is not shown")).at(path));
                let mut unknown: Vec<Finding> = unknown.collect();
                if notes.more_unknown > 0 {
                    let more = notes.more_unknown;
                    unknown.push(Finding::new(format!("{more} more fields that {entry} does not have")));
                }
                Ok(Read::Object { object, unknown, json: Some(bytes) })
            }
            // A custom resource, which can be shown without knowing its kind.
            Err(SchemeError::UnknownKind { .. } | SchemeError::Unnamed(_)) => {
                let value = value(bytes).map_err(|error| broken(bytes, &error))?;
                Ok(Read::Custom(value))
            }
            Err(SchemeError::Json(error)) => Err(broken(bytes, &error)),
            Err(error) => Err(Finding::new(error.to_string())),
        }
    }

    /// Shows an object at the wanted version. `json` is its text, if it is JSON.
    fn object(
        &self,
        object: Object,
        mut warnings: Vec<Finding>,
        json: Option<&[u8]>,
    ) -> Result<Decoded, Finding> {
        let object = if self.sets_defaults { self.defaulted(object) } else { object };
        let choice = self.target.map_or(Choice::Stay, |target| target.choose(self.known, &object.entry));
        let object = match choice {
            Choice::Stay => object,
            Choice::To(to) => self.converted(object, &to, json)?,
            Choice::Gone(Gone { message, help }) => {
                warnings.push(Finding::new(message).help(help));
                object
            }
        };
        let json = object.encode().map_err(|error| Finding::new(error.to_string()))?;
        let value = value(&json).map_err(|error| Finding::new(error.to_string()))?;
        Ok(Decoded::Object(value, warnings))
    }

    /// An object with its defaults, in its canonical form.
    pub(crate) fn defaulted(&self, mut object: Object) -> Object {
        object.set_defaults(&Context { now: self.now });
        object.canonicalize();
        object
    }

    /// An object at another version. `json` is its text, if it is JSON.
    pub(crate) fn converted(
        &self,
        object: Object,
        to: &Arc<KindEntry>,
        json: Option<&[u8]>,
    ) -> Result<Object, Finding> {
        let scheme = &self.known.scheme;
        let finding = |error: SchemeError| Finding::new(error.to_string());
        // Of a field that a function of the repository's own code reads, JSON tells zero from no value.
        if let Some(json) = json.filter(|_| is_of_repository(&object.entry))
            && let Err(error @ SchemeError::Convert(ConvertError::NoFunction { .. })) =
                scheme.convert_json(json, to)
        {
            return Err(finding(error));
        }
        scheme.convert(object, to).map_err(finding)
    }
}

/// A mistake in JSON.
fn broken(text: &[u8], error: &json::Error) -> Finding {
    let at = error.offset();
    Finding::new(error.message()).at(error.path()).shown(text, at..at + 1)
}

/// A warning about fields in a message that its type does not have.
fn not_shown(object: &Object, message: &[u8]) -> Vec<Finding> {
    let unknown = Unknown::collect(object.value.descriptor(), message).unwrap_or_default();
    let found = match unknown.count() {
        0 => return Vec::new(),
        1 => "1 unknown field is not shown".to_owned(),
        count => format!("{count} unknown fields are not shown"),
    };
    vec![Finding::new(found).help(Help::SeeAll)]
}
