//! From documents to the model, and from the model to Rust.

#[cfg(feature = "read")]
pub mod archive;
#[cfg(feature = "emit")]
mod check;
#[cfg(feature = "emit")]
mod defaults;
#[cfg(feature = "read")]
mod diagnostic;
#[cfg(feature = "emit")]
pub mod emit;
#[cfg(feature = "emit")]
mod generate;
#[cfg(feature = "read")]
pub mod rules;
#[cfg(feature = "read")]
pub mod schema;
#[cfg(feature = "read")]
pub mod upstream;

#[cfg(feature = "read")]
pub use diagnostic::{Diagnostic, Source};
#[cfg(feature = "emit")]
pub use generate::{Generated, Summary, generate};
