//! Accepts connections, serves HTTP on each of them, and closes those whose clients exceed a
//! deadline.
//!
//! listener → [`open::Open`] (number and deadlines) → [`transport`] → HTTP/1.1 → service. HTTP/2 is
//! not served: no Kubernetes client uses it over plain TCP.

mod activity;
mod open;
mod transport;

use std::convert::Infallible;
use std::io;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, sleep_until};

use self::activity::Activity;
use self::open::Open;
use self::transport::Transport;
use crate::guarded_body::with_guard;
use crate::limits::Limits;

/// The pause after a failed accept.
const PAUSE: Duration = Duration::from_millis(50);

/// Serves connections until `shutdown` is ready. Then it waits for connections with a running
/// request, for at most [`Limits::grace`].
pub(crate) async fn serve(
    listener: TcpListener,
    service: Router,
    limits: Limits,
    shutdown: impl Future<Output = ()>,
) {
    let service = TowerToHyperService::new(service);
    let (stop, stopping) = watch::channel(false);
    let mut open = Open::new(limits);
    let mut check = interval(checks_every(&limits));
    check.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        tokio::select! {
            () = &mut shutdown => break,
            accepted = listener.accept(), if open.has_room() => match accepted {
                Ok((stream, _)) => {
                    open.make_room();
                    let activity = Activity::new();
                    let connection =
                        connection(stream, activity.clone(), service.clone(), limits, stopping.clone());
                    open.add(activity, connection);
                }
                Err(error) => after_failure(&error, &mut open).await,
            },
            _ = check.tick() => open.close_overdue(),
            () = open.one_ended() => {}
        }
    }
    // New connections are refused from now on.
    drop(listener);
    stop.send_replace(true);
    let end = Instant::now() + limits.grace;
    while !open.is_empty() {
        tokio::select! {
            () = sleep_until(end) => break,
            _ = check.tick() => open.close_overdue(),
            () = open.one_ended() => {}
        }
    }
}

/// The interval at which deadlines are checked.
fn checks_every(limits: &Limits) -> Duration {
    let shortest = limits.head.min(limits.idle).min(limits.stall);
    (shortest / 4).clamp(Duration::from_millis(10), Duration::from_secs(1))
}

/// Handles a failed accept. A client that disconnects before its connection is accepted is ignored.
/// Other errors mean that a resource is exhausted, usually file descriptors; the connections that
/// have waited longest are closed to free some.
async fn after_failure(error: &io::Error, open: &mut Open) {
    use io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted};
    if !matches!(error.kind(), ConnectionAborted | ConnectionReset | Interrupted) {
        open.close_longest_waiting();
        sleep(PAUSE).await;
    }
}

/// Answers the requests of one connection, until the connection or the server ends.
async fn connection(
    stream: TcpStream,
    activity: Activity,
    service: TowerToHyperService<Router>,
    limits: Limits,
    mut stopping: watch::Receiver<bool>,
) {
    // Responses are written at once, so batching small packets has no benefit, and without this
    // option the client may wait for the end of a response.
    let _ = stream.set_nodelay(true);
    let recorder = activity.clone();
    let service = service_fn(move |request| answer(service.clone(), request, recorder.clone()));
    let io = TokioIo::new(Transport { stream, activity });
    let mut http = http1::Builder::new();
    http.max_header_size(limits.head_bytes).max_buf_size(limits.head_bytes.max(64 << 10));
    let mut connection = std::pin::pin!(http.serve_connection(io, service));
    tokio::select! {
        // Errors of a connection concern its client only.
        _ = connection.as_mut() => return,
        _ = stopping.wait_for(|stopping| *stopping) => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

/// Answers one request, and records its start and end.
async fn answer(
    service: TowerToHyperService<Router>,
    request: Request<Incoming>,
    activity: Activity,
) -> Result<Response, Infallible> {
    activity.request_begins();
    let ends = EndsWhenDropped(activity);
    let response = service.call(request).await?;
    Ok(response.map(|body| with_guard(body, ends)))
}

struct EndsWhenDropped(Activity);

impl Drop for EndsWhenDropped {
    fn drop(&mut self) {
        self.0.request_ends();
    }
}
