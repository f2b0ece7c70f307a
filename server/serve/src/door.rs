//! A server that is about to run.

use tokio::net::{TcpListener, ToSocketAddrs};

use crate::{Error, Handler, Limits, Tls, connection, process};

/// A server of one handler, with limits and perhaps TLS.
#[derive(Clone)]
pub struct Door<H> {
    handler: H,
    limits: Limits,
    tls: Option<Tls>,
}

impl<H: Handler> Door<H> {
    /// A server without TLS, with the default limits.
    pub fn new(handler: H) -> Self {
        Self { handler, limits: Limits::default(), tls: None }
    }

    /// Serves over TLS. Clients choose between HTTP/1.1 and HTTP/2 in the handshake (ALPN); without TLS they begin with
    /// one of them.
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
    /// When the address cannot be bound, or signals cannot be received.
    pub async fn serve(self, address: impl ToSocketAddrs) -> Result<(), Error> {
        let listener = TcpListener::bind(address).await.map_err(Error::Listen)?;
        let shutdown = process::asked_to_stop().map_err(Error::Listen)?;
        self.serve_on(listener, shutdown).await;
        Ok(())
    }

    /// Serves until `shutdown` is ready. Then it accepts no more connections, tells clients that no more requests are
    /// welcome, and finishes the running ones, for at most [`Limits::grace`]. It abandons the rest. The work of an
    /// abandoned request can continue for a while, so whoever ends the process must not wait for the runtime.
    pub async fn serve_on(self, listener: TcpListener, shutdown: impl Future<Output = ()>) {
        connection::serve(listener, self.handler, self.tls, self.limits, shutdown).await;
    }
}
