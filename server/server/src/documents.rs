//! Answers requests for documents of OpenAPI: with the document, with where it is now, or with nothing, for a client that
//! has it.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use hubgen_serve::memory::Share;

use crate::answer::Answer;
use crate::catalog::Catalog;
use crate::objects::PatchFormat;
use crate::published::openapi::{Encoding, Topic, document_url, unpacked};
use crate::request::{self, OpenApiRequest};
use crate::status::Failure;

/// An answer with a document, before it is converted to HTTP.
pub(crate) struct DocumentAnswer {
    code: StatusCode,
    /// The document, if the client needs it.
    body: Option<Answer>,
    hash: String,
    /// Where the document is, if the client means another one.
    location: Option<String>,
    /// Whether the document at this address can never be another one.
    is_immutable: bool,
}

/// Answers a request.
///
/// # Errors
/// If there is no such document, or the program has handed over schemas that cannot be read.
pub(crate) fn answer(catalog: &Catalog, asked: &OpenApiRequest) -> Result<DocumentAnswer, Failure> {
    let patches = |entry: &_| PatchFormat::of(entry).iter().map(|format| format.name()).collect();
    let document = catalog.document(&asked.topic, &patches).map_err(Failure::internal)?;
    let document = document.ok_or(request::Error::NoSuchPath)?;
    let hash = document.hash().to_owned();
    let mut answer =
        DocumentAnswer { code: StatusCode::OK, body: None, hash, location: None, is_immutable: false };
    if let (Topic::Document(path), false) = (&asked.topic, asked.hash.is_empty()) {
        if asked.hash != answer.hash {
            answer.code = StatusCode::MOVED_PERMANENTLY;
            answer.location = Some(document_url(path, &answer.hash));
            return Ok(answer);
        }
        answer.is_immutable = true;
    }
    if asked.known.as_deref() == Some(&*answer.tag()) {
        answer.code = StatusCode::NOT_MODIFIED;
        return Ok(answer);
    }
    let media_type = match (asked.encoding, &asked.topic) {
        (Encoding::Json, _) => "application/json",
        (Encoding::Protobuf, Topic::Swagger) => "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
        (Encoding::Protobuf, _) => "application/com.github.proto-openapi.spec.v3.v1.0+protobuf",
    };
    let packed = document.packed(asked.encoding);
    answer.body = Some(if asked.takes_gzip {
        Answer::packed(media_type, packed.to_vec())
    } else {
        Answer::parameterized(media_type, unpacked(&packed))
    });
    Ok(answer)
}

impl DocumentAnswer {
    /// The size of the body in bytes.
    pub(crate) fn size(&self) -> usize {
        self.body.as_ref().map_or(0, Answer::size)
    }

    fn tag(&self) -> String {
        format!("\"{}\"", self.hash)
    }

    /// Converts to an HTTP response. The share is returned when the client has read the body.
    pub(crate) fn into_response(self, share: Option<Share>) -> Response {
        let (tag, code) = (self.tag(), self.code);
        let mut response = self.body.map_or_else(Response::default, |body| body.into_response(share));
        *response.status_mut() = code;
        let headers = response.headers_mut();
        if let Ok(tag) = HeaderValue::try_from(tag) {
            headers.insert(header::ETAG, tag);
        }
        headers.append(header::VARY, HeaderValue::from_static("Accept"));
        if let Some(location) = self.location.and_then(|location| HeaderValue::try_from(location).ok()) {
            headers.insert(header::LOCATION, location);
        }
        // Upstream gives a date: a client may keep it for a year.
        let cached =
            if self.is_immutable { "public, immutable, max-age=31536000" } else { "no-cache, private" };
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cached));
        response
    }
}
