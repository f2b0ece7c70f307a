//! What the type of an object specifies for its fields: which of them are owned one by one, and which as a whole.
//!
//! A scalar is one field, and so is whatever is atomic. A list whose items are told apart, by keys or by their values, and
//! any other object are fields in fields. The [`Descriptor`](hubgen_machinery::reflect::Descriptor) of a type specifies which is
//! which, so that this works for compiled types and for those of run time alike. Of any JSON that no type describes, objects
//! are fields in fields, and lists are atomic.
//!
//! Upstream: `typed` of structured-merge-diff, and `schemaconv` of kube-openapi, which makes its schemas.

mod check;
mod compare;
mod error;
mod go;
mod item;
mod merge;
mod named;
mod of;
mod place;
mod reconcile;
mod remove;
mod validate;

pub use self::check::check;
pub use self::compare::{Comparison, compare};
pub use self::error::{ItemError, TypedError};
pub use self::go::type_of;
pub use self::merge::merge;
pub use self::named::with_named;
pub use self::of::fields;
pub use self::reconcile::reconcile;
pub use self::remove::{extract, remove};
pub use self::validate::{validate, validate_but_duplicates};
