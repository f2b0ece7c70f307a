//! A body that holds something for as long as it is being sent.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use hyper::body::{Body as HttpBody, Frame, SizeHint};

/// The body with something beside it, which is dropped with it: when HTTP has taken all of the body,
/// or the connection has ended.
pub(crate) fn holding<T: Send + Unpin + 'static>(body: Body, held: T) -> Body {
    Body::new(Holding { body, _held: held })
}

struct Holding<T> {
    body: Body,
    _held: T,
}

impl<T: Unpin> HttpBody for Holding<T> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
