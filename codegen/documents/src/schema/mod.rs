//! Reads and writes the distilled schemas under `schemas/`: one OpenAPI v3 document for each group
//! version. `schemas/README.md` describes the format.

mod carried;
mod definition;
mod expr;
mod facts;
mod format;
mod read;
mod reader;
mod sources;
mod write;

pub use carried::Carried;
pub(crate) use definition::KEY as DEFINITION;
pub use read::{read_dir, read_files};
pub use sources::{Fault, Sources};
pub use write::files;
