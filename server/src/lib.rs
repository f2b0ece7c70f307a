//! The server: HTTP in front, then defaulting, the hub, admission and validation, and a store
//! that keeps the bytes.
//!
//! [`Server`] puts it together. What it serves is a [`Scheme`](hubgen_machinery::scheme::Scheme):
//! every kind that has a resource, at every version that the Scheme knows.

pub mod admission;
mod connection;
pub mod environment;
mod guarded_body;
mod http;
mod hub;
mod keys;
mod limits;
mod media;
mod objectmeta;
pub mod process;
mod registry;
mod selector;
mod server;
mod storage_path;
pub mod storage_versions;
pub mod store;
mod unreadable;
pub mod validation;
pub mod wire;

pub use self::limits::Limits;
pub use self::media::Media;
pub use self::server::{Server, Settings};
pub use self::storage_versions::StorageVersions;
