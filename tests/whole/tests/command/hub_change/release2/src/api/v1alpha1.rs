use hubgen_machinery::{ApiType, Str};
use hubgen_meta::v1::ObjectMeta;

/// A place for data.
#[derive(ApiType)]
#[kind(group = "example.com", version = "v1alpha1", kind = "Bucket", namespaced)]
pub struct Bucket {
    pub metadata: ObjectMeta,
    #[field(required)]
    pub spec: BucketSpec,
}

/// What a bucket should be.
#[derive(ApiType)]
pub struct BucketSpec {
    pub size: Option<i32>,
    /// The label, which newer versions do not have.
    #[field(removed)]
    pub color: Option<Str>,
    #[field(list = map("name"))]
    pub rules: Option<Vec<Rule>>,
}

/// What happens to objects in a bucket.
#[derive(ApiType)]
pub struct Rule {
    #[field(required)]
    pub name: Str,
}

/// Work to do.
#[derive(ApiType)]
#[kind(group = "example.com", version = "v1alpha1", kind = "Queue", namespaced)]
pub struct Queue {
    pub metadata: ObjectMeta,
    #[field(required)]
    pub spec: QueueSpec,
}

/// What a queue should be.
#[derive(ApiType)]
pub struct QueueSpec {
    #[field(required)]
    pub topic: Str,
}
