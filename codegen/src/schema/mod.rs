//! The distilled schemas under `schemas/`: one OpenAPI v3 document for each
//! group version, read into the model and written from it. The format is
//! described in `schemas/README.md`.

mod expr;
pub mod json;
mod read;
mod write;

pub use read::{read_dir, read_files};
pub use write::files;
