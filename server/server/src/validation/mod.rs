//! Validates objects before they are stored.

mod growth;
mod metadata;
pub(crate) mod name;
mod schemas;
mod structure;
mod violation;

pub(crate) use self::growth::growth;
pub(crate) use self::metadata::metadata;
pub use self::schemas::{InvalidCrd, Schemas};
pub(crate) use self::schemas::{Scope, Validator};
pub(crate) use self::structure::structure;
pub use self::violation::Violation;
pub(crate) use self::violation::{Violations, cut};
