//! Generates Rust from schemas, rules and defaults, and reads users' Rust as schemas.

pub mod adopt;
pub mod boxed;
mod check;
mod conversions;
pub mod draft;
pub mod emit;
mod enums;
mod generate;
mod job;
pub mod module;
pub mod naming;
mod origins;
pub mod output;
mod places;
pub mod rust;
pub mod survey;
mod target;

pub use check::{groups_with_one_name, has_infinite_types};
pub use conversions::Conversions;
pub use generate::{Definitions, Generated, Kinds, Summary, api, definitions, generate, kinds};
pub use job::{Done, Job};
pub use origins::Origins;
pub use target::{Form, Target};
