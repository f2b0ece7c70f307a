use hubgen_machinery::ApiType;
use hubgen_meta::v1::ObjectMeta;

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1beta1", kind = "Worker", storage, short("x"))]
pub struct Worker {
    pub metadata: ObjectMeta,
}

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1beta2", kind = "Worker")]
pub struct NewWorker {
    pub metadata: ObjectMeta,
}
