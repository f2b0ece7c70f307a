//! A fault in a file: where it is, what was expected, and how to fix it.
//!
//! Readers create a [`Diagnostic`] from the [`Source`] that they read. Commands print it: the crate
//! `hubgen-terminal` draws the [`Excerpt`] for people and writes JSON for programs. This crate depends
//! on nothing, so that every reader can afford it.

mod diagnostic;
mod excerpt;
mod source;

pub use self::diagnostic::{Diagnostic, Severity};
pub use self::excerpt::Excerpt;
pub use self::source::Source;
