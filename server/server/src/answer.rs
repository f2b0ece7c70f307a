//! Answers to requests.

use std::io::Write;

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, Response, StatusCode, header};
use flate2::Compression;
use flate2::write::GzEncoder;
use hubgen_machinery::json::{EncodeError, writer};
use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::scheme::{KindEntry, Object};
use hubgen_meta::v1::ListMeta;
use hubgen_serve::memory::Share;
use hubgen_serve::metrics::MEDIA_TYPE;

use crate::media::{Media, Representation};
use crate::status::Failure;

/// An answer before it is converted to HTTP.
pub(crate) struct Answer {
    code: u16,
    media_type: &'static str,
    body: Vec<u8>,
    warnings: Vec<String>,
    /// The number of seconds after which the client should retry.
    retry_after: Option<i32>,
    is_compressed: bool,
}

/// Bodies from this many bytes on are compressed for clients that accept it, as upstream does: below, it costs more than
/// it saves.
const COMPRESSED_FROM: usize = 128 << 10;

impl Answer {
    fn new(code: u16, media: Media, body: Vec<u8>) -> Self {
        Self {
            code,
            media_type: media.name(),
            body,
            warnings: Vec::new(),
            retry_after: None,
            is_compressed: false,
        }
    }

    /// An answer with an object of the API machinery.
    pub(crate) fn machinery(code: u16, media: Media, object: &dyn Reflect) -> Self {
        Self::new(code, media, media.encode_own(object))
    }

    /// An answer with an object of any kind.
    pub(crate) fn object(code: u16, shown: Representation, object: &Object) -> Self {
        Self::encoded(code, shown.media, shown.encode(object))
    }

    fn encoded(code: u16, media: Media, body: Result<Vec<u8>, EncodeError>) -> Self {
        match body {
            Ok(body) => Self::new(code, media, body),
            Err(error) => Self::failure(media, &Failure::internal(error)),
        }
    }

    /// An answer with an error.
    pub(crate) fn failure(media: Media, failure: &Failure) -> Self {
        let answer = Self::machinery(failure.code(), media, &*failure.0);
        Self { retry_after: failure.retry_after(), ..answer }
    }

    /// An answer with a list of objects of a kind, which are encoded.
    pub(crate) fn list(shown: Representation, entry: &KindEntry, meta: &ListMeta, items: &[Vec<u8>]) -> Self {
        Self::encoded(200, shown.media, shown.encode_list(entry, meta, items))
    }

    /// An answer with plain text, for health checks.
    pub(crate) fn text(code: u16, text: &str) -> Self {
        Self {
            code,
            media_type: "text/plain; charset=utf-8",
            body: text.into(),
            warnings: Vec::new(),
            retry_after: None,
            is_compressed: false,
        }
    }

    /// An answer with metrics.
    pub(crate) fn metrics(text: String) -> Self {
        Self { media_type: MEDIA_TYPE, ..Self::text(200, &text) }
    }

    /// Adds warnings, which become `Warning` headers.
    pub(crate) fn with(mut self, warnings: Vec<String>) -> Self {
        self.warnings = warnings;
        self
    }

    /// Ends JSON with a newline, and indents it if `pretty` is set.
    pub(crate) fn printed(mut self, pretty: bool) -> Self {
        if self.media_type == Media::Json.name() {
            if pretty {
                self.body = writer::pretty(&self.body);
            }
            self.body.push(b'\n');
        }
        self
    }

    /// Compresses a large body with gzip, quickly rather than well.
    pub(crate) fn compressed(mut self) -> Self {
        if self.body.len() >= COMPRESSED_FROM {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            // Writing into memory does not fail; if it did, the body would be sent as it is.
            if let Ok(body) = encoder.write_all(&self.body).and_then(|()| encoder.finish()) {
                self.body = body;
                self.is_compressed = true;
            }
        }
        self
    }

    /// The size of the body in bytes.
    pub(crate) fn size(&self) -> usize {
        self.body.len()
    }

    /// Converts to an HTTP response. The share is returned when the client has read the body.
    pub(crate) fn into_response(self, share: Option<Share>) -> Response<Body> {
        let body = Bytes::from_owner(ResponseBytes { body: self.body, _share: share });
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = StatusCode::from_u16(self.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.media_type));
        if self.is_compressed {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
        }
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        for warning in limit_warnings(self.warnings) {
            let quoted = warning.replace('\\', "\\\\").replace('"', "\\\"");
            // Warnings with characters that a header cannot contain are omitted.
            if let Ok(value) = HeaderValue::try_from(format!("299 - \"{quoted}\"")) {
                headers.append(header::WARNING, value);
            }
        }
        response
    }
}

/// A response with the frames of a watch.
pub(crate) fn stream(media: Media, frames: Body) -> Response<Body> {
    let mut response = Response::new(frames);
    let media_type = match media {
        Media::Json => media.name(),
        Media::Protobuf => "application/vnd.kubernetes.protobuf;stream=watch",
    };
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}

/// The bytes of a response with their share of the memory. HTTP keeps the bytes until they are
/// sent, long after it has dropped the body object.
struct ResponseBytes {
    body: Vec<u8>,
    _share: Option<Share>,
}

impl AsRef<[u8]> for ResponseBytes {
    fn as_ref(&self) -> &[u8] {
        &self.body
    }
}

/// The maximum number of characters in all warnings. Clients limit the headers that they read, and
/// upstream uses the same number.
const MOST_CHARS: usize = 4096;
/// The maximum number of characters in one warning, if all warnings exceed [`MOST_CHARS`].
const MOST_CHARS_EACH: usize = 256;
/// Space for the last warning, which counts the omitted ones.
const LAST_LINE_CHARS: usize = 64;

/// Limits warnings to what fits into headers. If they exceed the limit, this returns the first
/// warnings, cut, and a line with the number of omitted ones.
fn limit_warnings(warnings: Vec<String>) -> Vec<String> {
    let count = |text: &String| text.chars().count();
    if warnings.iter().map(count).sum::<usize>() <= MOST_CHARS {
        return warnings;
    }
    let all = warnings.len();
    let mut left = MOST_CHARS - LAST_LINE_CHARS;
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
