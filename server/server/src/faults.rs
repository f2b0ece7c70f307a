//! Requests that fail on purpose, and watches that are lost, to test what a client does about it.
//!
//! A server asks [`Faults`] about each request for a resource whose sender may ask for it. What is struck is answered as upstream
//! answers it when it happens by itself; a request is not carried out then, unless the fault says so.

use std::pin::Pin;

use crate::access::Attributes;

/// Decides which requests fail.
pub trait Faults: Send + Sync {
    /// What goes wrong with a request; `None` if nothing does. It is asked once for each request.
    fn strike(&self, request: &Attributes<'_>) -> Option<Fault>;

    /// When a watch is lost that opens now, and how; `None` if it is not. It is asked once for each watch that is not
    /// [struck](Self::strike).
    fn losing(&self, watch: &Attributes<'_>) -> Option<Losing>;
}

/// Becomes ready when a watch is lost, with how it is.
pub type Losing = Pin<Box<dyn Future<Output = Lost> + Send>>;

/// What goes wrong with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What the client gets.
    pub answer: FaultAnswer,
    /// Whether the request is carried out, which the client does not learn from its answer.
    pub is_carried_out: bool,
}

/// What a client gets instead of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultAnswer {
    /// 409, reason `Conflict`: somebody else has written the object.
    Conflict,
    /// 410, reason `Expired`: the revision is too old.
    Expired,
    /// 429, reason `TooManyRequests`, with a number of seconds in `Retry-After`.
    TooManyRequests(u16),
    /// 500, reason `InternalError`, on which no client tries again by itself.
    InternalError,
    /// 504, reason `Timeout`.
    Timeout,
    /// No answer: the connection is closed. Over HTTP/2 the stream is.
    Closed,
}

/// How a watch is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lost {
    /// It ends, as one whose time is over.
    Ended,
    /// Its last event is an error of status 410: the revision up to which it has come is too old.
    Expired,
    /// The connection is closed.
    Closed,
}

impl Fault {
    /// Answers 409: somebody else has written the object, and the client has to read it again.
    pub fn conflict() -> Self {
        FaultAnswer::Conflict.into()
    }

    /// Answers 410: the revision is too old, and the client has to list again.
    pub fn expired() -> Self {
        FaultAnswer::Expired.into()
    }

    /// Answers 429: the client has to wait for some seconds, which is what `Retry-After` tells it.
    pub fn too_many_requests(retry_after: u16) -> Self {
        FaultAnswer::TooManyRequests(retry_after).into()
    }

    /// Answers 500: the server has failed.
    pub fn internal_error() -> Self {
        FaultAnswer::InternalError.into()
    }

    /// Answers 504: it took too long. Some clients try again by themselves, for minutes.
    pub fn timeout() -> Self {
        FaultAnswer::Timeout.into()
    }

    /// Closes the connection without an answer.
    pub fn closed() -> Self {
        FaultAnswer::Closed.into()
    }

    /// The same, but the request is carried out before, as when only its answer gets lost.
    #[must_use]
    pub fn after_all(self) -> Self {
        Self { is_carried_out: true, ..self }
    }
}

impl From<FaultAnswer> for Fault {
    fn from(answer: FaultAnswer) -> Self {
        Self { answer, is_carried_out: false }
    }
}
