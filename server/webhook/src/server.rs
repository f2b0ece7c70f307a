//! Serves the webhook at an address.

use hubgen_serve::{Door, Error, Reloads, Tls};
use tokio::net::{TcpListener, ToSocketAddrs};

use crate::{Limits, Service, Webhook};

/// A server of a webhook.
///
/// It speaks HTTP/1.1 and HTTP/2, over TLS if it has a certificate. API servers accept no webhook without TLS; it is
/// for those who have a proxy that adds it, and for tests.
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

    fn door(self) -> Door<Service> {
        let reloads = self.tls.as_ref().map_or_else(Reloads::default, Tls::reloads);
        let door = Door::new(Service::with_reloads(self.webhook, self.limits, reloads));
        let door = door.limits(self.limits.door);
        match self.tls {
            Some(tls) => door.tls(tls),
            None => door,
        }
    }

    /// Serves at an address until SIGTERM or Ctrl-C.
    ///
    /// # Errors
    /// When the address cannot be bound.
    pub async fn serve(self, address: impl ToSocketAddrs) -> Result<(), Error> {
        self.door().serve(address).await
    }

    /// Serves until `shutdown` is ready. Then it accepts no more connections, and waits for the running requests.
    pub async fn serve_on(self, listener: TcpListener, shutdown: impl Future<Output = ()>) {
        self.door().serve_on(listener, shutdown).await;
    }
}
