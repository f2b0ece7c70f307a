//! Reads all objects of a Kubernetes cluster through kubectl, page by page, and never writes.
//!
//! A [`Cluster`] is what the user's own kubectl reaches. Each question is one `kubectl get --raw PATH`: it knows every way to
//! log in (tokens, certificates, plugins, proxies), and it can only read. [`Cluster::discover`] finds the resources that can
//! be listed, [`Cluster::objects`] and [`Cluster::all`] read them, and [`written`] tells at which versions an object was
//! written.
//!
//! ```no_run
//! use hubgen_cluster::{Cluster, written};
//!
//! let cluster = Cluster { context: Some("production".to_owned()), ..Cluster::default() };
//! println!("Kubernetes {}", cluster.release()?.version);
//! let discovery = cluster.discover()?;
//! for unavailable in &discovery.unavailable {
//!     eprintln!("left out: {unavailable}");
//! }
//! let left_out = cluster.all(&discovery.resources, &mut |resource, object| {
//!     println!("{resource} {}: {:?}", object["metadata"]["name"], written(&object));
//! })?;
//! for one in &left_out {
//!     eprintln!("left out: {one}");
//! }
//! # Ok::<(), hubgen_cluster::Failure>(())
//! ```
//!
//! kubectl runs without a terminal: where a login asks something, run kubectl once before, so that its plugin keeps a token.
//! Preferences of the user (`kuberc`) are not read, because they could change what `get` does.

mod cluster;
mod discovery;
mod failure;
mod in_order;
mod kubectl;
mod left_out;
mod objects;
mod pages;
mod release;
mod written;

pub use self::cluster::Cluster;
pub use self::discovery::{Discovery, Resource, Unavailable};
pub use self::failure::{Cause, Failure};
pub use self::left_out::{LeftOut, Why};
pub use self::release::Release;
pub use self::written::{By, History, Written, written};
