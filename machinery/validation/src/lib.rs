//! Validates JSON objects by the structural schema of a CustomResourceDefinition, with the errors that Kubernetes' API
//! server reports: the same types, field paths and messages.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use hubgen_validation::Schema;
//! use serde_json::json;
//!
//! // `spec.versions[].schema.openAPIV3Schema` of the definition.
//! let schema = Schema::compile(&json!({
//!     "type": "object",
//!     "properties": {"spec": {"type": "object", "properties": {
//!         "size": {"type": "string", "enum": ["small", "large"]}
//!     }}}
//! }))?;
//! let errors = schema.validate(&json!({"spec": {"size": "huge"}})).unwrap_err();
//! assert_eq!(errors.to_string(), r#"spec.size: Unsupported value: "huge": supported values: "small", "large""#);
//! # Ok(())
//! # }
//! ```
//!
//! A schema is compiled once, and validates any number of objects, also in several threads.
//!
//! | to | call |
//! | --- | --- |
//! | validate an object | [`Schema::validate`] |
//! | validate an object of a Rust type, without a definition | `validate`, with the feature `types` |
//! | compile the schemas of a whole definition | [`Schema::compile_crd`] |
//! | read a whole definition, and find what is wrong in it | [`definition::read`], [`Schema::check`] |
//! | check a definition that is created or replaced, as the API server does | [`definition::errors`] |
//! | do all that the API server does with an object | [`Schema::admit`] |
//! | drop unknown fields, or find them | [`Schema::prune`] |
//! | drop nulls that are not allowed | [`Schema::drop_nulls`] |
//! | generate valid objects for tests | [`Schema::generate`] |
//! | set defaults | [`Schema::set_defaults`] |
//! | know what has no effect in a schema | [`Schema::unchecked`] |
//! | check a definition that replaces another | [`Schema::check_update`] |
//! | compile what a server has stored | [`Schema::compile_stored`] |
//! | validate an update | [`Schema::validate_update`] |
//! | validate an update of the subresource `status` | [`Schema::validate_status`], [`Schema::validate_status_update`] |
//! | validate what strangers send | [`Schema::validate_within`] |
//! | check names of objects, labels and annotations | [`names`] |
//!
//! # Features
//!
//! - `types`: validates objects of types with `#[derive(ApiType)]`, by the schemas that follow from the types. It needs
//!   `hubgen-machinery`.
//!
//! # Differences from the API server
//!
//! - Rules in CEL (`x-kubernetes-validations`) are compiled, checked and evaluated as Kubernetes 1.37 does, with its costs
//!   and limits. Of a syntax error, the API server sometimes finds more errors after the first one. Rules make no messages
//!   of protobuf, such as `google.protobuf.Timestamp{}`. What would need much more time or memory than its cost tells is
//!   stopped as too expensive.
//! - The order of errors is another: the API server's is random.
//! - Patterns are in Go's syntax. A pattern whose compiled form needs more than 32 MiB is refused.

mod cel;
mod circumstances;
mod compile;
mod defaults;
pub mod definition;
mod duration;
mod embedded;
mod equal;
mod error;
mod findings;
mod format;
mod generate;
mod lists;
mod meta;
mod mistake;
pub mod names;
mod node;
mod number;
mod old;
mod pattern;
mod prune;
mod range;
mod rule;
mod rules;
mod schema;
mod text;
#[cfg(feature = "types")]
mod types;
mod unchecked;
mod value;
mod value_type;

pub use self::circumstances::Circumstances;
pub use self::definition::KindSchema;
pub use self::error::{FieldError, FieldErrors, Reason};
pub use self::findings::Limits;
pub use self::mistake::Mistake;
pub use self::schema::{Checked, Schema};
#[cfg(feature = "types")]
pub use self::types::{schema_of, validate};
pub use self::unchecked::Unchecked;
