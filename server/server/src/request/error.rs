//! Why the head of a request, or the options in its body, are refused.

use std::sync::Arc;

use hubgen_machinery::scheme::KindEntry;

use crate::media::Media;
use crate::objects::PatchFormat;
use crate::validation::Violation;

/// Why a request is refused before anything is done with objects. What a client is told of it is in `status`.
#[derive(Clone, Debug)]
pub(crate) enum Error {
    /// The request cannot be parsed; the text tells why.
    Malformed(String),
    /// There is no such path.
    NoSuchPath,
    /// The kind of a stored definition has no such subresource.
    NoSuchPart { entry: Arc<KindEntry>, name: String },
    /// The kind of a stored definition does not support the verb for this subresource.
    NoSuchVerb { entry: Arc<KindEntry>, verb: &'static str },
    /// Nothing here does what the subresource asks for.
    NoSuchAction(String),
    /// The path does not support the method.
    MethodNotAllowed,
    /// The client accepts none of the media types in which the answer is offered.
    NotAcceptable {
        offers: Vec<Media>,
        /// Whether the client names one of them, with a parameter that is not supported.
        names_one: bool,
    },
    /// The body is in a format that is not supported.
    UnknownFormat { takes: Vec<Media> },
    /// A patch is in a format that the kind does not support.
    UnknownPatch { takes: Vec<PatchFormat> },
    /// The options of the request are invalid.
    InvalidOptions {
        /// Their kind, such as `ListOptions`.
        kind: &'static str,
        violations: Vec<Violation>,
    },
}
