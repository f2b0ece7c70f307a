//! The body of a request.

use hubgen_machinery::json::{self, Decoded};
use hubgen_machinery::protobuf::Envelope;
use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::scheme::{Scheme, SchemeError};

use super::Media;

/// The body of a request, in JSON or protobuf.
pub(crate) struct Body {
    pub(crate) media: Media,
    pub(crate) bytes: Vec<u8>,
    /// Messages about duplicate keys, if the body was YAML.
    pub(crate) repeated: Vec<String>,
}

impl Body {
    /// Creates a body from the bytes that the client sent.
    pub(crate) fn new(media: Media, bytes: Vec<u8>) -> Self {
        Self { media, bytes, repeated: Vec::new() }
    }

    /// Decodes the body into an empty object, whatever kind the body specifies. Returns the kind in
    /// the body, and its unknown and duplicate fields.
    ///
    /// # Errors
    /// If the bytes cannot be decoded.
    pub(crate) fn decode_into(
        &self,
        scheme: &Scheme,
        object: &mut dyn Reflect,
    ) -> Result<Decoded, SchemeError> {
        match self.media {
            Media::Json => Ok(json::decode_into(&self.bytes, object)?),
            Media::Protobuf => {
                let envelope = Envelope::decode(&self.bytes)?;
                scheme.decode_protobuf_into(&envelope, &self.bytes, object)?;
                Ok(named(&envelope))
            }
        }
    }

    /// Reads only kind and version of the body.
    pub(crate) fn type_meta(&self) -> Result<Decoded, SchemeError> {
        match self.media {
            Media::Json => Ok(json::type_meta(&self.bytes)?),
            Media::Protobuf => Ok(named(&Envelope::decode(&self.bytes)?)),
        }
    }
}

fn named(envelope: &Envelope<'_>) -> Decoded {
    let (api_version, kind) = (envelope.api_version.to_owned(), envelope.kind.to_owned());
    Decoded { api_version, kind, ..Decoded::default() }
}
