//! Accepts connections, serves HTTP on each of them, and ends those whose clients exceed a deadline.
//!
//! listener → [`open::Open`] (number and deadlines) → TLS → [`transport`] → HTTP/1.1 or HTTP/2 → [`crate::request`].

mod open;
mod protocol;
mod together;
mod transport;

use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, sleep_until, timeout};
use tracing::{debug, info, warn};

use self::open::Open;
use self::protocol::serve_http;
use self::transport::Transport;
use crate::activity::Activity;
use crate::drain::{Drain, Stop};
use crate::limits::Limits;
use crate::peer::{Peer, PeerAddress, PeerCertificates};
use crate::request::{Handler, Requests};
use crate::tls::Tls;

/// The pause after a failed accept.
const PAUSE: Duration = Duration::from_millis(50);

/// Serves connections until `shutdown` is ready. Then it waits for connections with a running request, for at most
/// [`Limits::grace`].
pub(crate) async fn serve<H: Handler>(
    listener: TcpListener,
    handler: H,
    tls: Option<Tls>,
    limits: Limits,
    shutdown: impl Future<Output = ()>,
) {
    let address = listener.local_addr().map_or_else(|error| error.to_string(), |at| at.to_string());
    info!(address, tls = tls.is_some(), "listening");
    let (stop, drain) = Stop::new();
    let door = Door {
        tls: tls.clone(),
        requests: Arc::new(Requests::new(&limits, drain.clone())),
        handler,
        limits,
        drain,
    };
    let mut open = Open::new(limits);
    let mut check = interval(checks_every(&limits));
    check.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut shutdown = std::pin::pin!(shutdown);
    let mut fresh = std::pin::pin!(async {
        match tls {
            Some(tls) => tls.keep_fresh().await,
            None => std::future::pending().await,
        }
    });
    // A connection for which there was no room any more when it was accepted.
    let mut held = None;
    loop {
        if let Some((stream, from)) = held.take_if(|_| open.make_room()) {
            let activity = Activity::new();
            open.add(activity.clone(), door.clone().connection(stream, from, activity));
        }
        tokio::select! {
            () = &mut shutdown => break,
            () = &mut fresh => {}
            accepted = listener.accept(), if held.is_none() && open.has_room() => match accepted {
                Ok(accepted) => held = Some(accepted),
                Err(error) => after_failure(&error, &mut open).await,
            },
            _ = check.tick() => open.close_overdue(),
            () = open.one_ended() => {}
        }
    }
    // New connections are refused from now on.
    drop((listener, held));
    info!(address, "accepting no more connections");
    stop.begin();
    let end = Instant::now() + limits.grace;
    while !open.is_empty() {
        tokio::select! {
            () = sleep_until(end) => {
                warn!("requests were still running after {:?}", limits.grace);
                break;
            }
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

/// Handles a failed accept. A client that disconnects before its connection is accepted is ignored. Other errors mean
/// that a resource is exhausted, usually file descriptors; the connections that have waited longest are closed to free
/// some.
async fn after_failure(error: &io::Error, open: &mut Open) {
    use ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted};
    if !matches!(error.kind(), ConnectionAborted | ConnectionReset | Interrupted) {
        warn!("cannot accept a connection: {error}");
        open.close_longest_waiting();
        sleep(PAUSE).await;
    }
}

/// What all connections share.
#[derive(Clone)]
struct Door<H> {
    tls: Option<Tls>,
    handler: H,
    requests: Arc<Requests>,
    limits: Limits,
    drain: Drain,
}

impl<H: Handler> Door<H> {
    /// Answers the requests of one connection, until the connection or the server ends.
    async fn connection(mut self, stream: TcpStream, from: SocketAddr, activity: Activity) {
        // Answers are written at once, so batching small packets has no benefit, and without this option the client may
        // wait for the end of an answer.
        let _ = stream.set_nodelay(true);
        let mut peer = Peer { address: PeerAddress(from), certificates: None };
        let Some(tls) = self.tls.take() else {
            let transport = Transport::new(stream, activity.clone());
            return serve_http(transport, self, peer, activity).await;
        };
        let handshake = timeout(self.limits.handshake, tls.acceptor().accept(stream));
        let stream = tokio::select! {
            shaken = handshake => match shaken {
                Ok(Ok(stream)) => stream,
                // A load balancer that only looks whether somebody listens.
                Ok(Err(error)) if error.kind() == ErrorKind::UnexpectedEof => {
                    return debug!("{from} closed its connection before the TLS handshake");
                }
                // A client without TLS, or one that does not know the certificate. TLS itself tells it so.
                Ok(Err(error)) => return warn!("a TLS handshake with {from} failed: {error}"),
                Err(_) => {
                    return warn!("a TLS handshake with {from} took longer than {:?}", self.limits.handshake);
                }
            },
            () = self.drain.begun() => return,
        };
        peer.certificates = stream.get_ref().1.peer_certificates().map(PeerCertificates::new);
        serve_http(Transport::new(stream, activity.clone()), self, peer, activity).await;
    }
}
