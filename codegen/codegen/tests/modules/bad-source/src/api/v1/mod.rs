use std::collections::HashMap;

use hubgen_core::v1::{PodSpec, PodSpek};
use hubgen_machinery::{ApiType, Str};
use hubgen_meta::v1::ObjectMeta;

mod other;
mod missing;

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "Worker", storage, short("w"), namespaced)]
#[kind(column("Size" => ".spec.nothing"), column("Age" => ".metadata.creationTimestamp"))]
pub struct Worker {
    pub metadata: ObjectMeta,
    pub spec: Option<WorkerSpec>,
}

#[derive(ApiType)]
pub struct WorkerSpec {
    size: i32,
    #[cfg(feature = "colors")]
    pub color: Option<Str>,
    pub days: usize,
    pub map: HashMap<Str, Str>,
    pub tuple: (i32, i32),
    pub plain: Plain,
    pub elsewhere: crate::elsewhere::Thing,
    pub pod: Option<Box<PodSpec>>,
    pub pods: Option<PodSpec>,
    pub boxed: Box<Nested>,
    pub number: Option<Box<i32>>,
    pub twice: Option<Option<Option<Str>>>,
    pub items: Vec<Option<Str>>,
    #[field(default = "\"seven\"")]
    pub count: i32,
    #[field(default = "seven")]
    pub more: i32,
    pub spek: Option<PodSpek>,
    #[field(since = "one")]
    pub late: i32,
    pub seen: Vec<View>,
}

#[derive(ApiType)]
pub struct Nested {
    pub name: Str,
    #[field(nam = "x")]
    pub wrong: Str,
}

// No part of the API, so that it may be private.
#[derive(ApiType)]
#[view(Plain)]
struct View {
    name: Str,
}

pub struct Plain {
    pub name: Str,
}

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "Bare")]
pub struct Bare {
    pub spec: Str,
}

// Generated modules export it.
#[derive(ApiType)]
pub(crate) struct Hidden {
    pub name: Str,
}
