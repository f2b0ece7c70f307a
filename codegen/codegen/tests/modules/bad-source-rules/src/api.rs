//! Two versions that differ, without a rule.

pub mod v1 {
    use hubgen_machinery::{ApiType, Str};
    use hubgen_meta::v1::ObjectMeta;

    #[derive(ApiType)]
    #[kind(group = "example.com", version = "v1", kind = "Worker", storage, may_be_invalid("spec.power"))]
    pub struct Worker {
        pub metadata: ObjectMeta,
        pub spec: Option<WorkerSpec>,
    }

    #[derive(ApiType)]
    pub struct WorkerSpec {
        pub size: Str,
        pub speed: i32,
        pub word: Str,
    }
}

pub mod v1alpha1 {
    use hubgen_machinery::{ApiType, Str};
    use hubgen_meta::v1::ObjectMeta;

    #[derive(ApiType)]
    #[kind(group = "example.com", version = "v1alpha1", kind = "Worker")]
    pub struct Worker {
        pub metadata: ObjectMeta,
        pub spec: Option<WorkerSpec>,
    }

    #[derive(ApiType)]
    pub struct WorkerSpec {
        pub length: Str,
        pub speed: Str,
        #[field(empty_is_absent)]
        pub word: Str,
    }
}
