use hubgen_machinery::{ApiType, Str};
use hubgen_meta::v1::ObjectMeta;

/// A place for data.
#[derive(ApiType)]
#[kind(group = "example.com", version = "v1beta1", kind = "Bucket", namespaced, storage)]
pub struct Bucket {
    pub metadata: ObjectMeta,
    #[field(required)]
    pub spec: BucketSpec,
}

/// What a bucket should be.
#[derive(ApiType)]
pub struct BucketSpec {
    pub size: Option<i32>,
    /// Where it is.
    #[field(added)]
    pub region: Option<Str>,
    #[field(list = map("name"))]
    pub rules: Option<Vec<Rule>>,
}

/// What happens to objects in a bucket.
#[derive(ApiType)]
pub struct Rule {
    #[field(required)]
    pub name: Str,
    /// After how many days.
    #[field(added)]
    pub days: Option<i32>,
}

/// Work to do.
#[derive(ApiType)]
#[kind(group = "example.com", version = "v1beta1", kind = "Queue", namespaced, storage)]
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
    /// How many at a time.
    #[field(required, added)]
    pub size: i32,
}
