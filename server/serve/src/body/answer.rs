//! The body of an answer on its way to HTTP.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use http_body::{Body, Frame, SizeHint};
use hyper::body::Bytes;

use crate::activity::Stream;
use crate::memory::SMALL;
use crate::queue::Permit;

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The body of an answer in pieces of at most [`SMALL`] bytes. HTTP asks for a piece only when its client has room for
/// it, so what lies between two questions is the client's time, and the [`Stream`] measures it. What lies within a
/// question is the handler's time, which has no deadline.
///
/// The end is a piece of its own: HTTP asks for it when the client has taken all others.
pub(crate) struct AnswerBody<B> {
    body: Pin<Box<B>>,
    /// What is left of the last frame of the handler.
    rest: Bytes,
    has_begun: bool,
    stream: Stream,
    /// The request counts until its answer ends.
    _permit: Option<Permit>,
}

impl<B> AnswerBody<B> {
    pub(crate) fn new(body: B, stream: Stream, permit: Option<Permit>) -> Self {
        // From now on it is HTTP that waits for its client.
        stream.waits_for_client();
        Self { body: Box::pin(body), rest: Bytes::new(), has_begun: false, stream, _permit: permit }
    }
}

impl<B: Body<Data = Bytes, Error: Into<BoxError>>> Body for AnswerBody<B> {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = &mut *self;
        this.stream.asks();
        this.has_begun = true;
        if this.rest.is_empty() {
            // A panic of the handler's body ends this answer and no other.
            let polled = catch_unwind(AssertUnwindSafe(|| this.body.as_mut().poll_frame(context)));
            let Ok(polled) = polled else {
                tracing::error!("the body of an answer panicked");
                return Poll::Ready(Some(Err("the body of the answer panicked".into())));
            };
            match std::task::ready!(polled) {
                None => return Poll::Ready(None),
                Some(Err(error)) => return Poll::Ready(Some(Err(error.into()))),
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => this.rest = data,
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
            }
        }
        let piece = this.rest.split_to(this.rest.len().min(SMALL));
        this.stream.waits_for_client();
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        !self.has_begun && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (rest, body) = (self.rest.len() as u64, self.body.size_hint());
        let mut hint = SizeHint::new();
        // The upper bound first: a lower bound may not exceed it.
        if let Some(upper) = body.upper() {
            hint.set_upper(upper.saturating_add(rest));
        }
        hint.set_lower(body.lower().saturating_add(rest));
        hint
    }
}
