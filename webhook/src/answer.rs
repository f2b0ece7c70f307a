//! Writes the answer to a ConversionReview.

use hubgen_machinery::tree::Tree;

use crate::review::Review;

/// The answer: the review's objects, which are converted, or why one of them does not convert. A review has one result,
/// so nothing is converted if one object is not.
pub(crate) fn answer(review: &Review<'_>, result: &Result<(), String>) -> Vec<u8> {
    let mut out = Vec::with_capacity(review.size + 256);
    out.extend_from_slice(b"{\"kind\":\"ConversionReview\",\"apiVersion\":");
    Tree::string(review.api_version).write(&mut out);
    out.extend_from_slice(b",\"response\":{\"uid\":");
    out.extend_from_slice(review.uid.as_bytes());
    match result {
        Ok(()) => {
            out.extend_from_slice(b",\"convertedObjects\":[");
            for (index, object) in review.objects.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                object.write(&mut out);
            }
            out.extend_from_slice(b"],\"result\":{\"status\":\"Success\"}}}");
        }
        Err(message) => {
            out.extend_from_slice(
                b",\"convertedObjects\":[],\"result\":{\"status\":\"Failure\",\"message\":",
            );
            Tree::string(message).write(&mut out);
            out.extend_from_slice(b"}}}");
        }
    }
    out
}
