//! An API server inside a test.
//!
//! A [`TestServer`] serves the kinds of Kubernetes, or those of a Scheme, on a free port of this machine. Its objects are in memory,
//! and it is gone when it is dropped: its tasks, its port and its objects. Hundreds run side by side in one process.
//!
//! ```
//! use hubgen_test_server::TestServer;
//!
//! # #[cfg(feature = "kubernetes")]
//! # #[tokio::main]
//! # async fn main() -> Result<(), hubgen_test_server::Error> {
//! let server = TestServer::builder()
//!     .manifests("{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}, data: {k: v}}")
//!     .start()
//!     .await?;
//! let before = server.snapshot().await?;
//! // Whatever a test does with the server at this URL …
//! assert!(server.url().starts_with("http://127.0.0.1:"));
//! // … is undone for the next one.
//! server.restore(&before).await?;
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "kubernetes"))]
//! # fn main() {}
//! ```
//!
//! # Where to look next
//!
//! | task | item |
//! | --- | --- |
//! | start a server, with objects, definitions, and kinds of one's own | [`Builder`] |
//! | have one set-up for many tests | [`TestServer::snapshot`], [`TestServer::restore`] |
//! | run servers side by side that begin with the same objects | [`TestServer::from_snapshot`] |
//! | set the clock | [`Clock`] |
//! | make requests fail, and end watches | [`Faults`] |
//!
//! # Features
//!
//! | feature | what it adds |
//! | --- | --- |
//! | `kubernetes`, a default | the kinds of Kubernetes; without it, a server needs a [Scheme](Builder::scheme) |
//! | `repository` | `Builder::repository`, for the kinds of a `hubgen.toml`. It compiles the generator, too |
//! | `kube-5` | `TestServer::client`, a client of kube 5 |

mod builder;
#[cfg(feature = "kube-5")]
mod client;
mod clock;
mod error;
mod faults;
mod kinds;
mod repository;
mod seeds;
mod server;
mod snapshot;

pub use hubgen_server::faults::{Fault, FaultAnswer, Lost};
pub use hubgen_server::loops::Controllers;

pub use self::builder::Builder;
pub use self::clock::Clock;
pub use self::error::Error;
pub use self::faults::{Faults, Planned, Requests};
pub use self::server::TestServer;
pub use self::snapshot::Snapshot;
