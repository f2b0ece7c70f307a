//! `cache.example.com/v1alpha1`, which older clients write.

use hubgen_machinery::scalar::Quantity;
use hubgen_machinery::{ApiType, Str};
use hubgen_meta::v1::ObjectMeta;

/// Servers of memcached, all alike.
#[derive(ApiType)]
#[kind(group = "cache.example.com", version = "v1alpha1", kind = "Cache", namespaced, status)]
#[kind(deprecated = "cache.example.com/v1alpha1 is deprecated: use v1")]
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
    #[field(default = "1", minimum = 0)]
    pub size: Option<i32>,
    /// For the items in the cache of each server.
    pub memory: Option<Quantity>,
}

/// What the operator has found.
#[derive(ApiType)]
pub struct CacheStatus {
    /// The number of servers that answer.
    pub ready: Option<i32>,
}
