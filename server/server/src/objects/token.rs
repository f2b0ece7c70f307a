//! Continue tokens, which specify where the next part of a list starts. They are opaque to clients.

use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use base64::{DecodeError, Engine};
use hubgen_machinery::{ApiType, json};

use super::error::Error;

const VERSION: &str = "meta.k8s.io/v1";

/// The content of a token in upstream's format, extended by `left`.
#[derive(ApiType)]
struct Content {
    /// The version of this format.
    v: String,
    /// The revision of the list; -1 for the newest.
    rv: i64,
    /// The key to start from, without the common prefix of the list.
    start: String,
    /// The number of items from this key on, if it is known.
    left: Option<i64>,
}

/// A decoded continue token.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Token {
    /// The revision of the list; `None` for the newest.
    pub(super) revision: Option<u64>,
    /// The key to start from.
    pub(super) start: Vec<u8>,
    /// The number of items from this key on, if it is known. With it, a list is counted once, and
    /// not again for each part. A client that changes it only gets wrong counts itself.
    pub(super) left: Option<u64>,
}

impl Token {
    /// Encodes the token; `prefix` is the common prefix of all keys of the list.
    pub(super) fn write(&self, prefix: &str) -> String {
        let start = String::from_utf8_lossy(&self.start);
        let content = Content {
            v: VERSION.to_owned(),
            rv: self.revision.map_or(-1, |revision| i64::try_from(revision).unwrap_or(i64::MAX)),
            start: start.strip_prefix(prefix).unwrap_or(&start).to_owned(),
            left: self.left.and_then(|left| i64::try_from(left).ok()),
        };
        BASE64_URL_SAFE_NO_PAD
            .encode(json::encode(&content).expect("a token contains texts and whole numbers"))
    }

    /// Decodes a token.
    ///
    /// # Errors
    /// 400 if the token is invalid, or its key is outside of the list.
    pub(super) fn read(text: &str, prefix: &str) -> Result<Self, Error> {
        let Content { rv, start, left, .. } = read(text).map_err(|why| {
            Error::Malformed(format!("invalid continue token: continue key is not valid: {why}"))
        })?;
        let start = format!("{prefix}{}", start.strip_prefix('/').unwrap_or(&start)).into_bytes();
        let revision = u64::try_from(rv).ok();
        // The count is valid only at the same revision.
        let left = revision.and(left).and_then(|left| u64::try_from(left).ok());
        Ok(Self { revision, start, left })
    }
}

fn read(text: &str) -> Result<Content, String> {
    let bytes = BASE64_URL_SAFE_NO_PAD
        .decode(text)
        .map_err(|error| format!("illegal base64 data at input byte {}", offset(&error)))?;
    let content: Content = json::decode(&bytes).map_err(|error| error.to_string())?;
    if content.v != VERSION {
        return Err(format!("server does not recognize this encoded version {}", content.v));
    }
    if content.rv == 0 {
        return Err(format!("incorrect encoded start resourceVersion (version {VERSION})"));
    }
    if content.start.is_empty() {
        return Err(format!("encoded start key empty (version {VERSION})"));
    }
    // The key must not be outside of the list.
    let path = content.start.strip_prefix('/').unwrap_or(&content.start);
    if path.split('/').any(|segment| matches!(segment, "" | "." | "..")) {
        return Err(content.start);
    }
    Ok(content)
}

/// The offset of the first byte that is not base64.
fn offset(error: &DecodeError) -> usize {
    match error {
        DecodeError::InvalidByte(offset, _) | DecodeError::InvalidLastSymbol { offset, .. } => *offset,
        // The text has one character too many for whole bytes.
        DecodeError::InvalidLength(length) => length.saturating_sub(1),
        DecodeError::InvalidPadding => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PREFIX: &str = "/registry/notes/a/";

    fn encoded(content: &str) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(content)
    }

    #[test]
    fn tokens_survive_a_round_trip() {
        for (revision, left) in [(Some(7), Some(3)), (Some(7), None), (None, None)] {
            let token = Token { revision, start: b"/registry/notes/a/n".to_vec(), left };
            assert_eq!(Token::read(&token.write(PREFIX), PREFIX).unwrap(), token);
        }
        // Upstream's form: the previous key, followed by the smallest character.
        let upstream = encoded("{\"v\":\"meta.k8s.io/v1\",\"rv\":7,\"start\":\"n\\u0000\"}");
        let token = Token::read(&upstream, PREFIX).unwrap();
        assert_eq!(token, Token { revision: Some(7), start: b"/registry/notes/a/n\0".to_vec(), left: None });
        let negative = encoded(r#"{"v":"meta.k8s.io/v1","rv":7,"start":"n","left":-1}"#);
        assert_eq!(Token::read(&negative, PREFIX).unwrap().left, None);
    }

    #[test]
    fn invalid_tokens_are_refused() {
        for (text, why) in [
            ("*".to_owned(), "illegal base64 data at input byte 0"),
            ("abcd*".to_owned(), "illegal base64 data at input byte 4"),
            ("abcde".to_owned(), "illegal base64 data at input byte 4"),
            (encoded("{}"), "server does not recognize this encoded version "),
            (
                encoded(r#"{"v":"v9","rv":1,"start":"n"}"#),
                "server does not recognize this encoded version v9",
            ),
            (
                encoded(r#"{"v":"meta.k8s.io/v1","start":"n"}"#),
                "incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
            ),
            (encoded(r#"{"v":"meta.k8s.io/v1","rv":1}"#), "encoded start key empty (version meta.k8s.io/v1)"),
            (encoded(r#"{"v":"meta.k8s.io/v1","rv":1,"start":"../b/n"}"#), "../b/n"),
            (encoded(r#"{"v":"meta.k8s.io/v1","rv":1,"start":"a//n"}"#), "a//n"),
        ] {
            let Err(Error::Malformed(message)) = Token::read(&text, PREFIX) else { panic!("{text}") };
            assert_eq!(message, format!("invalid continue token: continue key is not valid: {why}"));
        }
    }
}
