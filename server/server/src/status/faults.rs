//! What a client is told whose request fails on purpose: the same as when it fails by itself.

use hubgen_meta::v1::StatusDetails;
use hubgen_serve::queue::TooMany;

use super::Failure;
use crate::faults::FaultAnswer;
use crate::objects::{Conflict, Error, ObjectName};
use crate::request::{Request, Verb};

impl Failure {
    /// A request fails on purpose.
    pub(crate) fn on_purpose(answer: FaultAnswer, request: &Request) -> Self {
        match (answer, request) {
            (FaultAnswer::Conflict, Request::Objects(request)) => {
                let name = request.verb.object().unwrap_or_default();
                let object = ObjectName::new(&request.collection.entry, name);
                Error::Conflict { object, why: Conflict::Modified }.into()
            }
            (FaultAnswer::Conflict, _) => Self::new(409, "Conflict", "the object has been modified"),
            (FaultAnswer::Expired, Request::Objects(request)) if request.verb == Verb::Watch => {
                Self::watch_expired()
            }
            (FaultAnswer::Expired, _) => {
                Self::new(410, "Expired", "The resourceVersion for the provided list is too old.")
            }
            (FaultAnswer::TooManyRequests(seconds), _) => {
                Self::new(429, "TooManyRequests", TooMany.to_string()).retried_after(seconds)
            }
            (FaultAnswer::InternalError, _) => Self::internal("the request fails on purpose"),
            (FaultAnswer::Timeout | FaultAnswer::Closed, _) => {
                let message = "Timeout: request did not complete within the allotted timeout";
                Self::new(504, "Timeout", message).with(StatusDetails::default())
            }
        }
    }

    /// The revision up to which a watch has come is too old.
    pub(crate) fn watch_expired() -> Self {
        Self::new(410, "Expired", "The resourceVersion for the provided watch is too old.")
    }
}
