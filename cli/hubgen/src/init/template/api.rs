//! A module for each version. `hubgen generate` writes the rest to `generated`.

pub mod generated;
pub mod v1;
pub mod v1alpha1;

pub use self::generated::{crds, scheme};
