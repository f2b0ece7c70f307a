//! `$GROUP/v1alpha1`: an older version. `v1` specifies what differs.

use hubgen_machinery::{ApiType, Str};
use hubgen_meta::v1::ObjectMeta;

use super::v1::$KINDStatus;

/// A program that runs in several instances.
#[derive(ApiType)]
#[kind($OLD)]
#[kind(namespaced, status, deprecated)]
pub struct $KIND {
    pub metadata: ObjectMeta,
    /// What should run.
    #[field(required)]
    pub spec: $KINDSpec,
    /// What runs.
    pub status: Option<$KINDStatus>,
}

/// What should run.
#[derive(ApiType)]
pub struct $KINDSpec {
    /// The image of the program.
    #[field(required)]
    pub image: Str,
    /// The number of instances.
    #[field(default = "1")]
    pub size: Option<i32>,
}
