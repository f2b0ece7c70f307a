//! Bodies: read whole, within a limit, as JSON, YAML or protobuf.

use axum::extract::Request;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use http_body_util::BodyExt;
use hubgen_machinery::yaml;

use crate::media::Media;
use crate::storage_path::Body;
use crate::wire::Status;

/// The largest body that is read, in bytes: 3 MiB.
const LIMIT: usize = 3 * 1024 * 1024;
/// How much of a larger one is still taken off the wire, so that the client gets to see the answer.
const DRAIN: usize = 32 * 1024 * 1024;

#[derive(Clone, Copy)]
enum Format {
    Json,
    Yaml,
    Protobuf,
}

/// The body, in one of the media types that are taken; YAML made JSON.
///
/// # Errors
/// 415, 413, or 400 where YAML cannot be read.
pub(super) async fn whole(request: Request, takes: &[Media]) -> Result<Body, Status> {
    let format = format(request.headers(), takes)?;
    let bytes = read(request.into_body()).await?;
    match format {
        Format::Json => Ok(Body::json(bytes)),
        Format::Protobuf => Ok(Body { media: Media::Protobuf, bytes }),
        Format::Yaml => {
            let text = str::from_utf8(&bytes)
                .map_err(|error| Status::bad_request(format!("the body is not UTF-8: {error}")))?;
            yaml::to_json(text)
                .map(Body::json)
                .map_err(|error| Status::bad_request(format!("error converting YAML to JSON: yaml: {error}")))
        }
    }
}

/// As [`whole`], where a body may be missing.
///
/// # Errors
/// As [`whole`].
pub(super) async fn if_any(request: Request, takes: &[Media]) -> Result<Option<Body>, Status> {
    let (parts, body) = request.into_parts();
    let bytes = read(body).await?;
    if bytes.is_empty() {
        return Ok(None);
    }
    whole(Request::from_parts(parts, axum::body::Body::from(bytes)), takes).await.map(Some)
}

/// The format that the client names; JSON where it names none.
fn format(headers: &HeaderMap, takes: &[Media]) -> Result<Format, Status> {
    let named = headers.get(CONTENT_TYPE).map_or("", |value| value.to_str().unwrap_or("?"));
    match named.split(';').next().unwrap_or_default().trim().to_ascii_lowercase().as_str() {
        "" | "application/json" => Ok(Format::Json),
        "application/yaml" => Ok(Format::Yaml),
        name if takes.contains(&Media::Protobuf) && name == Media::Protobuf.name() => Ok(Format::Protobuf),
        _ => {
            let names: Vec<&str> =
                takes.iter().map(|media| media.name()).chain(["application/yaml"]).collect();
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

async fn read(mut body: axum::body::Body) -> Result<Vec<u8>, Status> {
    let mut bytes = Vec::new();
    let mut length = 0;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| Status::bad_request(format!("the body broke off: {error}")))?;
        let Ok(data) = frame.into_data() else { continue };
        length += data.len();
        if length <= LIMIT {
            bytes.extend_from_slice(&data);
        } else if length > DRAIN {
            break;
        }
    }
    if length > LIMIT {
        return Err(Status::failure(
            413,
            "RequestEntityTooLarge",
            format!("Request entity too large: limit is {LIMIT}"),
        ));
    }
    Ok(bytes)
}
