//! Receives the whole body of a request, within limits.

use std::pin::{Pin, pin};
use std::time::Duration;

use http_body::{Body, Frame};
use http_body_util::BodyExt;
use hyper::body::Buf;
use thiserror::Error;
use tokio::time::{Instant, timeout_at};

use crate::memory::{Memory, SMALL, Share};

/// How much of a refused body is still read, as a multiple of the maximum: many clients read no answer before they have
/// sent all.
const DRAIN_FACTOR: usize = 10;

/// What the body of a request may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyLimits {
    /// The maximum size, in bytes.
    pub bytes: usize,
    /// The maximum time to receive it, without the time that it waits for memory.
    pub time: Duration,
    /// The maximum time that a body of more than [`SMALL`] bytes waits for memory.
    pub patience: Duration,
}

/// The whole body of a request.
#[derive(Debug, Default)]
pub struct Received {
    /// The body.
    pub bytes: Vec<u8>,
    /// The memory that it takes, if it is not small. It should be kept as long as the bytes are.
    pub share: Option<Share>,
}

/// Why a body is refused.
#[derive(Debug, Error)]
pub enum Refusal {
    /// It is larger than the maximum. The status for it is 413.
    #[error("expected a body of at most {0} bytes")]
    TooLarge(usize),
    /// It does not arrive in time. The status for it is 408.
    #[error("the body took longer than {0:?}")]
    TooSlow(Duration),
    /// The memory for it is taken by others. The status for it is 429.
    #[error("other bodies take the memory; try again")]
    Overload,
    /// Its client closes the connection, for example. The status for it is 400.
    #[error("the body ends early: {0}")]
    Incomplete(String),
}

/// Receives a body.
///
/// The rest of a refused one is received, too, up to ten times the maximum, but not kept.
///
/// # Errors
/// When it is refused.
pub async fn receive<B>(body: B, limits: &BodyLimits, memory: &Memory) -> Result<Received, Refusal>
where
    B: Body<Error: Into<Box<dyn std::error::Error + Send + Sync>>>,
{
    let mut body = pin!(body);
    let mut deadline = Instant::now() + limits.time;
    let announced = body.size_hint().exact().map(|size| usize::try_from(size).unwrap_or(usize::MAX));
    let mut kept = match announced {
        Some(size) if size > limits.bytes => Err(Refusal::TooLarge(limits.bytes)),
        _ => Ok(Received::default()),
    };
    let mut length = 0_usize;
    while let Some(data) = next(body.as_mut(), deadline, limits).await? {
        length = length.saturating_add(data.remaining());
        if length > limits.bytes {
            // A refused body is not stored.
            kept = Err(Refusal::TooLarge(limits.bytes));
            if length > limits.bytes.saturating_mul(DRAIN_FACTOR) {
                break;
            }
        }
        let Ok(received) = &mut kept else { continue };
        if length > SMALL && received.share.is_none() {
            let size = announced.unwrap_or(limits.bytes);
            let start = Instant::now();
            // All at once: two bodies that each have half of their memory would wait for each other.
            let Ok(share) = memory.take(size, limits.patience).await else {
                kept = Err(Refusal::Overload);
                continue;
            };
            received.share = Some(share);
            deadline += start.elapsed();
            received.bytes.reserve_exact(announced.unwrap_or(0).saturating_sub(received.bytes.len()));
        }
        append(&mut received.bytes, data);
    }
    let mut received = kept?;
    if let Some(share) = &mut received.share {
        share.shrink(received.bytes.capacity());
    }
    Ok(received)
}

/// Receives a body that nobody wants, in the background, within the same limits: the request is answered already.
/// HTTP/1.1 closes a connection whose request was not received to its end, and a client that has begun the next request
/// on it would have to guess whether that one was done.
pub fn discard<B>(body: B, limits: BodyLimits)
where
    B: Body<Data: Send, Error: Into<Box<dyn std::error::Error + Send + Sync>>> + Send + 'static,
{
    if body.is_end_stream() {
        return;
    }
    tokio::spawn(async move {
        let mut body = pin!(body);
        let deadline = Instant::now() + limits.time;
        let mut length = 0_usize;
        // A body that ends early or comes too slowly ends its connection, as any does.
        while let Ok(Some(data)) = next(body.as_mut(), deadline, &limits).await {
            length = length.saturating_add(data.remaining());
            if length > limits.bytes {
                break;
            }
        }
    });
}

/// The next data of a body, or `None` at its end.
async fn next<B>(
    mut body: Pin<&mut B>,
    deadline: Instant,
    limits: &BodyLimits,
) -> Result<Option<B::Data>, Refusal>
where
    B: Body<Error: Into<Box<dyn std::error::Error + Send + Sync>>>,
{
    loop {
        let frame = timeout_at(deadline, body.frame()).await.map_err(|_| Refusal::TooSlow(limits.time))?;
        match frame.map(|frame| frame.map(Frame::into_data)) {
            None => return Ok(None),
            Some(Ok(Ok(data))) => return Ok(Some(data)),
            // Trailers.
            Some(Ok(Err(_))) => {}
            Some(Err(error)) => return Err(Refusal::Incomplete(error.into().to_string())),
        }
    }
}

fn append(bytes: &mut Vec<u8>, mut data: impl Buf) {
    while data.has_remaining() {
        let chunk = data.chunk();
        bytes.extend_from_slice(chunk);
        let length = chunk.len();
        data.advance(length);
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::Full;
    use hyper::body::Bytes;

    use super::*;

    const LIMITS: BodyLimits =
        BodyLimits { bytes: 200_000, time: Duration::from_secs(60), patience: Duration::ZERO };

    fn full(size: usize) -> Full<Bytes> {
        Full::from(vec![b'x'; size])
    }

    #[tokio::test]
    async fn large_bodies_take_memory() {
        let memory = Memory::new(200 << 10);
        let small = receive(full(SMALL), &LIMITS, &memory).await.unwrap();
        assert!(small.share.is_none());
        let large = receive(full(150_000), &LIMITS, &memory).await.unwrap();
        assert_eq!((large.bytes.len(), memory.taken()), (150_000, 147 << 10));
        assert!(matches!(receive(full(100_000), &LIMITS, &memory).await, Err(Refusal::Overload)));
        assert!(matches!(receive(full(200_001), &LIMITS, &memory).await, Err(Refusal::TooLarge(200_000))));
        drop(large);
        assert_eq!(memory.taken(), 0);
    }

    /// A body without an end is refused, too.
    #[tokio::test]
    async fn a_body_without_a_length_is_bounded() {
        struct Endless;
        impl Body for Endless {
            type Data = Bytes;
            type Error = std::convert::Infallible;

            fn poll_frame(
                self: Pin<&mut Self>,
                _: &mut std::task::Context<'_>,
            ) -> std::task::Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
                std::task::Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(&[b'x'; 10_000])))))
            }
        }
        let memory = Memory::new(1 << 20);
        assert!(matches!(receive(Endless, &LIMITS, &memory).await, Err(Refusal::TooLarge(_))));
        assert_eq!(memory.taken(), 0);
    }

    #[tokio::test]
    async fn a_body_has_a_deadline() {
        struct Never;
        impl Body for Never {
            type Data = Bytes;
            type Error = std::convert::Infallible;

            fn poll_frame(
                self: Pin<&mut Self>,
                _: &mut std::task::Context<'_>,
            ) -> std::task::Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
                std::task::Poll::Pending
            }
        }
        let limits = BodyLimits { time: Duration::from_millis(10), ..LIMITS };
        assert!(matches!(receive(Never, &limits, &Memory::new(1 << 20)).await, Err(Refusal::TooSlow(_))));
    }
}
