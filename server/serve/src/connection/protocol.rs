//! HTTP on one connection.

use std::convert::Infallible;
use std::pin::{Pin, pin};

use http::Request;
use hyper::body::Incoming;
use hyper::rt::Executor;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};

use super::Door;
use super::together::Together;
use super::transport::Transport;
use crate::activity::Activity;
use crate::drain::Drain;
use crate::limits::Limits;
use crate::peer::Peer;
use crate::request::Handler;

/// The bytes that a client of HTTP/2 may send on all streams of a connection together, and on each of them, before
/// anybody reads them. It bounds the memory that a connection takes, and how much arrives in one round trip: upstream
/// has as much for a stream.
const WINDOW: u32 = 256 << 10;
/// The bytes of an answer that wait in a stream of HTTP/2 until they are sent.
const SEND_BUFFER: usize = 64 << 10;
/// How many streams a client of HTTP/2 may have reset that were not looked at yet; beyond them its connection is
/// closed.
const PENDING_RESETS: usize = 20;
/// How many streams of a connection may be reset because the client breaks the protocol; beyond them it is closed.
const ERROR_RESETS: usize = 100;

/// Answers the requests of a connection, until its client, a deadline or the drain ends it.
pub(super) async fn serve_http<S, H>(
    mut transport: Transport<S>,
    door: Door<H>,
    peer: Peer,
    activity: Activity,
) where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    H: Handler,
{
    // Streams of HTTP/2 are tasks of their own, which end with their connection.
    let _end = AbortStreams(activity.clone());
    let Door { handler, requests, limits, mut drain, .. } = door;
    let is_http2 = tokio::select! {
        is_http2 = transport.is_http2() => is_http2,
        () = drain.begun() => return,
    };
    // A client that goes away concerns nobody else.
    let Ok(is_http2) = is_http2 else { return };
    let begins = activity.clone();
    let service = service_fn(move |request: Request<Incoming>| {
        // Now, and not when the task of the stream has its turn: the head is complete.
        let stream = begins.request_begins();
        let answer = requests.answer(handler.clone(), request, peer.clone(), stream);
        // A stream of HTTP/2 keeps the room of this future until its body ends, unless it is elsewhere.
        Box::pin(async move { Ok::<_, Infallible>(answer.await) })
    });
    if is_http2 {
        let io = TokioIo::new(Together::new(transport));
        let mut connection = pin!(http2(&limits, &activity).serve_connection(io, service));
        until_end(connection.as_mut(), &activity, &mut drain, |connection| connection.graceful_shutdown())
            .await;
    } else {
        let io = TokioIo::new(transport);
        let mut connection = pin!(http1(&limits).serve_connection(io, service));
        until_end(connection.as_mut(), &activity, &mut drain, |connection| connection.graceful_shutdown())
            .await;
    }
}

fn http1(limits: &Limits) -> http1::Builder {
    let mut http = http1::Builder::new();
    // The deadline for heads is that of `Activity`, for both protocols.
    http.header_read_timeout(None);
    http.max_header_size(limits.head_bytes).max_buf_size(limits.head_bytes.max(64 << 10));
    http
}

fn http2(limits: &Limits, activity: &Activity) -> http2::Builder<Streams> {
    let mut http = http2::Builder::new(Streams(activity.clone()));
    http.timer(TokioTimer::new());
    http.max_header_list_size(u32::try_from(limits.head_bytes).unwrap_or(u32::MAX));
    http.max_concurrent_streams(limits.streams.max(1));
    http.max_pending_accept_reset_streams(PENDING_RESETS).max_local_error_reset_streams(ERROR_RESETS);
    http.initial_stream_window_size(WINDOW).initial_connection_window_size(WINDOW);
    http.max_send_buf_size(SEND_BUFFER);
    http.keep_alive_interval(limits.ping).keep_alive_timeout(limits.ping / 2);
    http
}

/// Serves a connection. When it should end, it finishes its running requests first.
async fn until_end<C: Future>(
    mut connection: Pin<&mut C>,
    activity: &Activity,
    drain: &mut Drain,
    finish: impl Fn(Pin<&mut C>),
) {
    tokio::select! {
        // Errors of a connection concern its client only.
        _ = connection.as_mut() => return,
        () = drain.begun() => {}
        () = activity.finish() => {}
    }
    finish(connection.as_mut());
    connection.await;
}

/// Runs each stream of a connection of HTTP/2 as a task that a deadline can end alone.
#[derive(Clone)]
struct Streams(Activity);

impl<F: Future<Output: Send> + Send + 'static> Executor<F> for Streams {
    fn execute(&self, stream: F) {
        // HTTP/2 calls this right after it has called the service for the request of the stream.
        self.0.spawned(tokio::spawn(stream).abort_handle());
    }
}

struct AbortStreams(Activity);

impl Drop for AbortStreams {
    fn drop(&mut self) {
        self.0.abort_streams();
    }
}
