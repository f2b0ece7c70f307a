//! JSON, read and written as the reference server (kube-apiserver) reads and writes it.

pub mod raw;

mod decode;
mod encode;
mod encode_error;
mod raw_seed;

pub use decode::{Decoded, MAX_PATHS, decode, decode_into, decode_slot, type_meta};
pub(crate) use decode::{decode_in_any_case, decode_list_in_any_case};
pub(crate) use encode::encode_lossy;
pub use encode::{encode, encode_into, encode_slot};
pub use encode_error::EncodeError;
pub use hubgen_json::{Error, Lexer, lexer, read_value, writer};
pub use raw::Raw;
