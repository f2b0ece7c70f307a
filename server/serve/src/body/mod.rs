//! The bodies of requests, received within limits, and those of answers.

mod answer;
mod receive;
mod with_end;

pub(crate) use self::answer::AnswerBody;
pub use self::receive::{BodyLimits, Received, Refusal, discard, receive};
pub use self::with_end::{WithEnd, with_end};
