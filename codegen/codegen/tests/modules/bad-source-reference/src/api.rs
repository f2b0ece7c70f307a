//! Modules in one file. Kubernetes has no such types, and names that Rust cannot have twice.

pub mod v1 {
    use hubgen_core::v1::PodSpek;
    use hubgen_machinery::{ApiType, Str};
    use hubgen_meta::v1::ObjectMeta;

    #[derive(ApiType)]
    #[kind(group = "example.com", version = "v1", kind = "Worker", storage)]
    pub struct Worker {
        pub metadata: ObjectMeta,
        pub spec: Option<WorkerSpec>,
    }

    #[derive(ApiType)]
    pub struct WorkerSpec {
        pub pod: Option<PodSpek>,
        #[field(list = map("name"))]
        pub parts: Vec<Part>,
    }

    #[derive(ApiType)]
    pub struct Part {
        pub nam: Str,
    }
}
