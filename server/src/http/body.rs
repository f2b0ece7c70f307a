//! Bodies: received whole, within limits, as JSON, YAML or protobuf.

use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use http_body_util::BodyExt;
use hubgen_machinery::yaml;
use hyper::body::Body as _;
use tokio::time::timeout;

use super::turns::{SMALL, Turn, Turns};
use crate::media::Media;
use crate::storage_path::Body;
use crate::validation::cut;
use crate::wire::Status;

/// How many times the largest body is still taken off the wire, so that the client gets to see why
/// it was refused.
const DRAIN: usize = 10;

/// The most bytes of a key that a message shows.
const LONGEST_KEY: usize = 256;

/// What a body is written in.
#[derive(Clone, Copy)]
pub(super) enum Format {
    Json,
    Yaml,
    Protobuf,
}

impl Format {
    /// The format that the client names; JSON where it names none, as upstream has it.
    ///
    /// # Errors
    /// 415 where it is not one of those that are taken.
    pub(super) fn of(headers: &HeaderMap, takes: &[Media]) -> Result<Self, Status> {
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

    /// The body in this format; YAML made JSON.
    ///
    /// # Errors
    /// Why YAML cannot be read.
    pub(super) fn body(self, bytes: Vec<u8>) -> Result<Body, String> {
        match self {
            Self::Json => Ok(Body::new(Media::Json, bytes)),
            Self::Protobuf => Ok(Body::new(Media::Protobuf, bytes)),
            Self::Yaml => {
                let text =
                    str::from_utf8(&bytes).map_err(|error| format!("yaml: expected UTF-8: {error}"))?;
                let document = yaml::document(text).map_err(|error| format!("yaml: {error}"))?;
                let repeated = document.duplicates.iter().map(|found| {
                    format!("line {}: key {:?} already set in map", found.line, cut(&found.key, LONGEST_KEY))
                });
                Ok(Body { repeated: repeated.collect(), ..Body::new(Media::Json, document.json) })
            }
        }
    }
}

/// The bytes of a body, and the room that they take.
#[derive(Default)]
pub(super) struct Bytes {
    pub(super) bytes: Vec<u8>,
    /// Given back when dropped.
    pub(super) room: Option<Turn>,
}

/// Receives a body.
///
/// # Errors
/// 413 where it is too large, 408 where it does not arrive in time, 400 where it breaks off.
pub(super) async fn receive(body: axum::body::Body, turns: &Turns) -> Result<Bytes, Status> {
    let limits = turns.limits();
    let received = timeout(limits.body, whole(body, limits.body_bytes, turns)).await;
    received.unwrap_or_else(|_| Err(Status::body_timeout(limits.body)))
}

async fn whole(mut body: axum::body::Body, most: usize, turns: &Turns) -> Result<Bytes, Status> {
    let announced = body.size_hint().exact().map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
    let too_large = announced.is_some_and(|announced| announced > most);
    let mut received = Bytes::default();
    let mut length = 0_usize;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| Status::bad_request(format!("the body broke off: {error}")))?;
        let Ok(data) = frame.into_data() else { continue };
        length += data.len();
        if too_large || length > most {
            // What is refused need not be kept.
            received = Bytes::default();
            if length > most.saturating_mul(DRAIN) {
                break;
            }
            continue;
        }
        if length > SMALL && received.room.is_none() {
            // Taken at once, so that no two bodies wait for each other.
            received.room = turns.room_for_body(announced.unwrap_or(most)).await;
        }
        received.bytes.extend_from_slice(&data);
    }
    if too_large || length > most {
        return Err(Status::failure(
            413,
            "RequestEntityTooLarge",
            format!("Request entity too large: limit is {most}"),
        ));
    }
    Ok(received)
}
