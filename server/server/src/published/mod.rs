//! What the server tells of its kinds: pure functions of a Scheme.

mod aggregated;
mod discovery;
mod priority;
mod version;

pub(crate) use self::aggregated::AggregatedVersion;
pub(crate) use self::discovery::{Discovery, served, status_verbs};
pub(crate) use self::version::{RELEASE, version};
