//! Documents that describe a versioned API, to and from the model: published
//! OpenAPI and descriptor sets, distilled schemas, conversion rules, defaults.
//!
//! Every error points into its document and says what to do.

pub mod archive;
pub mod defaults;
mod diagnostic;
pub mod rules;
pub mod schema;
pub mod upstream;

pub use diagnostic::{Diagnostic, Source};
