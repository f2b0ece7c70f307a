//! What the tests of laws look at, in the crate `hubgen-laws`, and nobody else: one version's side of a conversion,
//! without a Scheme. Not for users.

pub use super::convert::{Empty, Side};
