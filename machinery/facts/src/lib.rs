//! Facts about the fields of API types: what is said about them both at build time and at run time.
//!
//! `hubgen-model` contains facts as schemas and users' source state them; descriptors in `hubgen-machinery` contain the
//! same facts in a running program. What both need to say it is here, once.

pub mod definition;
mod number;
mod omit;
pub mod schema;
pub mod verbs;

pub use self::number::{Bits, Multiple, NumberText, TimeUnit};
pub use self::omit::Omit;

/// The fields of `metadata` that clients own. An update of the status takes them from the client for some of
/// Kubernetes' kinds, and preserves them for all others.
pub const CLIENT_METADATA: &[&str] = &["labels", "annotations", "finalizers", "ownerReferences"];
