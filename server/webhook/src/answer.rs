//! Writes the answer to a ConversionReview.

use hubgen_machinery::tree::Tree;
use hubgen_serve::memory::Share;
use hyper::body::Bytes;

use crate::review::Review;

/// An answer that is being written. A review has one result, so nothing is converted if one object is not.
pub(crate) struct Answer {
    json: Vec<u8>,
    /// The length of what does not depend on the result.
    head: usize,
}

impl Answer {
    pub(crate) fn to(review: &Review<'_>) -> Self {
        let mut json = Vec::with_capacity(review.size + 256);
        json.extend_from_slice(b"{\"kind\":\"ConversionReview\",\"apiVersion\":");
        Tree::string(review.api_version).write(&mut json);
        json.extend_from_slice(b",\"response\":{\"uid\":");
        json.extend_from_slice(review.uid.as_bytes());
        json.extend_from_slice(b",\"convertedObjects\":[");
        Self { head: json.len(), json }
    }

    /// Adds an object.
    pub(crate) fn add(&mut self, object: &Tree<'_>) {
        if self.json.len() > self.head {
            self.json.push(b',');
        }
        object.write(&mut self.json);
    }

    /// The answer with all objects.
    pub(crate) fn success(mut self) -> Vec<u8> {
        self.json.extend_from_slice(b"],\"result\":{\"status\":\"Success\"}}}");
        self.json
    }

    /// The answer that an object does not convert.
    pub(crate) fn failure(mut self, message: &str) -> Vec<u8> {
        self.json.truncate(self.head);
        self.json.extend_from_slice(b"],\"result\":{\"status\":\"Failure\",\"message\":");
        Tree::string(message).write(&mut self.json);
        self.json.extend_from_slice(b"}}}");
        self.json.shrink_to_fit();
        self.json
    }
}

/// The bytes of an answer, which keep the memory of their review. HTTP drops them when they are sent.
pub(crate) fn bytes(json: Vec<u8>, share: Option<Share>) -> Bytes {
    struct Kept(Vec<u8>, #[expect(dead_code, reason = "dropping it makes room")] Option<Share>);

    impl AsRef<[u8]> for Kept {
        fn as_ref(&self) -> &[u8] {
            &self.0
        }
    }

    Bytes::from_owner(Kept(json, share))
}
