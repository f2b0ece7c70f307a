//! Where the next part of a list starts. Clients hand it back unread.

use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use base64::{DecodeError, Engine};
use hubgen_machinery::{ApiType, json};

use crate::wire::Status;

const VERSION: &str = "meta.k8s.io/v1";

/// What a token says, in upstream's format, with the number that is ours.
#[derive(ApiType)]
struct Content {
    /// The version of this format.
    v: String,
    /// The revision of the list; -1: whatever is newest.
    rv: i64,
    /// The key to start from, without what all keys of the list begin with.
    start: String,
    /// How many items there are from there on, where that is known.
    left: Option<i64>,
}

/// Where a list goes on.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Token {
    /// The revision of the list; `None`: whatever is newest.
    pub(super) revision: Option<u64>,
    /// The key to start from.
    pub(super) start: Vec<u8>,
    /// How many items there are from there on, where that is known. With it, a list is counted once,
    /// and not again for each of its parts. A client that changes it deceives only itself.
    pub(super) left: Option<u64>,
}

impl Token {
    /// The token in its text; `prefix` is what all keys of the list begin with.
    pub(super) fn write(&self, prefix: &str) -> String {
        let start = String::from_utf8_lossy(&self.start);
        let content = Content {
            v: VERSION.to_owned(),
            rv: self.revision.map_or(-1, |revision| i64::try_from(revision).unwrap_or(i64::MAX)),
            start: start.strip_prefix(prefix).unwrap_or(&start).to_owned(),
            left: self.left.and_then(|left| i64::try_from(left).ok()),
        };
        BASE64_URL_SAFE_NO_PAD.encode(json::encode(&content))
    }

    /// Reads a token.
    ///
    /// # Errors
    /// 400 where it is none, or leads out of the list.
    pub(super) fn read(text: &str, prefix: &str) -> Result<Self, Status> {
        let Content { rv, start, left, .. } = read(text).map_err(|why| {
            Status::bad_request(format!("invalid continue token: continue key is not valid: {why}"))
        })?;
        let start = format!("{prefix}{}", start.strip_prefix('/').unwrap_or(&start)).into_bytes();
        let revision = u64::try_from(rv).ok();
        // At another moment there are others.
        let left = revision.and(left).and_then(|left| u64::try_from(left).ok());
        Ok(Self { revision, start, left })
    }
}

fn read(text: &str) -> Result<Content, String> {
    let bytes = BASE64_URL_SAFE_NO_PAD
        .decode(text)
        .map_err(|error| format!("illegal base64 data at input byte {}", place(&error)))?;
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
    // It must not lead out of the list.
    let path = content.start.strip_prefix('/').unwrap_or(&content.start);
    if path.split('/').any(|segment| matches!(segment, "" | "." | "..")) {
        return Err(content.start);
    }
    Ok(content)
}

/// The byte from which on a text is no base64.
fn place(error: &DecodeError) -> usize {
    match error {
        DecodeError::InvalidByte(place, _) | DecodeError::InvalidLastSymbol { offset: place, .. } => *place,
        // One letter more than there are whole bytes.
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
    fn a_token_is_read_as_it_was_written() {
        for (revision, left) in [(Some(7), Some(3)), (Some(7), None), (None, None)] {
            let token = Token { revision, start: b"/registry/notes/a/n".to_vec(), left };
            assert_eq!(Token::read(&token.write(PREFIX), PREFIX).unwrap(), token);
        }
        // As upstream writes it: the key before, and the smallest letter behind it.
        let upstream = encoded("{\"v\":\"meta.k8s.io/v1\",\"rv\":7,\"start\":\"n\\u0000\"}");
        let token = Token::read(&upstream, PREFIX).unwrap();
        assert_eq!(token, Token { revision: Some(7), start: b"/registry/notes/a/n\0".to_vec(), left: None });
        let negative = encoded(r#"{"v":"meta.k8s.io/v1","rv":7,"start":"n","left":-1}"#);
        assert_eq!(Token::read(&negative, PREFIX).unwrap().left, None);
    }

    #[test]
    fn what_is_no_token_is_refused() {
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
            let status = Token::read(&text, PREFIX).unwrap_err();
            assert_eq!(status.message, format!("invalid continue token: continue key is not valid: {why}"));
        }
    }
}
