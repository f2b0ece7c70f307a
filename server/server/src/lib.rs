//! A small Kubernetes-style API server, as a library.
//!
//! A [`Server`] serves every kind of a [`Scheme`](hubgen_machinery::scheme::Scheme) that has a resource, at each of
//! its versions. A client can create an object at one version and read it at another:
//!
//! ```
//! use std::sync::Arc;
//!
//! use hubgen_machinery::scheme::Scheme;
//! use hubgen_server::store::{Embedded, Options};
//! use hubgen_server::{Server, Settings};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut scheme = Scheme::new();
//! hubgen_coordination::register(&mut scheme);
//!
//! let runtime = tokio::runtime::Runtime::new()?;
//! let server = runtime.block_on(async {
//!     let store = Embedded::in_memory(Options::default())?;
//!     let settings = Settings::new(Arc::new(scheme), Arc::new(store));
//!     // Port 0: any free port.
//!     Ok::<_, Box<dyn std::error::Error>>(Server::bind(0, settings).await?)
//! })?;
//! let group = format!("http://{}/apis/coordination.k8s.io", server.address());
//! runtime.spawn(server.run(std::future::pending()));
//!
//! ureq::post(format!("{group}/v1beta1/namespaces/default/leases"))
//!     .content_type("application/json")
//!     .send(r#"{"metadata": {"name": "leader"}, "spec": {"holderIdentity": "a"}}"#)?;
//! let lease = ureq::get(format!("{group}/v1/namespaces/default/leases/leader")).call()?.body_mut().read_to_string()?;
//! assert!(lease.starts_with(r#"{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","#));
//! # Ok(())
//! # }
//! ```
//!
//! A request passes these stages, whose order one function shows (`chain`): who asks and who may ([`access`]), what is
//! asked (`request`), and the verb (`verbs`). A write passes those of `objects`: decoding at the client's version,
//! defaulting, conversion to the hub, admission, validation, conversion to the storage version, and the store. An
//! answer takes the way back.
//!
//! # Where to look next
//!
//! | task | module or item |
//! | --- | --- |
//! | choose limits and what may refuse requests | [`Settings`] |
//! | serve the kinds of your own crate, with your own functions | [`Server::with_scheme`] |
//! | convert the objects of definitions by rules that come with them | [`Settings::conversions`], and the crate `hubgen-rules` |
//! | choose the kinds and their versions, also while the server runs | [`catalog`] |
//! | find out who asks, and decide who may | [`access`] |
//! | decide by roles and bindings | [`rbac`] |
//! | publish the schemas of kinds as OpenAPI | [`Kinds::published`] |
//! | check objects without a server | [`Checker`] |
//! | keep objects in a folder | [`store::Embedded::open`] |
//! | keep objects elsewhere | [`store::Store`] |
//! | choose the version that a kind is stored at | [`StorageVersions`] |
//! | change or refuse requests | [`admission`] |
//! | fix the clock and the random names in a test | [`environment`] |
//! | make requests fail, in a test of a client | [`faults`] |
//! | choose what the server does by itself, and wait for it | [`loops`] |
//! | run a server as a process that ends on a signal | [`process`] |
//!
//! The crate has no features.

pub mod access;
pub mod admission;
mod agent;
mod answer;
pub mod catalog;
mod chain;
mod checker;
mod conversion;
mod definitions;
mod documents;
pub mod environment;
pub mod faults;
mod feed;
mod fields;
mod follow;
mod health;
mod initial;
mod kind_names;
mod kubeconfig;
mod limits;
pub mod loops;
mod managed_fields;
mod media;
mod metrics;
mod nested;
mod objectmeta;
mod objects;
mod openid;
mod own;
mod part;
mod published;
pub mod rbac;
mod request;
mod reviews;
mod selector;
mod server;
mod status;
pub mod store;
mod struck;
mod turns;
pub mod validation;
mod verbs;

/// What a server listens with.
pub use hubgen_serve::{Tls, process};

/// Who converts the objects of CustomResourceDefinitions.
pub use hubgen_definitions::{Conversions, Converter, SchemeConversions};

/// What a server publishes of the schemas of its kinds.
pub use hubgen_openapi as openapi;

pub use self::catalog::{Kinds, StorageVersions};
pub use self::checker::{Checker, Found, Unchecked};
pub use self::conversion::{InvalidServiceUrl, ServiceUrl};
pub use self::kubeconfig::Kubeconfig;
pub use self::limits::{DoorLimits, Limits};
pub use self::media::Media;
pub use self::server::{Server, Settings};
