//! Answers to requests.

mod rest;
mod warnings;

use std::io::{self, Write};

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, Response, StatusCode, header};
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::stream::{self, Stream, StreamExt};
use hubgen_machinery::json::writer;
use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::scheme::{KindEntry, Object};
use hubgen_meta::v1::ListMeta;
use hubgen_serve::memory::Share;
use hubgen_serve::metrics::MEDIA_TYPE;

use self::rest::Compressed;
pub(crate) use self::rest::{NextPart, Rest};
pub(crate) use self::warnings::add_first as add_first_warning;
use crate::media::{Item, Media, Representation, Unshown};
use crate::status::Failure;

/// An answer before it is converted to HTTP.
pub(crate) struct Answer {
    code: u16,
    media_type: &'static str,
    body: Vec<u8>,
    /// What follows the body, if it is not whole.
    rest: Option<Box<dyn Rest>>,
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
            rest: None,
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

    fn encoded(code: u16, media: Media, body: Result<Vec<u8>, Unshown>) -> Self {
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
    pub(crate) fn list(shown: Representation, entry: &KindEntry, meta: &ListMeta, items: Vec<Item>) -> Self {
        Self::encoded(200, shown.media, shown.encode_list(entry, meta, items))
    }

    /// An answer with the beginning of a list. The rest, if there is one, ends it, in JSON with a newline.
    pub(crate) fn begun(media: Media, body: Vec<u8>, rest: Option<Box<dyn Rest>>) -> Self {
        Self { rest, ..Self::new(200, media, body) }
    }

    /// An answer with plain text, for health checks.
    pub(crate) fn text(code: u16, text: &str) -> Self {
        Self {
            code,
            media_type: "text/plain; charset=utf-8",
            body: text.into(),
            rest: None,
            warnings: Vec::new(),
            retry_after: None,
            is_compressed: false,
        }
    }

    /// An answer with an object of the API machinery that is encoded, in a media type with parameters.
    pub(crate) fn parameterized(media_type: &'static str, body: Vec<u8>) -> Self {
        Self { media_type, ..Self::new(200, Media::Json, body) }
    }

    /// An answer that is compressed already.
    pub(crate) fn packed(media_type: &'static str, body: Vec<u8>) -> Self {
        Self { is_compressed: true, ..Self::parameterized(media_type, body) }
    }

    /// An answer with metrics.
    pub(crate) fn metrics(text: String) -> Self {
        Self { media_type: MEDIA_TYPE, ..Self::text(200, &text) }
    }

    /// Adds warnings, which become `Warning` headers.
    pub(crate) fn with(mut self, warnings: Vec<String>) -> Self {
        self.warnings.extend(warnings);
        self
    }

    /// Ends JSON with a newline, and indents it if `pretty` is set.
    pub(crate) fn printed(mut self, pretty: bool) -> Self {
        if self.media_type == Media::Json.name() && self.rest.is_none() {
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
            let written = encoder.write_all(&self.body);
            if let Ok(body) = written.and_then(|()| self.compressed_by(encoder)) {
                self.body = body;
                self.is_compressed = true;
            }
        }
        self
    }

    /// What an encoder has made of the body. The rest goes the same way.
    fn compressed_by(&mut self, mut encoder: GzEncoder<Vec<u8>>) -> io::Result<Vec<u8>> {
        let Some(rest) = self.rest.take() else { return encoder.finish() };
        let body = std::mem::take(encoder.get_mut());
        self.rest = Some(Box::new(Compressed::new(rest, encoder)));
        Ok(body)
    }

    /// What follows the body, which whoever takes it has to send.
    pub(crate) fn take_rest(&mut self) -> Option<Box<dyn Rest>> {
        self.rest.take()
    }

    /// The size of the body in bytes.
    pub(crate) fn size(&self) -> usize {
        self.body.len()
    }

    /// Converts to an HTTP response. The share is returned when the client has read the body.
    pub(crate) fn into_response(mut self, share: Option<Share>) -> Response<Body> {
        let body = bytes(std::mem::take(&mut self.body), share);
        self.with_body(Body::from(body))
    }

    /// The same, for a body that is not whole. Where a part fails, the body ends without an end.
    pub(crate) fn into_begun(
        mut self,
        share: Option<Share>,
        rest: impl Stream<Item = Result<Bytes, Failure>> + Send + 'static,
    ) -> Response<Body> {
        let first = bytes(std::mem::take(&mut self.body), share);
        let rest = rest.map(|part| part.map_err(|failure| io::Error::other(failure.0.message.to_string())));
        self.with_body(Body::from_stream(stream::iter([Ok(first)]).chain(rest)))
    }

    fn with_body(self, body: Body) -> Response<Body> {
        let mut response = Response::new(body);
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
        for warning in warnings::limited(self.warnings) {
            if let Some(value) = warnings::header(&warning) {
                headers.append(header::WARNING, value);
            }
        }
        response
    }
}

/// A response with the frames of a watch.
pub(crate) fn watch(media: Media, frames: Body) -> Response<Body> {
    let mut response = Response::new(frames);
    let media_type = match media {
        Media::Json => media.name(),
        Media::Protobuf => "application/vnd.kubernetes.protobuf;stream=watch",
    };
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}

/// Bytes of a body that return their share of the memory when the client has read them.
pub(crate) fn bytes(body: Vec<u8>, share: Option<Share>) -> Bytes {
    Bytes::from_owner(ResponseBytes { body, _share: share })
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
