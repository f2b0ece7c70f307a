//! Sets of fields, as `metadata.managedFields` has them: who owns which fields of an object.
//!
//! A field is named by its path, and a step of a path is an [`Element`]: a member of an object, or an item of a list, which
//! its keys, its value or its index name. A [`Set`] contains paths. That a path is in a set tells nothing of the paths
//! before or behind it: `spec` and `spec.replicas` are two members.
//!
//! ```
//! use hubgen_patch::fields::{Element, Set};
//!
//! let mine: Set = r#"{"f:spec":{"f:paused":{},"f:replicas":{}}}"#.parse()?;
//! let changed: Set = r#"{"f:spec":{"f:replicas":{}}}"#.parse()?;
//! assert!(mine.has(&[Element::field("spec"), Element::field("replicas")]));
//! assert_eq!(mine.difference(&changed).to_string(), r#"{"f:spec":{"f:paused":{}}}"#);
//! # Ok::<_, hubgen_patch::fields::FieldsError>(())
//! ```
//!
//! Upstream: `fieldpath` of structured-merge-diff.

mod algebra;
mod element;
mod error;
mod joined;
mod order;
mod set;
mod text;

pub use self::element::Element;
pub use self::error::{ElementError, FieldsError};
pub(crate) use self::order::equal;
pub use self::set::{Paths, Set};
