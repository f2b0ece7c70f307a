//! Answers what others need to verify tokens of service accounts.

use axum::body::Body;
use axum::http::{HeaderValue, Response, header};

use crate::access::{KEYS_PATH, ServiceAccountTokens};
use crate::request::{Error, OpenId};

/// For how long clients may keep an answer, which is upstream's.
const KEPT: &str = "public, max-age=3600";

/// Answers with the keys, or where they are: at this address, unless options say otherwise.
///
/// # Errors
/// If the issuer cannot be found by others.
pub(crate) fn answer(
    asked: OpenId,
    tokens: &ServiceAccountTokens,
    is_plain: bool,
    address: &str,
) -> Result<Response<Body>, Error> {
    let (media_type, body) = match asked {
        OpenId::Keys => ("application/jwk-set+json", tokens.key_set()),
        OpenId::Configuration => {
            let scheme = if is_plain { "http" } else { "https" };
            let document = tokens.configuration(&format!("{scheme}://{address}{KEYS_PATH}"));
            ("application/json", document.ok_or(Error::NoSuchPath)?)
        }
    };
    let mut response = Response::new(Body::from(body));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(KEPT));
    Ok(response)
}
