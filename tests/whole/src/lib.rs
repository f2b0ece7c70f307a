//! The Rust code blocks of the documentation, which `cargo test` compiles and runs as doctests.
//!
//! `tests/documentation.rs` checks that every Markdown file with such a block is here.

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
mod readme {}

#[cfg(doctest)]
#[doc = include_str!("../../../docs/own-apis-reference.md")]
mod own_apis_reference {}

#[cfg(doctest)]
#[doc = include_str!("../../../docs/strings.md")]
mod strings {}

#[cfg(doctest)]
#[doc = include_str!("../../../schemas/kubernetes/rules/README.md")]
mod rules {}

#[cfg(doctest)]
#[doc = include_str!("../../../machinery/validation/README.md")]
mod validation {}

#[cfg(doctest)]
#[doc = include_str!("../../../machinery/patch/README.md")]
mod patch {}
