//! `cache.example.com/v1`, and how `v1alpha1` differs from it.

use hubgen_machinery::scalar::Quantity;
use hubgen_machinery::{ApiType, Str};
use hubgen_meta::v1::{Condition, ObjectMeta};

/// Servers of memcached, all alike.
#[derive(ApiType)]
#[kind(group = "cache.example.com", version = "v1", kind = "Cache", namespaced, storage, status)]
#[kind(scale(spec = ".spec.replicas", status = ".status.readyReplicas"))]
#[kind(column("Replicas" => ".spec.replicas"), column("Ready" => ".status.readyReplicas"))]
#[from(v1alpha1, moved("spec.memory" => "spec.limits.memory"))]
pub struct Cache {
    pub metadata: ObjectMeta,
    /// What the servers should be.
    #[field(required)]
    pub spec: CacheSpec,
    /// What the operator has found.
    pub status: Option<CacheStatus>,
}

/// What the servers should be.
#[derive(ApiType)]
pub struct CacheSpec {
    /// The image of memcached.
    #[field(required, min_length = 1)]
    pub image: Str,
    /// The number of servers.
    #[field(default = "1", minimum = 0, renamed(v1alpha1 = "size"))]
    pub replicas: Option<i32>,
    /// How much each server takes.
    pub limits: Option<Limits>,
}

/// How much a server takes.
#[derive(ApiType)]
pub struct Limits {
    /// For the items in the cache.
    pub memory: Option<Quantity>,
    /// At the same time.
    #[field(added, minimum = 1)]
    pub connections: Option<i32>,
}

/// What the operator has found.
#[derive(ApiType)]
pub struct CacheStatus {
    /// The generation of the object that it is about.
    #[field(added)]
    pub observed_generation: Option<i64>,
    /// The number of servers that answer.
    #[field(renamed(v1alpha1 = "ready"))]
    pub ready_replicas: Option<i32>,
    /// `Ready`: as many servers answer as there should be, and all are up to date.
    #[field(added, list = map("type"))]
    pub conditions: Vec<Condition>,
}
