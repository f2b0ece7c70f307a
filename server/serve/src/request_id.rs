//! The id of a request, by which people find it in logs.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use http::{HeaderMap, HeaderName, HeaderValue};

/// The header of a request and of its answer that has the id. The name is upstream's.
pub const AUDIT_ID: HeaderName = HeaderName::from_static("audit-id");

/// The maximum number of characters in the id that a client may choose. It is upstream's number.
const MOST_CHARS: usize = 64;

/// The id of a request: the client's own, if its `Audit-Id` is 1 to 64 letters, digits, `-`, `_` or `.`, and otherwise
/// a random one in the form of a UUID. Every request has one among its extensions, and every answer in its `Audit-Id`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(Arc<str>);

impl RequestId {
    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn header(&self) -> HeaderValue {
        HeaderValue::from_str(&self.0).expect("an id has no characters that a header cannot have")
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Makes ids. The hashes of a counter under keys that only this process knows are as good as random numbers: nobody
/// else makes the same, and one id does not tell the next.
#[derive(Default)]
pub(crate) struct Ids {
    keys: [RandomState; 2],
    count: AtomicU64,
}

impl Ids {
    pub(crate) fn id(&self, headers: &HeaderMap) -> RequestId {
        let mut given = headers.get_all(AUDIT_ID).iter();
        match (given.next().and_then(valid), given.next()) {
            (Some(given), None) => RequestId(given.into()),
            _ => self.new_id(),
        }
    }

    fn new_id(&self) -> RequestId {
        let count = self.count.fetch_add(1, Relaxed);
        let [high, low] = self.keys.each_ref().map(|keys| keys.hash_one(count));
        // Version 4, and the variant of RFC 9562.
        let high = high & !0xf000 | 0x4000;
        let low = low & !(0b11 << 62) | (0b10 << 62);
        let (a, b, c) = (high >> 32, high >> 16 & 0xffff, high & 0xffff);
        let (d, e) = (low >> 48, low & 0xffff_ffff_ffff);
        RequestId(format!("{a:08x}-{b:04x}-{c:04x}-{d:04x}-{e:012x}").into())
    }
}

fn valid(value: &HeaderValue) -> Option<&str> {
    let text = value.to_str().ok()?;
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    ((1..=MOST_CHARS).contains(&text.len()) && text.bytes().all(is_allowed)).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(given: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for given in given {
            headers.append(AUDIT_ID, HeaderValue::from_str(given).unwrap());
        }
        Ids::default().id(&headers).to_string()
    }

    #[test]
    fn only_valid_ids_of_clients_are_kept() {
        assert_eq!(id(&["a-1_.Z"]), "a-1_.Z");
        let long = "x".repeat(65);
        for bad in [&[][..], &[""], &["a b"], &["a\"b"], &[&long], &["a", "b"]] {
            let made = id(bad);
            let parts: Vec<usize> = made.split('-').map(str::len).collect();
            assert_eq!(parts, [8, 4, 4, 4, 12], "{made}");
            assert!(made[14..].starts_with('4') && "89ab".contains(&made[19..20]), "{made}");
        }
    }

    #[test]
    fn ids_differ() {
        let ids = Ids::default();
        let made: std::collections::HashSet<_> = (0..1000).map(|_| ids.new_id().to_string()).collect();
        assert_eq!(made.len(), 1000);
    }
}
