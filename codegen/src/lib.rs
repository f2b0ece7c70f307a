//! Generates Rust crates from schemas, rules and defaults.

mod check;
pub mod emit;
mod generate;

pub use generate::{Generated, Summary, generate};
