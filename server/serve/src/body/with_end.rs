//! A body that tells when it ends.

use std::pin::Pin;
use std::task::{Context, Poll};

use http_body::{Body, Frame, SizeHint};
use hyper::body::Bytes;

/// Calls a function when a body ends, with the number of its bytes that HTTP has taken: when HTTP has taken all of it,
/// or when the client goes away before that.
pub fn with_end<B>(body: B, end: impl FnOnce(u64) + Send + 'static) -> WithEnd<B> {
    WithEnd { body, taken: 0, end: Some(Box::new(end)) }
}

/// The body that [`with_end`] returns.
pub struct WithEnd<B> {
    body: B,
    taken: u64,
    end: Option<Box<dyn FnOnce(u64) + Send>>,
}

impl<B: Body<Data = Bytes> + Unpin> Body for WithEnd<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if let Poll::Ready(Some(Ok(frame))) = &polled {
            self.taken += frame.data_ref().map_or(0, |data| data.len() as u64);
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl<B> Drop for WithEnd<B> {
    fn drop(&mut self) {
        if let Some(end) = self.end.take() {
            end(self.taken);
        }
    }
}
