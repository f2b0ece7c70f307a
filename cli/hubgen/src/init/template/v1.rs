//! `$GROUP/v1`: the newest version, at which objects are stored.

use hubgen_machinery::{ApiType, Str};
use hubgen_meta::v1::ObjectMeta;

/// A program that runs in several instances.
#[derive(ApiType)]
#[kind($NEW)]
#[kind(namespaced, storage, status)]
#[kind(column("Replicas" => ".spec.replicas"), column("Ready" => ".status.ready"))]
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
    #[field(default = "1", renamed(v1alpha1 = "size"))]
    pub replicas: Option<i32>,
    /// Whether nothing runs for now.
    // v1alpha1 does not have the field: an annotation keeps it there.
    #[field(added)]
    pub paused: Option<bool>,
}

/// What runs.
#[derive(ApiType)]
pub struct $KINDStatus {
    /// The number of instances that are ready.
    pub ready: Option<i32>,
}
