//! The checks of the fuzz targets. Each target passes its bytes to one function `check`, which panics if a law is
//! violated. `docs/fuzzing.md` lists the laws, and every intended difference from a peer (another implementation).

pub mod bbolt;
pub mod conversion;
pub mod envelope;
pub mod int_or_string;
pub mod json;
pub mod memory;
pub mod peer;
pub mod protobuf;
pub mod quantity;
pub mod shapes;
pub mod time;
pub mod yaml;
