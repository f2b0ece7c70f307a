//! `example.com/v1beta1`: the same fields elsewhere.

use hubgen_machinery::{ApiType, Str};
use hubgen_meta::v1::ObjectMeta;

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1beta1", kind = "Job", namespaced)]
pub struct Job {
    pub metadata: ObjectMeta,
    pub spec: Option<JobSpec>,
}

#[derive(ApiType)]
pub struct JobSpec {
    #[field(flatten)]
    pub size: Size,
    pub image: Str,
    #[field(pattern = "^[0-9]+s$")]
    pub deadline: Option<Str>,
    pub tags: Vec<Str>,
}

#[derive(ApiType)]
#[flattened]
pub struct Size {
    pub width: Option<i64>,
    pub mode: Option<Mode>,
    #[field(removed)]
    pub depth: Option<i64>,
}

#[derive(ApiType)]
pub enum Mode {
    Slow,
    Fast,
}

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1beta1", kind = "Task", namespaced)]
pub struct Task {
    pub metadata: ObjectMeta,
    #[field(required)]
    pub timeout: String,
    pub width: Option<i64>,
}
