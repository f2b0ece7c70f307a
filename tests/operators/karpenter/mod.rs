//! The functions that the rules name, with the parts of types that they convert. A crate with generated code has them beside
//! the whole types instead.

pub mod functions;
mod types;
