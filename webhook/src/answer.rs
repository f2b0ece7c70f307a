//! Writes the answer to a ConversionReview.

use hubgen_machinery::tree::Tree;

use crate::review::Review;

/// The answer: all objects in the order of the request, or why one of them does not convert. A review has one result,
/// so nothing is converted if one object is not.
pub(crate) fn answer(review: &Review<'_>, result: &Result<Vec<Vec<u8>>, String>) -> Vec<u8> {
    let size = result.as_ref().map_or(0, |objects| objects.iter().map(|object| object.len() + 1).sum());
    let mut out = Vec::with_capacity(size + 256);
    out.extend_from_slice(b"{\"kind\":\"ConversionReview\",\"apiVersion\":");
    Tree::string(review.api_version).write(&mut out);
    out.extend_from_slice(b",\"response\":{\"uid\":");
    review.uid.write(&mut out);
    match result {
        Ok(objects) => {
            out.extend_from_slice(b",\"convertedObjects\":[");
            for (index, object) in objects.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                out.extend_from_slice(object);
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
