//! The Certificate of cert-manager, written in Rust: what its definition specifies, and how its versions differ.

pub mod generated;
pub mod v1;
pub mod v1alpha2;
pub mod v1alpha3;
pub mod v1beta1;
