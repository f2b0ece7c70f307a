//! Patches, as Kubernetes' API server applies them to objects in JSON.
//!
//! ```
//! use serde_json::json;
//!
//! let mut object = json!({"spec": {"replicas": 1, "paused": true}});
//! hubgen_patch::merge(&mut object, json!({"spec": {"replicas": 2, "paused": null}}));
//! assert_eq!(object, json!({"spec": {"replicas": 2}}));
//! ```
//!
//! | patch | media type | function |
//! | --- | --- | --- |
//! | JSON patch (RFC 6902) | `application/json-patch+json` | [`JsonPatch`] |
//! | merge patch (RFC 7386) | `application/merge-patch+json` | [`merge`] |
//! | strategic merge patch | `application/strategic-merge-patch+json` | [`strategic`] |
//!
//! A patch works on JSON and not on structs, because a field that is absent and one with a zero differ in it. A strategic
//! merge patch asks the [`Descriptor`](hubgen_machinery::reflect::Descriptor) of the type which lists it merges, and by which
//! key; so it works for compiled types and for those of run time alike.
//!
//! A configuration (`application/apply-patch+yaml`) is no patch: [`Managers::apply`](owners::Managers::apply) merges it and
//! notes who owns what.
//!
//! Who owns which fields of an object, as `metadata.managedFields` tells it, is in three layers: sets of fields ([`fields`]),
//! what a type specifies for its fields ([`typed`]), and managers ([`owners`]).

mod error;
pub mod fields;
mod json_patch;
mod merge;
pub mod owners;
mod pointer;
mod strategic;
pub mod typed;

pub use self::error::Error;
pub use self::json_patch::{JsonPatch, Limits};
pub use self::merge::merge;
pub use self::strategic::strategic;
