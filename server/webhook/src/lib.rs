//! Serves the conversion webhook of Kubernetes for every kind of a [`Scheme`].
//!
//! An API server sends objects that it stores at one version, and wants them at another. This server converts them
//! through the hubs of the Scheme. Partial objects, such as those of server-side apply, stay partial
//! ([`Scheme::convert_json`]).
//!
//! ```no_run
//! # mod api { pub fn scheme() -> hubgen_machinery::scheme::Scheme { hubgen_machinery::scheme::Scheme::new() } }
//! use hubgen_webhook::Tls;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), hubgen_webhook::Error> {
//! let tls = Tls::files("/certs/tls.crt", "/certs/tls.key")?;
//! hubgen_webhook::serve(api::scheme(), tls, "0.0.0.0:9443").await
//! # }
//! ```
//!
//! That is a whole server: it reads the certificate again when the files change, answers `/healthz`, `/readyz` and
//! `/metrics`, and on SIGTERM or Ctrl-C it finishes the requests that it has. A POST to any other path is a review.
//!
//! It logs with [`tracing`]: that it listens, new certificates, reviews that fail and why, and stashes that it cannot
//! read. A program sees this with a subscriber, such as that of `tracing-subscriber`.
//!
//! Those who have a server already put [`Service`] into it, which is a service of tower, or call
//! [`Webhook::review`].

mod answer;
mod limits;
mod metrics;
mod review;
mod server;
mod service;
mod strict;
mod webhook;

use hubgen_machinery::scheme::Scheme;
use tokio::net::ToSocketAddrs;

/// Why the server does not start, and the certificate of the server.
pub use hubgen_serve::{Error, Tls};

pub use self::limits::{DoorLimits, Limits};
pub use self::review::ReviewError;
pub use self::server::Server;
pub use self::service::Service;
pub use self::webhook::Webhook;

/// Serves the webhook for all kinds of a Scheme, until SIGTERM or Ctrl-C. To change its limits, see [`Server`].
///
/// # Errors
/// When the address cannot be bound.
pub async fn serve(scheme: Scheme, tls: Tls, address: impl ToSocketAddrs) -> Result<(), Error> {
    Server::new(Webhook::new(scheme)).tls(tls).serve(address).await
}
