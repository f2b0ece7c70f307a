//! Makes kinds of a [`Scheme`](hubgen_machinery::scheme::Scheme) of CustomResourceDefinitions, while a program runs. Their objects
//! are what Kubernetes' API server makes of custom resources.
//!
//! ```
//! use hubgen_definitions::{Definition, Schemas, Strategy};
//! use hubgen_machinery::scheme::Scheme;
//! use serde_json::json;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let spec = json!({"type": "object", "properties": {"size": {"type": "integer", "default": 1}}});
//! let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}});
//! let definition = Definition::read(&json!({
//!     "apiVersion": "apiextensions.k8s.io/v1",
//!     "kind": "CustomResourceDefinition",
//!     "metadata": {"name": "widgets.example.com"},
//!     "spec": {
//!         "group": "example.com",
//!         "names": {"kind": "Widget", "plural": "widgets"},
//!         "scope": "Namespaced",
//!         "versions": [{"name": "v1", "served": true, "storage": true, "schema": schema}]
//!     }
//! }), &mut Schemas::default(), &Strategy::Same)?;
//! let mut scheme = Scheme::new();
//! for entry in definition.entries() {
//!     scheme.add(entry)?;
//! }
//!
//! let json = br#"{"apiVersion": "example.com/v1", "kind": "Widget", "spec": {"colour": "red"}}"#;
//! let (object, decoded) = scheme.decode(json)?;
//! assert_eq!(decoded.unknown, ["spec.colour"]);
//! assert_eq!(object.encode()?, br#"{"kind":"Widget","apiVersion":"example.com/v1","metadata":{},"spec":{"size":1}}"#);
//! # Ok(())
//! # }
//! ```
//!
//! All such objects have one Rust type, [`CustomObject`]: metadata, and the rest as JSON, with the members of objects in order.
//! The schema of a version is beside the entry of the Scheme ([`Version`]), and is compiled once for all versions and
//! definitions that have the same one ([`Schemas`]); it is freed with the last of them and of their objects' entries.

mod by_scheme;
mod definition;
mod deprecated;
mod object;
mod schema;
mod shape;
mod strategy;
mod version;

pub use self::by_scheme::{SchemeConversions, SchemeConverter};
pub use self::definition::{Definition, Unserved};
pub use self::object::CustomObject;
pub use self::schema::{CompiledSchema, Schemas};
pub use self::strategy::{Conversions, Converter, RULES, Strategy};
pub use self::version::Version;
