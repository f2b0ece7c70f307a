//! The distilled schemas under `schemas/`: one OpenAPI v3 document for each
//! group version, read into the model and written from it. The format is
//! described in `schemas/README.md`.

mod expr;
pub mod json;
mod read;
mod write;

pub use read::{locate, read_dir, read_files, read_parts};
pub use write::files;
