//! A response body with a guard that is dropped together with the body.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use hyper::body::{Body as HttpBody, Frame, SizeHint};

/// Attaches a guard to a body. The guard is dropped when HTTP has read the whole body, or when the
/// connection ends.
pub(crate) fn with_guard<T: Send + Unpin + 'static>(body: Body, guard: T) -> Body {
    Body::new(GuardedBody { body, _guard: guard })
}

struct GuardedBody<T> {
    body: Body,
    _guard: T,
}

impl<T: Unpin> HttpBody for GuardedBody<T> {
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
