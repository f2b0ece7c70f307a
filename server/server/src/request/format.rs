//! The format of a request body, from the header `Content-Type`.

use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use hubgen_machinery::yaml;

use super::error::Error;
use crate::media::{Body, Media};
use crate::objects::PatchFormat;
use crate::validation::cut;

/// The maximum number of bytes of a key in messages.
const MAX_KEY_BYTES: usize = 256;

/// The format of a request body.
#[derive(Clone, Copy)]
pub(crate) enum Format {
    Json,
    Yaml,
    Protobuf,
}

/// The format of a patch, from the header `Content-Type`.
///
/// # Errors
/// 415 if the format is not supported.
pub(super) fn of_patch(headers: &HeaderMap, takes: &[PatchFormat]) -> Result<PatchFormat, Error> {
    let named = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let name = named.split(';').next().unwrap_or_default();
    let format = takes.iter().copied().find(|format| format.name() == name);
    format.ok_or_else(|| Error::UnknownPatch { takes: takes.to_vec() })
}

impl Format {
    /// The format in `Content-Type`. Without the header it is JSON, as in upstream.
    ///
    /// # Errors
    /// 415 if the format is not supported.
    pub(super) fn from_headers(headers: &HeaderMap, takes: &[Media]) -> Result<Self, Error> {
        let named = headers.get(CONTENT_TYPE).map_or("", |value| value.to_str().unwrap_or("?"));
        let mut parts = named.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default().to_ascii_lowercase();
        let is_readable = parts.all(|parameter| parameter.is_empty() || parameter.contains('='));
        match if is_readable { name.as_str() } else { "?" } {
            "" | "application/json" => Ok(Self::Json),
            "application/yaml" => Ok(Self::Yaml),
            name if takes.contains(&Media::Protobuf) && name == Media::Protobuf.name() => Ok(Self::Protobuf),
            _ => Err(Error::UnknownFormat { takes: takes.to_vec() }),
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
