//! Generates Rust crates from schemas, rules and defaults.

pub mod boxed;
mod check;
pub mod draft;
pub mod emit;
mod enums;
mod generate;
mod job;
pub mod output;
mod target;

pub use generate::{Generated, Summary, generate};
pub use job::{Done, Job};
pub use target::{Form, Target};
