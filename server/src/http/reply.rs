//! Answers.

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use hubgen_machinery::json::{self, writer};
use hubgen_machinery::protobuf::{self, Writer};
use hubgen_machinery::reflect::{Reflect, TypeMeta};
use hubgen_machinery::scheme::{KindEntry, Object};

use crate::media::Media;
use crate::registry::List;
use crate::wire::Status;

/// What the client gets.
pub(super) struct Reply {
    code: u16,
    media_type: &'static str,
    body: Vec<u8>,
    warnings: Vec<String>,
}

impl Reply {
    fn new(code: u16, media: Media, body: Vec<u8>) -> Self {
        Self { code, media_type: media.name(), body, warnings: Vec::new() }
    }

    /// An object of the API machinery.
    pub(super) fn object(code: u16, media: Media, object: &dyn Reflect) -> Self {
        let body = match media {
            Media::Json => json::encode(object),
            Media::Protobuf => Writer::scratch(|writer| {
                protobuf::encode_enveloped(object, object.descriptor().type_meta, writer);
            }),
        };
        Self::new(code, media, body)
    }

    /// An object of any kind.
    pub(super) fn of(code: u16, media: Media, object: &Object) -> Self {
        let body = match media {
            Media::Json => object.encode(),
            Media::Protobuf => object.encode_protobuf(),
        };
        Self::new(code, media, body)
    }

    /// An error.
    pub(super) fn failure(media: Media, status: &Status) -> Self {
        Self::object(u16::try_from(status.code).unwrap_or(500), media, status)
    }

    /// A list of objects of a kind. Its items do not repeat what the list says of them all.
    pub(super) fn list(media: Media, entry: &KindEntry, list: &List) -> Self {
        let body = match media {
            Media::Json => Self::json_list(entry, list),
            Media::Protobuf => Writer::scratch(|writer| {
                let (api_version, kind) = (entry.api_version(), format!("{}List", entry.kind));
                let type_meta = TypeMeta { api_version: &api_version, kind: &kind };
                let items = list.items.iter().map(|object| &*object.value);
                protobuf::encode_list(&list.meta, items, type_meta, writer);
            }),
        };
        Self::new(200, media, body)
    }

    fn json_list(entry: &KindEntry, list: &List) -> Vec<u8> {
        let mut body = Vec::new();
        body.extend_from_slice(b"{\"kind\":");
        writer::string(&mut body, &format!("{}List", entry.kind));
        body.extend_from_slice(b",\"apiVersion\":");
        writer::string(&mut body, &entry.api_version());
        body.extend_from_slice(b",\"metadata\":");
        json::encode_into(&list.meta, None, &mut body);
        body.extend_from_slice(b",\"items\":[");
        for (index, object) in list.items.iter().enumerate() {
            if index > 0 {
                body.push(b',');
            }
            json::encode_into(&*object.value, None, &mut body);
        }
        body.extend_from_slice(b"]}");
        body
    }

    /// A word for people and probes.
    pub(super) fn text(text: &str) -> Self {
        Self { code: 200, media_type: "text/plain; charset=utf-8", body: text.into(), warnings: Vec::new() }
    }

    /// With what the client should know beside.
    pub(super) fn with(mut self, warnings: Vec<String>) -> Self {
        self.warnings = warnings;
        self
    }

    pub(super) fn into_response(self, pretty: bool) -> Response<Body> {
        let mut body = self.body;
        if self.media_type == "application/json" {
            if pretty {
                body = writer::pretty(&body);
            }
            body.push(b'\n');
        }
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = StatusCode::from_u16(self.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.media_type));
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
