//! Reads documents that describe a versioned API into the model, and writes the model as documents:
//! published OpenAPI and descriptor sets, CustomResourceDefinitions, distilled schemas, conversion
//! rules, defaults, behaviour, columns, and which types are boxed.
//!
//! Every error has its position in the document and a help text.

pub mod archive;
pub mod behaviour;
pub mod boxes;
pub mod columns;
pub mod crd;
pub mod crd_files;
pub mod defaults;
pub mod folder;
pub mod generated;
pub mod import;
mod keywords;
pub mod layout;
pub mod node;
pub mod project;
pub mod rules;
pub mod schema;
mod table;
pub mod tool;
pub mod upstream;

pub use hubgen_diagnostic::{Diagnostic, Source};
