//! JSON text, read and written as Go and Kubernetes' API server read and write it.
//!
//! This is the level of text: a strict tokenizer that decoders drive ([`Lexer`]), and functions that append values
//! ([`writer`]). It knows no types; `hubgen-machinery` decodes and encodes objects over reflection with it.
//!
//! ```
//! use hubgen_json::{Lexer, read_value, writer};
//!
//! let mut lexer = Lexer::new(br#"{"html": "<b>", "size": 1.50}"#)?;
//! let value = read_value(&mut lexer)?;
//! let mut out = Vec::new();
//! writer::value(&mut out, &value);
//! assert_eq!(out, br#"{"html":"\u003cb\u003e","size":1.5}"#);
//! # Ok::<(), hubgen_json::Error>(())
//! ```

mod block;
pub mod compact;
pub mod lexer;
mod locate;
#[doc(hidden)]
pub mod utf8;
mod value;
pub mod writer;

pub use self::lexer::{Error, Lexer};
pub use self::locate::located;
pub use self::value::read_value;
