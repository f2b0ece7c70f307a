//! A module for each version. `hubgen generate` writes the rest to `generated`.

pub mod generated;
pub mod leaves;
pub mod v1;
pub mod v1alpha1;
pub mod v1beta1;

pub use self::generated::{crds, scheme};
