//! The messages of `proto/`. `tests/messages.rs` writes the files beside this one.
#![allow(missing_docs, clippy::large_enum_variant)]

#[rustfmt::skip]
pub(super) mod v2;
#[rustfmt::skip]
pub(super) mod v3;
