//! Conversion of JSON as it came.
//!
//! A typed object cannot tell a field that was not there from an empty one wherever the API has no such difference, and
//! what it writes contains more than what it read. That is right for whole objects. But server-side apply sends partial
//! objects through conversions, and what a manager did not write it must not own. So JSON is converted without
//! decoding it: an object is changed in place where the versions differ ([`Edits`]), and all else stays as it came.

mod convert;
mod edits;
mod empty;
mod expect;
mod fault;
mod function;
mod graft;
#[doc(hidden)]
pub mod inside;
mod node;
mod nulls;
mod path;
mod run;
mod version;
mod zeros;

pub(crate) use self::convert::{Empty, Side};
pub use self::edits::{
    Blank, Case, Change, CompiledEdits, Each, Edit, Edits, Element, Expected, First, NoValue, Path,
    VersionEdits,
};
pub use self::node::{Member, Tree};
