//! What the tests of laws look at, in the crate `hubgen-laws`, and nobody else: how a stash is written, and what
//! restoring it compares. Not for users: it changes whenever the stash does.

pub use super::kept::{Stash, stash_in};
pub use super::plain::{from_json, to_json};
pub use super::restore::is_either;
