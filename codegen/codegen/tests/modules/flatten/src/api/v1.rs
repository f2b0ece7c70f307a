//! `example.com/v1`: flattened objects in objects, in a kind, and in each other.

use hubgen_machinery::{ApiType, Str};
use hubgen_meta::v1::ObjectMeta;

/// Its hub is a type of its own, because v1beta1 has a field that this version does not have.
#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "Job", namespaced, storage)]
pub struct Job {
    pub metadata: ObjectMeta,
    pub spec: Option<JobSpec>,
}

#[derive(ApiType)]
pub struct JobSpec {
    pub image: Str,
    #[field(flatten)]
    pub limits: Limits,
    pub tags: Vec<Str>,
}

#[derive(ApiType)]
#[flattened]
pub struct Limits {
    #[field(renamed(v1beta1 = "deadline"), pattern = "^[0-9]+s$")]
    pub timeout: Option<Str>,
    #[field(added, minimum = 0, default = "3")]
    pub retries: Option<i32>,
    #[field(flatten)]
    pub size: Size,
}

#[derive(ApiType)]
#[flattened]
pub struct Size {
    pub width: Option<i64>,
    pub mode: Option<Mode>,
}

#[derive(ApiType)]
pub enum Mode {
    Slow,
    Fast,
}

/// It is the hub.
#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "Task", namespaced, storage)]
#[from(v1beta1, moved("width" => "area.width"))]
pub struct Task {
    pub metadata: ObjectMeta,
    #[field(flatten)]
    pub limits: TaskLimits,
    pub area: Option<Area>,
}

#[derive(ApiType)]
pub struct Area {
    pub width: Option<i64>,
}

#[derive(ApiType)]
#[flattened]
pub struct TaskLimits {
    #[field(required)]
    pub timeout: String,
    #[field(added)]
    pub burst: Option<i32>,
}
