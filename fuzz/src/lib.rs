//! What the fuzz targets check. Each target hands its bytes to one `check`, which panics where a law does not hold.
//! `docs/fuzzing.md` lists the laws, and every difference from a peer that is meant.

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
