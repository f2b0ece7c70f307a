//! Objects to test with: generated, edited, and shrunk.
//!
//! Objects are generated from bytes over reflection, for every type, so no test data has to be
//! written. No bytes at all generate the empty object, and fewer bytes generate smaller objects. A
//! tool that shrinks the bytes therefore shrinks the object.
//!
//! ```
//! use hubgen_laws::objects::{Source, generate};
//! use hubgen_machinery::ApiType;
//!
//! #[derive(ApiType)]
//! struct Size {
//!     width: Option<i32>,
//! }
//!
//! assert_eq!(generate::<Size>(&mut Source::new(&[], &[])), Size::default());
//! ```

pub(crate) mod differences;
mod edit;
mod generate;
mod json;
pub(crate) mod json_edit;
mod shrink;

pub use self::edit::edit;
pub use self::generate::{Source, fill, generate};
pub use self::json::{accepted, canonical_form, object as json_object, same as same_json};
pub use self::shrink::{bytes, random, shrink};
