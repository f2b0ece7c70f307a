//! The runtime of Kubernetes-style API types: codecs, conversions, defaults, deep copy and the Scheme.
//!
//! Generated types (`hubgen-kubernetes`) and your own types use the same runtime. A struct with
//! `#[derive(ApiType)]` describes its fields, and everything else follows from the description:
//!
//! ```
//! use hubgen_machinery::{ApiType, json, protobuf, yaml};
//!
//! #[derive(ApiType)]
//! #[kind(group = "example.com", version = "v1", kind = "Widget")]
//! struct Widget {
//!     #[field(number = 1, required)]
//!     size: i32,
//!     #[field(number = 2)]
//!     colors: Vec<String>,
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let widget: Widget = json::decode(&yaml::to_json("size: 3")?)?;
//! assert_eq!(json::encode(&widget)?, br#"{"kind":"Widget","apiVersion":"example.com/v1","size":3}"#);
//! assert_eq!(protobuf::decode::<Widget>(&protobuf::encode(&widget))?, widget);
//!
//! let error = json::decode::<Widget>(br#"{"size": "3"}"#).unwrap_err();
//! assert_eq!(error.to_string(), "line 1, column 10, size: expected a 32-bit integer, found a string");
//! # Ok(())
//! # }
//! ```
//!
//! # Where to look next
//!
//! | task | module or item |
//! | --- | --- |
//! | read and write objects | [`json`], [`protobuf`], [`yaml`] |
//! | define a type of your own | [`ApiType`](derive@ApiType) |
//! | handle objects whose kind is known only at run time | [`scheme`] |
//! | convert between versions without loss | [`convert`]; to test your conversions, the crate `hubgen-laws` |
//! | set defaults | [`defaults`] |
//! | install the definitions of custom resources | [`crd`] |
//! | make the schema of a type for a definition | [`structural`] |
//! | bring an object into its canonical form | [`canonical`] |
//! | copy an object and reuse memory | [`reflect::DeepCopy`] |
//! | let the objects of a cache share their texts | [`Interner`] |
//! | read and write fields of any type by name | [`reflect`] |
//! | times, quantities, a number or a string | [`scalar`] |
//! | use types of other crates, such as URLs | [`Leaf`] |
//! | read the name or the labels of any object | [`meta`] |
//!
//! It contains nothing that is generated, and knows none of the kinds whose objects it handles.
//!
//! # Features
//!
//! - `schemars`: implements `JsonSchema` of schemars 1 for the scalars and for every type with
//!   [`ApiType`](derive@ApiType), generated types included. A struct of yours that contains such types can then derive
//!   `JsonSchema`, which kube's `CustomResource` needs. Do not derive it for a type with `ApiType` as well.
//! - `chrono`: `Rfc3339`, for [leaves](Leaf) with times of chrono.

mod budget;
pub mod canonical;
pub mod columns;
pub mod convert;
pub mod crd;
pub mod defaults;
mod intern;
pub mod json;
#[cfg(feature = "schemars")]
#[doc(hidden)]
pub mod json_schema;
#[doc(hidden)]
pub mod leaf;
pub mod map;
pub mod meta;
pub mod protobuf;
pub mod reflect;
#[cfg(feature = "chrono")]
mod rfc3339;
pub mod scalar;
pub mod scheme;
pub mod storage;
pub mod structural;
mod text;
pub mod tree;

/// Makes a struct or an enum a type of an API.
///
/// ```
/// use hubgen_machinery::{ApiType, json};
///
/// #[derive(ApiType)]
/// #[kind(group = "example.com", version = "v1", kind = "Widget")]
/// struct Widget {
///     #[field(number = 1, required)]
///     size: i32,
///     #[field(number = 2)]
///     finish: Finish,
/// }
///
/// #[derive(ApiType)]
/// enum Finish {
///     #[default]
///     Matt,
///     Glossy,
/// }
///
/// let widget: Widget = json::decode(br#"{"size": 3, "finish": "Glossy"}"#).unwrap();
/// assert_eq!(widget.finish, Finish::Glossy);
/// ```
///
/// Attributes specify facts about fields:
///
/// ```
/// use hubgen_machinery::{ApiType, json};
///
/// #[derive(ApiType)]
/// struct Service {
///     #[field(name = "clusterIP")]
///     cluster_ip: String,
///     #[field(required, list = map("name"))]
///     ports: Vec<Port>,
///     /// Zero and absent differ.
///     weight: Option<i32>,
/// }
///
/// #[derive(ApiType)]
/// struct Port {
///     #[field(required)]
///     name: String,
///     #[field(omit = zero)]
///     port: i32,
/// }
///
/// let port = Port { name: "web".to_owned(), port: 80 };
/// let service = Service { ports: vec![port], weight: Some(0), ..Service::default() };
/// assert_eq!(json::encode(&service).unwrap(), br#"{"ports":[{"name":"web","port":80}],"weight":0}"#);
/// ```
///
/// # What the derive does
pub use hubgen_derive::ApiType;
#[doc(inline)]
pub use hubgen_yaml as yaml;
pub use intern::Interner;
pub use leaf::Leaf;
pub use map::StrMap;
#[cfg(feature = "chrono")]
pub use rfc3339::Rfc3339;
#[cfg(feature = "schemars")]
#[doc(hidden)]
pub use schemars;
#[doc(hidden)]
pub use serde;
pub use text::Str;

// Derived code names the run time by its crate, here as everywhere.
extern crate self as hubgen_machinery;
