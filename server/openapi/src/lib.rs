//! Publishes the kinds of a server as OpenAPI, as Kubernetes' API server does: a document of OpenAPI v3 for each group
//! version, and one of OpenAPI v2 for all, each in JSON and in gnostic's protobuf.
//!
//! ```
//! use hubgen_openapi::{GroupVersion, Kind, Publisher, Resource, Sources};
//!
//! # fn main() -> Result<(), hubgen_openapi::InvalidSchemas> {
//! let deployments = Resource {
//!     name: "deployments".to_owned(),
//!     namespaced: true,
//!     kind: Kind { group: "apps".to_owned(), version: "v1".to_owned(), kind: "Deployment".to_owned() },
//!     verbs: vec!["get".to_owned(), "patch".to_owned()],
//!     media: vec!["application/json"],
//!     patches: vec!["application/merge-patch+json"],
//! };
//! let apps = GroupVersion { group: "apps".to_owned(), version: "v1".to_owned(), resources: vec![deployments], defined: false };
//!
//! let mut sources = Sources::default();
//! sources.distilled(hubgen_schemas::kubernetes());
//! let publisher = Publisher::new(&sources, "v1.37.0")?;
//! let document = publisher.group_version(&apps);
//! assert!(document.paths.paths.contains_key("/apis/apps/v1/namespaces/{namespace}/deployments/{name}"));
//! assert!(document.components.unwrap().schemas.contains_key("io.k8s.api.core.v1.PodSpec"));
//! # Ok(())
//! # }
//! ```
//!
//! Schemas come from three [`Sources`]: distilled documents, such as those of Kubernetes in `hubgen-schemas`;
//! CustomResourceDefinitions; and, for a kind about which neither knows anything, its name alone.
//!
//! # Where to look next
//!
//! | task | item |
//! | --- | --- |
//! | say where schemas come from, and of which release they are | [`Sources`] |
//! | make the document of a group version, or of anything else | [`Publisher`] |
//! | make the document of OpenAPI v2 | [`Publisher::swagger`] |
//! | encode a document in protobuf | [`gnostic`] |
//!
//! The crate has no features.

mod definitions;
mod descriptions;
mod document;
pub mod gnostic;
mod library;
mod names;
mod operations;
mod parameters;
mod publisher;
mod release;
mod resources;
mod sources;
mod swagger;

pub use self::descriptions::{Descriptions, InvalidDescriptions};
pub use self::library::InvalidSchemas;
pub use self::publisher::Publisher;
pub use self::release::{InvalidRelease, Release};
pub use self::resources::{GroupVersion, Kind, Resource};
pub use self::sources::Sources;
