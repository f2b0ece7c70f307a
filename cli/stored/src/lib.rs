//! Decodes stored values: what Kubernetes keeps in etcd, or sends.
//!
//! [`Values`] finds the values in a file or in the output of a tool, and [`Decoder`] makes an object of each:
//!
//! ```
//! use hubgen_migrate::{Known, Target};
//! use hubgen_stored::{Decoded, Decoder, Values};
//!
//! let dump = br#"{"header": {}, "kvs": [{"key": "L3JlZ2lzdHJ5L2pvYnMvYQ==", "mod_revision": 7, "value": "azhzAAoZCg1iYXRjaC92MWJldGExEghDcm9uSm9iEhISCQoHKi8xMCAqChIFCgNhcHA="}], "count": 1}"#;
//! let known = Known::kubernetes();
//! let decoder = Decoder { target: Some(&Target::Newest), ..Decoder::new(&known) };
//! for stored in Values::parse(dump)?.iter() {
//!     match decoder.decode(&stored.bytes)? {
//!         Decoded::Object(object, warnings) => println!("{object} {}", warnings.len()),
//!         Decoded::Unknown(why) => println!("{why}: {}", decoder.wire(&stored.bytes)),
//!     }
//! }
//! # Ok::<(), hubgen_stored::Finding>(())
//! ```

mod decoder;
mod finding;
mod values;
mod wire;

pub use self::decoder::{Decoded, Decoder};
pub use self::finding::{Finding, Help};
pub use self::values::{Stored, Values};
