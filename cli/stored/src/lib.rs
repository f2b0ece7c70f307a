//! Decodes stored values: what Kubernetes keeps in etcd, or sends.
//!
//! [`Values`] finds the values in a file or in the output of a tool, and [`Decoder`] makes an object of each:
//!
//! ```
//! use hubgen_migrate::{Known, Target};
//! use hubgen_stored::{Decoded, Decoder, Values};
//!
//! // What `etcdctl get /registry/cronjobs -w json` prints.
//! let dump = br#"{"header": {}, "kvs": [{
//!     "key": "L3JlZ2lzdHJ5L2Nyb25qb2JzL2RlZmF1bHQvbmlnaHRseQ==",
//!     "mod_revision": 7,
//!     "value": "azhzAAoYCg1iYXRjaC92MWJldGExEgdDcm9uSm9iEhgKCQoHbmlnaHRseRILCgkwIDMgKiAqICo="
//! }], "count": 1}"#;
//! let known = Known::kubernetes();
//! let decoder = Decoder { target: Some(&Target::Newest), ..Decoder::new(&known) };
//! for stored in Values::parse(dump)?.iter() {
//!     assert_eq!(stored.key.as_deref(), Some("/registry/cronjobs/default/nightly"));
//!     match decoder.decode(&stored.bytes)? {
//!         Decoded::Object(object, _) => {
//!             assert_eq!(object["apiVersion"], "batch/v1");
//!             assert_eq!(object["spec"]["schedule"], "0 3 * * *");
//!         }
//!         Decoded::Unknown(why) => println!("{why}\n{}", decoder.wire(&stored.bytes)),
//!     }
//! }
//! # Ok::<(), hubgen_stored::Finding>(())
//! ```
//!
//! A [`Snapshot`] has the values of a snapshot of etcd, at any revision that is not compacted.
//! [`Decoder::rewrite`] makes what can be stored in the place of a value.

mod decoder;
mod encrypted;
mod finding;
mod rewrite;
mod snapshot;
mod values;
mod wire;

pub use self::decoder::{Decoded, Decoder};
pub use self::encrypted::Encrypted;
pub use self::finding::{Finding, Help};
pub use self::rewrite::Rewritten;
pub use self::snapshot::{Snapshot, State};
pub use self::values::{Stored, Values};
