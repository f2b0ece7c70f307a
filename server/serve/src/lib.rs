//! One door for servers of HTTP.
//!
//! A [`Door`] accepts connections, over TLS or without, and hands requests of HTTP/1.1 and HTTP/2 to a [`Handler`],
//! such as a router of axum or any other service of tower. It bounds what clients can take from each other
//! ([`Limits`]), so that a handler only bounds the work that it does itself.
//!
//! ```no_run
//! use std::convert::Infallible;
//!
//! use http::{Request, Response};
//! use http_body_util::Full;
//! use hubgen_serve::{Door, PeerAddress, Tls, service};
//! use hyper::body::{Bytes, Incoming};
//!
//! # async fn run() -> Result<(), hubgen_serve::Error> {
//! let hello = service(|request: Request<Incoming>| async move {
//!     let PeerAddress(from) = request.extensions().get().copied().expect("every request has one");
//!     Response::new(Full::new(Bytes::from(format!("hello, {from}\n"))))
//! });
//! let tls = Tls::files("tls.crt", "tls.key")?;
//! Door::new(hello).tls(tls).serve("0.0.0.0:8443").await
//! # }
//! ```
//!
//! # What a handler gets
//!
//! | extension of a request | what it is |
//! | --- | --- |
//! | [`PeerAddress`] | the address of the client |
//! | [`PeerCertificates`] | the certificates of the client, with [`Tls::client_ca`] or [`Tls::ask_clients`] |
//! | [`RequestId`] | the id of the request, which its answer and the log have, too |
//! | [`Drain`] | tells a long answer that the server is about to stop |
//!
//! # What a handler uses
//!
//! | task | module or item |
//! | --- | --- |
//! | receive a body within limits | [`body::receive`], [`memory`] |
//! | sort requests, and bound each sort | [`queue`] |
//! | count, and show it under `/metrics` | [`metrics`] |
//! | run as a process that ends on a signal | [`process`] |
//!
//! It logs with [`tracing`], in a span for each request.

mod activity;
pub mod body;
mod connection;
mod door;
mod drain;
mod error;
mod limits;
pub mod memory;
pub mod metrics;
mod peer;
pub mod process;
pub mod queue;
mod request;
mod request_id;
mod service;
mod tls;

pub use self::door::Door;
pub use self::drain::Drain;
pub use self::error::Error;
pub use self::limits::Limits;
pub use self::peer::{PeerAddress, PeerCertificates};
pub use self::queue::TooMany;
pub use self::request::Handler;
pub use self::request_id::{AUDIT_ID, RequestId};
pub use self::service::{FnService, service};
#[cfg(feature = "self-signed")]
pub use self::tls::folder::CERTIFICATE;
pub use self::tls::{Reloads, Tls};
