//! Generates Rust crates from schemas, rules and defaults.

pub mod boxed;
mod check;
pub mod emit;
mod generate;

pub use generate::{Generated, Summary, generate};
