//! Functions for the defaults, conversions and columns of Kubernetes' own kinds.
//!
//! Most defaults are constants, and most differences between versions are rules. What neither can express is a
//! function, which files of defaults and rules name. `hubgen-machinery` runs them and knows none of them; only kinds
//! whose files name one need this crate.

pub mod cells;
pub mod conversions;
pub mod defaults;
