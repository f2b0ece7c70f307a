//! What headers tell of who asks.

use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use percent_encoding::percent_decode_str;

/// The text of a header, whatever bytes it has.
pub(super) fn text(value: &[u8]) -> String {
    String::from_utf8_lossy(value).into_owned()
}

/// The name of an extra field in the name of a header.
pub(super) fn extra_key(encoded: &str) -> String {
    let decoded = percent_decode_str(encoded).decode_utf8();
    decoded.map_or_else(|_| encoded.to_owned(), |decoded| decoded.into_owned())
}

/// The token in the first header `Authorization: Bearer TOKEN`; `None` if that has another scheme, or no token. As upstream has
/// it, what follows the token counts nothing, and a second space is no token.
pub(super) fn bearer(head: &Parts) -> Option<String> {
    let header = text(head.headers.get(AUTHORIZATION)?.as_bytes());
    let mut words = header.trim().splitn(3, ' ');
    let scheme = words.next().filter(|scheme| scheme.eq_ignore_ascii_case("bearer"));
    scheme.and(words.next()).filter(|token| !token.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    #[test]
    fn a_token_follows_the_scheme() {
        for (header, token) in [
            ("Bearer a", Some("a")),
            (" bearer a b ", Some("a")),
            ("BEARER a.b-c_d", Some("a.b-c_d")),
            ("Bearer  a", None),
            ("Bearer", None),
            ("Bearer ", None),
            ("Basic a", None),
            ("a", None),
        ] {
            let request =
                Request::builder().header("Authorization", header).header("Authorization", "Bearer b");
            let (head, ()) = request.body(()).unwrap().into_parts();
            assert_eq!(bearer(&head).as_deref(), token, "{header}");
        }
        let (head, ()) = Request::new(()).into_parts();
        assert_eq!(bearer(&head), None);
    }
}
