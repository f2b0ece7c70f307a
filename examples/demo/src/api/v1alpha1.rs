//! `example.com/v1alpha1`: an older version. `v1` specifies what differs.

use hubgen_machinery::{ApiType, Str};
use hubgen_meta::v1::ObjectMeta;

use super::v1::DemoStatus;

/// A program that runs in several instances.
#[derive(ApiType)]
#[kind(group = "example.com", version = "v1alpha1", kind = "Demo")]
#[kind(namespaced, status, deprecated)]
pub struct Demo {
    pub metadata: ObjectMeta,
    /// What should run.
    #[field(required)]
    pub spec: DemoSpec,
    /// What runs.
    pub status: Option<DemoStatus>,
}

/// What should run.
#[derive(ApiType)]
pub struct DemoSpec {
    /// The image of the program.
    #[field(required)]
    pub image: Str,
    /// The number of instances.
    #[field(default = "1")]
    pub size: Option<i32>,
}
