//! From the model to Rust: the generated crates.

mod check;
pub mod emit;
mod generate;

pub use generate::{Generated, Summary, generate};
