//! The kind $KIND of `$GROUP`, at the versions `v1alpha1` and `v1`.

pub mod api;
