//! An enum where a rule needs text.

pub mod v1 {
    use hubgen_machinery::{ApiType, Str};
    use hubgen_meta::v1::ObjectMeta;

    #[derive(ApiType)]
    #[kind(group = "example.com", version = "v1", kind = "Worker", storage)]
    pub struct Worker {
        pub metadata: ObjectMeta,
        #[field(required)]
        pub spec: WorkerSpec,
    }

    #[derive(ApiType)]
    pub struct WorkerSpec {
        pub duration: Duration,
    }

    #[derive(ApiType)]
    pub enum Duration {
        Day,
        Week,
        #[field(other)]
        Other(Str),
    }
}

pub mod v1alpha1 {
    use hubgen_machinery::ApiType;
    use hubgen_meta::v1::ObjectMeta;

    #[derive(ApiType)]
    #[kind(group = "example.com", version = "v1alpha1", kind = "Worker")]
    pub struct Worker {
        pub metadata: ObjectMeta,
        #[field(required)]
        pub spec: WorkerSpec,
    }

    #[derive(ApiType)]
    pub struct WorkerSpec {
        pub days: i32,
    }
}
