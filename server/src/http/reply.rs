//! Answers.

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use hubgen_machinery::json::{self, writer};
use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::scheme::{KindEntry, Object};

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
    fn json(code: u16, body: Vec<u8>) -> Self {
        Self { code, media_type: "application/json", body, warnings: Vec::new() }
    }

    /// An object of the API machinery.
    pub(super) fn object(code: u16, object: &dyn Reflect) -> Self {
        Self::json(code, json::encode(object))
    }

    /// An object of any kind.
    pub(super) fn of(code: u16, object: &Object) -> Self {
        Self::json(code, object.encode())
    }

    /// An error.
    pub(super) fn failure(status: &Status) -> Self {
        Self::object(u16::try_from(status.code).unwrap_or(500), status)
    }

    /// A list of objects of a kind. Its items do not repeat what the list says of them all.
    pub(super) fn list(entry: &KindEntry, list: &List) -> Self {
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
        Self::json(200, body)
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
        for warning in self.warnings {
            let quoted = warning.replace('\\', "\\\\").replace('"', "\\\"");
            // What no header can carry is left out: it is advice.
            if let Ok(value) = HeaderValue::try_from(format!("299 - \"{quoted}\"")) {
                headers.append(header::WARNING, value);
            }
        }
        response
    }
}
