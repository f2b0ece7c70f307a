//! Sends what the streams of a connection write at the same time together.
//!
//! Each stream of HTTP/2 is a task, and wakes that of the connection with each frame. If that one sent at once, a change
//! that a hundred watches of a connection tell would take a hundred records of TLS and a hundred calls of the system. So
//! the connection lets the tasks that are ready go first, as long as they write more, and sends then.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// As many bytes are held at most: those of the longest record of TLS.
const MOST: usize = 16 << 10;

/// A byte stream that holds what is written until others had their turn.
pub(super) struct Together<S> {
    stream: S,
    /// What is to be sent.
    held: Vec<u8>,
    /// How much of it was sent.
    sent: usize,
    /// How much was held when other tasks had their turn.
    seen: usize,
}

impl<S: AsyncWrite + Unpin> Together<S> {
    pub(super) fn new(stream: S) -> Self {
        Self { stream, held: Vec::new(), sent: 0, seen: 0 }
    }

    /// Sends what is held.
    fn poll_held(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.sent < self.held.len() {
            let count = ready!(Pin::new(&mut self.stream).poll_write(context, &self.held[self.sent..]))?;
            if count == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.sent += count;
        }
        // A connection that is idle keeps no room.
        self.held = Vec::new();
        self.sent = 0;
        self.seen = 0;
        Poll::Ready(Ok(()))
    }

    /// Takes as much as there is room for.
    fn hold(&mut self, bytes: &[u8]) -> usize {
        let count = bytes.len().min(MOST - self.held.len());
        self.held.extend_from_slice(&bytes[..count]);
        count
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Together<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Together<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(context, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if self.sent > 0 || self.held.len() == MOST {
            ready!(self.poll_held(context))?;
        }
        Poll::Ready(Ok(slices.iter().map(|slice| self.hold(slice)).sum()))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.held.len() > self.seen && self.held.len() < MOST {
            self.seen = self.held.len();
            // The runtime puts a task that wakes itself behind those that are ready.
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        ready!(self.poll_held(context))?;
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_held(context))?;
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    /// A stream that counts how often something is written to it.
    struct Counted<S>(S, usize);

    impl<S: AsyncWrite + Unpin> AsyncWrite for Counted<S> {
        fn poll_write(
            mut self: Pin<&mut Self>,
            context: &mut Context<'_>,
            bytes: &[u8],
        ) -> Poll<io::Result<usize>> {
            self.1 += 1;
            Pin::new(&mut self.0).poll_write(context, bytes)
        }

        fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
            Pin::new(&mut self.0).poll_flush(context)
        }

        fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
            Pin::new(&mut self.0).poll_shutdown(context)
        }
    }

    #[tokio::test]
    async fn what_is_written_before_a_flush_is_sent_once() {
        let (near, mut far) = duplex(1 << 20);
        let mut together = Together::new(Counted(near, 0));
        for _ in 0..100 {
            together.write_all(b"frame").await.unwrap();
        }
        assert_eq!(together.stream.1, 0);
        together.flush().await.unwrap();
        assert_eq!((together.stream.1, together.held.capacity()), (1, 0));
        drop(together);
        let mut all = Vec::new();
        far.read_to_end(&mut all).await.unwrap();
        assert_eq!(all, b"frame".repeat(100));
    }

    /// Through a stream that takes little at a time, and more than is held.
    #[tokio::test]
    async fn nothing_is_lost_or_exchanged() {
        let (near, mut far) = duplex(1_000);
        let bytes: Vec<u8> = (0..100_000_u32).map(|number| number as u8).collect();
        let sent = bytes.clone();
        let reading = tokio::spawn(async move {
            let mut all = Vec::new();
            far.read_to_end(&mut all).await.unwrap();
            all
        });
        let mut together = Together::new(near);
        for part in sent.chunks(7_777) {
            together.write_all(part).await.unwrap();
            together.flush().await.unwrap();
        }
        together.shutdown().await.unwrap();
        drop(together);
        assert_eq!(reading.await.unwrap(), bytes);
    }

    #[test]
    fn other_tasks_go_first_as_long_as_they_write() {
        let (near, _far) = duplex(100);
        let mut together = Together::new(near);
        let mut context = Context::from_waker(std::task::Waker::noop());
        assert!(Pin::new(&mut together).poll_write(&mut context, b"a").is_ready());
        assert!(Pin::new(&mut together).poll_flush(&mut context).is_pending());
        assert!(Pin::new(&mut together).poll_write(&mut context, b"b").is_ready());
        assert!(Pin::new(&mut together).poll_flush(&mut context).is_pending());
        assert!(Pin::new(&mut together).poll_flush(&mut context).is_ready());
        // Nothing is to be sent.
        assert!(Pin::new(&mut together).poll_flush(&mut context).is_ready());
    }
}
