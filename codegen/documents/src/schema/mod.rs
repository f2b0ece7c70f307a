//! Reads and writes the distilled schemas under `schemas/`: one OpenAPI v3 document for each group
//! version. `schemas/README.md` describes the format.

mod carried;
mod definition;
mod expr;
mod facts;
mod format;
mod read;
mod reader;
mod write;

pub use carried::Carried;
pub(crate) use definition::KEY as DEFINITION;
pub use read::{locate, read_dir, read_files};
pub use write::files;
