//! The messages of `proto/`. `tests/messages.rs` writes the files beside this one.
#![allow(missing_docs)]

#[rustfmt::skip]
pub(super) mod v2;
#[rustfmt::skip]
pub(super) mod v3;
