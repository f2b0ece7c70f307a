//! Reads and writes the distilled schemas under `schemas/`: one OpenAPI v3 document for each group
//! version. `schemas/README.md` describes the format.

mod expr;
pub mod json;
mod read;
mod write;

pub use read::{locate, read_dir, read_files, read_parts};
pub use write::files;
