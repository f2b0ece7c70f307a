//! The kind Demo of `example.com`, at the versions `v1alpha1` and `v1`.

pub mod api;
