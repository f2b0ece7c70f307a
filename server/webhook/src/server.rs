//! Accepts connections and serves the webhook on them.

use std::future::Future;
use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream, ToSocketAddrs};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_io_timeout::TimeoutStream;
use tokio_rustls::TlsAcceptor;
use tracing::{debug, info, warn};

use crate::body::SMALL;
use crate::{Error, Limits, Service, Tls, Webhook};

/// The pause after a failed accept.
const PAUSE: Duration = Duration::from_millis(50);

/// A server of a webhook.
///
/// It speaks HTTP/1.1, over TLS if it has a certificate. API servers accept no webhook without TLS; it is for those who
/// have a proxy that adds it, and for tests.
pub struct Server {
    webhook: Webhook,
    tls: Option<Tls>,
    limits: Limits,
}

impl Server {
    /// A server without TLS, with the default limits.
    pub fn new(webhook: Webhook) -> Self {
        Self { webhook, tls: None, limits: Limits::default() }
    }

    /// Serves over TLS.
    #[must_use]
    pub fn tls(self, tls: Tls) -> Self {
        Self { tls: Some(tls), ..self }
    }

    /// Sets the limits of clients.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Serves at an address until SIGTERM or Ctrl-C.
    ///
    /// # Errors
    /// When the address cannot be bound.
    pub async fn serve(self, address: impl ToSocketAddrs) -> Result<(), Error> {
        let listener = TcpListener::bind(address).await.map_err(Error::Listen)?;
        self.serve_on(listener, signal()).await;
        Ok(())
    }

    /// Serves until `shutdown` is ready. Then it accepts no more connections, and waits for the running requests.
    pub async fn serve_on(self, listener: TcpListener, shutdown: impl Future<Output = ()>) {
        let address = listener.local_addr().map_or_else(|error| error.to_string(), |at| at.to_string());
        info!(address, tls = self.tls.is_some(), "the conversion webhook listens");
        let service = Service::new(self.webhook, self.limits);
        let acceptor = self.tls.as_ref().map(Tls::acceptor);
        let metrics = Arc::clone(&service.metrics);
        let fresh = async {
            match self.tls {
                Some(tls) => tls.keep_fresh(metrics).await,
                None => std::future::pending().await,
            }
        };
        let room = Arc::new(Semaphore::new(self.limits.connections));
        let graceful = GracefulShutdown::new();
        let mut shutdown = std::pin::pin!(shutdown);
        let mut fresh = std::pin::pin!(fresh);
        loop {
            let accept = async {
                let permit = Arc::clone(&room).acquire_owned().await.expect("nobody closes the semaphore");
                (listener.accept().await, permit)
            };
            tokio::select! {
                () = &mut shutdown => break,
                () = &mut fresh => {}
                (accepted, permit) = accept => match accepted {
                    Ok((stream, _)) => {
                        let _ = stream.set_nodelay(true);
                        let connection = Connection {
                            service: service.clone(),
                            limits: self.limits,
                            watcher: graceful.watcher(),
                            _permit: permit,
                        };
                        tokio::spawn(connection.serve(stream, acceptor.clone()));
                    }
                    // Too many open files, for example. The next attempt may succeed.
                    Err(error) => {
                        warn!("cannot accept a connection: {error}");
                        tokio::time::sleep(PAUSE).await;
                    }
                },
            }
        }
        drop(listener);
        info!(address, "the conversion webhook accepts no more connections");
        if tokio::time::timeout(self.limits.grace, graceful.shutdown()).await.is_err() {
            warn!("requests were still running after {} s", self.limits.grace.as_secs());
        }
    }
}

struct Connection {
    service: Service,
    limits: Limits,
    watcher: hyper_util::server::graceful::Watcher,
    _permit: OwnedSemaphorePermit,
}

impl Connection {
    async fn serve(self, stream: TcpStream, acceptor: Option<TlsAcceptor>) {
        // hyper has no time limit for writing: a client that does not read would keep its connection for ever.
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(self.limits.patience));
        let stream = Box::pin(stream);
        match acceptor {
            None => self.http(stream).await,
            Some(acceptor) => {
                let handshake = tokio::time::timeout(self.limits.patience, acceptor.accept(stream)).await;
                match handshake {
                    Ok(Ok(stream)) => self.http(stream).await,
                    // A client without TLS, or one that does not know the certificate: it is told so by TLS itself. This
                    // is how a wrong `caBundle` shows here.
                    Ok(Err(error)) if error.kind() == ErrorKind::UnexpectedEof => {
                        // A load balancer that only looks whether somebody listens.
                        debug!("a client closed its connection before the TLS handshake");
                    }
                    Ok(Err(error)) => warn!("a TLS handshake failed: {error}"),
                    Err(_) => warn!("a TLS handshake took longer than {} s", self.limits.patience.as_secs()),
                }
            }
        }
    }

    async fn http(self, stream: impl AsyncRead + AsyncWrite + Unpin + 'static) {
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.limits.idle)
            // Each connection may have as much; without this line, six times as much.
            .max_buf_size(SMALL)
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(self.service));
        // A client that closes early is no error of ours.
        let _ = self.watcher.watch(connection).await;
    }
}

/// Ready on SIGTERM, which Kubernetes sends, or Ctrl-C.
async fn signal() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let Ok(mut terminate) = signal(SignalKind::terminate()) else { return interrupted().await };
        tokio::select! {
            _ = terminate.recv() => {}
            () = interrupted() => {}
        }
    }
    #[cfg(not(unix))]
    interrupted().await;
}

async fn interrupted() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
