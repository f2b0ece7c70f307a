//! Answers.

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, Response, StatusCode, header};
use hubgen_machinery::json::writer;
use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::scheme::{KindEntry, Object};

use super::turns::Turn;
use crate::media::Media;
use crate::wire::{ListMeta, Status};

/// What the client gets.
pub(super) struct Reply {
    code: u16,
    media_type: &'static str,
    body: Vec<u8>,
    warnings: Vec<String>,
    /// After how many seconds the client should try again.
    retry_after: Option<i32>,
}

impl Reply {
    fn new(code: u16, media: Media, body: Vec<u8>) -> Self {
        Self { code, media_type: media.name(), body, warnings: Vec::new(), retry_after: None }
    }

    /// An object of the API machinery.
    pub(super) fn object(code: u16, media: Media, object: &dyn Reflect) -> Self {
        Self::new(code, media, media.encode_own(object))
    }

    /// An object of any kind.
    pub(super) fn of(code: u16, media: Media, object: &Object) -> Self {
        Self::new(code, media, media.encode(object))
    }

    /// An error.
    pub(super) fn failure(media: Media, status: &Status) -> Self {
        let mut reply = Self::object(u16::try_from(status.code).unwrap_or(500), media, status);
        let seconds = status.details.as_ref().map_or(0, |details| details.retry_after_seconds);
        reply.retry_after = (seconds > 0).then_some(seconds);
        reply
    }

    /// A list of objects of a kind.
    pub(super) fn list(media: Media, entry: &KindEntry, meta: &ListMeta, items: &[Object]) -> Self {
        Self::new(200, media, media.encode_list(entry, meta, items))
    }

    /// A word for people and probes.
    pub(super) fn text(code: u16, text: &str) -> Self {
        Self {
            code,
            media_type: "text/plain; charset=utf-8",
            body: text.into(),
            warnings: Vec::new(),
            retry_after: None,
        }
    }

    /// With what the client should know beside.
    pub(super) fn with(mut self, warnings: Vec<String>) -> Self {
        self.warnings = warnings;
        self
    }

    /// With JSON as people read it, where that is asked for.
    pub(super) fn printed(mut self, pretty: bool) -> Self {
        if self.media_type == Media::Json.name() {
            if pretty {
                self.body = writer::pretty(&self.body);
            }
            self.body.push(b'\n');
        }
        self
    }

    /// The bytes of the body.
    pub(super) fn size(&self) -> usize {
        self.body.len()
    }

    /// As HTTP has it. The room is given back when the client has taken the body.
    pub(super) fn into_response(self, room: Option<Turn>) -> Response<Body> {
        let body = Bytes::from_owner(Held { body: self.body, _room: room });
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = StatusCode::from_u16(self.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.media_type));
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        for warning in within_bounds(self.warnings) {
            let quoted = warning.replace('\\', "\\\\").replace('"', "\\\"");
            // What no header can carry is left out: it is advice.
            if let Ok(value) = HeaderValue::try_from(format!("299 - \"{quoted}\"")) {
                headers.append(header::WARNING, value);
            }
        }
        response
    }
}

/// The bytes of an answer with the room that they take: HTTP keeps them until they are sent, long
/// after it has dropped the body that they came in.
struct Held {
    body: Vec<u8>,
    _room: Option<Turn>,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.body
    }
}

/// The characters of all warnings together. Clients limit the headers that they read, and the
/// reference server keeps to the same number.
const MOST_CHARS: usize = 4096;
/// The characters of one warning, if all of them are more than [`MOST_CHARS`].
const MOST_CHARS_EACH: usize = 256;
/// Room for the line that says how many warnings are left out.
const LAST_LINE: usize = 64;

/// The warnings that fit into headers: all of them as they are, or else the first ones, cut, and a
/// line that says how many more there are.
fn within_bounds(warnings: Vec<String>) -> Vec<String> {
    let count = |text: &String| text.chars().count();
    if warnings.iter().map(count).sum::<usize>() <= MOST_CHARS {
        return warnings;
    }
    let all = warnings.len();
    let mut left = MOST_CHARS - LAST_LINE;
    let mut out = Vec::new();
    for warning in warnings {
        let cut: String = warning.chars().take(MOST_CHARS_EACH).collect();
        let Some(rest) = left.checked_sub(count(&cut)) else { break };
        left = rest;
        out.push(cut);
    }
    if out.len() < all {
        out.push(format!("{} more warnings are not shown", all - out.len()));
    }
    out
}
