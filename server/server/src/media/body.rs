//! The body of a request, in the format of the header `Content-Type`.

use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use hubgen_machinery::json::{self, Decoded};
use hubgen_machinery::protobuf::Envelope;
use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::scheme::{Scheme, SchemeError};
use hubgen_machinery::yaml;

use super::Media;
use crate::validation::cut;
use crate::wire::Status;

/// The maximum number of bytes of a key in messages.
const MAX_KEY_BYTES: usize = 256;

/// The format of a request body.
#[derive(Clone, Copy)]
pub(crate) enum Format {
    Json,
    Yaml,
    Protobuf,
}

impl Format {
    /// The format in `Content-Type`. Without the header it is JSON, as in upstream.
    ///
    /// # Errors
    /// 415 if the format is not supported.
    pub(crate) fn of(headers: &HeaderMap, takes: &[Media]) -> Result<Self, Status> {
        let named = headers.get(CONTENT_TYPE).map_or("", |value| value.to_str().unwrap_or("?"));
        let mut parts = named.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default().to_ascii_lowercase();
        let is_readable = parts.all(|parameter| parameter.is_empty() || parameter.contains('='));
        match if is_readable { name.as_str() } else { "?" } {
            "" | "application/json" => Ok(Self::Json),
            "application/yaml" => Ok(Self::Yaml),
            name if takes.contains(&Media::Protobuf) && name == Media::Protobuf.name() => Ok(Self::Protobuf),
            _ => {
                let mut names: Vec<&str> = takes.iter().map(|media| media.name()).collect();
                names.insert(1, "application/yaml");
                let known = names.join(", ");
                Err(Status::failure(
                    415,
                    "UnsupportedMediaType",
                    format!(
                        "the body of the request was in an unknown format - accepted media types include: {known}"
                    ),
                ))
            }
        }
    }

    /// Wraps a body in this format, and converts YAML to JSON.
    ///
    /// # Errors
    /// The reason why YAML cannot be parsed.
    pub(crate) fn body(self, bytes: Vec<u8>) -> Result<Body, String> {
        match self {
            Self::Json => Ok(Body::new(Media::Json, bytes)),
            Self::Protobuf => Ok(Body::new(Media::Protobuf, bytes)),
            Self::Yaml => {
                let text =
                    str::from_utf8(&bytes).map_err(|error| format!("yaml: expected UTF-8: {error}"))?;
                let document = yaml::document(text).map_err(|error| format!("yaml: {error}"))?;
                let repeated = document.duplicates.iter().map(|found| {
                    format!(
                        "line {}: key {:?} already set in map",
                        found.line,
                        cut(&found.key, MAX_KEY_BYTES)
                    )
                });
                Ok(Body { repeated: repeated.collect(), ..Body::new(Media::Json, document.json) })
            }
        }
    }
}

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
