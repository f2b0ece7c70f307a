//! JSON, read and written.

pub mod lexer;
pub mod raw;
pub mod writer;

pub use lexer::{Error, Lexer};
pub use raw::Raw;
