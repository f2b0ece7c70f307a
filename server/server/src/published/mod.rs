//! What the server tells of its kinds: pure functions of a Scheme.

mod aggregated;
mod discovery;
pub(crate) mod openapi;
mod priority;
mod version;

pub(crate) use self::aggregated::AggregatedVersion;
pub(crate) use self::discovery::Discovery;
pub(crate) use self::version::{REFERENCE, git_version, version};
