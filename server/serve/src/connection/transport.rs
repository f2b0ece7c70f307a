//! The byte stream of a connection, which records when bytes are transferred.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};

use crate::activity::Activity;

/// What a client of HTTP/2 sends first.
const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// A stream that records its reads and writes in an [`Activity`].
pub(super) struct Transport<S> {
    stream: S,
    activity: Activity,
    /// Bytes that were read to find out which protocol it is, and that are read again.
    again: Vec<u8>,
}

impl<S: AsyncRead + Unpin> Transport<S> {
    pub(super) fn new(stream: S, activity: Activity) -> Self {
        Self { stream, activity, again: Vec::new() }
    }

    /// Reads until it is clear which protocol the client speaks.
    ///
    /// Over TLS the client has also said so before (ALPN), which must be the same; its bytes are what counts.
    ///
    /// # Errors
    /// If the client closes the connection before.
    pub(super) async fn is_http2(&mut self) -> io::Result<bool> {
        let mut bytes = Vec::with_capacity(PREFACE.len());
        while bytes.len() < PREFACE.len() && PREFACE.starts_with(&bytes) {
            let mut more = [0; PREFACE.len()];
            let count = self.read(&mut more[bytes.len()..]).await?;
            if count == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let begin = bytes.len();
            bytes.extend_from_slice(&more[begin..begin + count]);
        }
        let is_http2 = bytes == PREFACE;
        if is_http2 {
            self.activity.speaks_http2();
        }
        self.again = bytes;
        Ok(is_http2)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Transport<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if !self.again.is_empty() {
            // These are recorded already.
            let count = self.again.len().min(buffer.remaining());
            buffer.put_slice(&self.again[..count]);
            self.again.drain(..count);
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        let received = &buffer.filled()[before..];
        if !received.is_empty() {
            self.activity.received(received);
        }
        polled
    }
}

impl<S> Transport<S> {
    fn wrote(&self, polled: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match &polled {
            Poll::Ready(Ok(bytes)) => self.activity.sent(*bytes),
            Poll::Ready(Err(_)) => {}
            Poll::Pending => self.activity.blocked(),
        }
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Transport<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.wrote(polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.wrote(polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_flush(context);
        match polled {
            // The caller flushes only after all of its bytes are written.
            Poll::Ready(_) => self.activity.flushed(),
            Poll::Pending => self.activity.blocked(),
        }
        polled
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
