//! What an API type needs at run time: reflection, codecs, deep copy,
//! defaulting, the Scheme, scalars, and what keeps a conversion lossless.

mod budget;
pub mod canonical;
pub mod convert;
pub mod defaults;
pub mod json;
pub mod meta;
pub mod protobuf;
pub mod reflect;
pub mod scalar;
pub mod scheme;
pub mod storage;
pub mod yaml;

pub use hubgen_derive::ApiType;
#[doc(hidden)]
pub use serde;

// Derived code names the run time by its crate, here as everywhere.
extern crate self as hubgen_machinery;
