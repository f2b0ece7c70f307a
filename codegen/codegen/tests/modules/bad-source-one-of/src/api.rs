//! Enums of objects that do not convert.

pub mod v1 {
    use hubgen_machinery::{ApiType, Str};
    use hubgen_meta::v1::ObjectMeta;

    #[derive(ApiType)]
    #[kind(group = "example.com", version = "v1", kind = "Worker", storage)]
    #[from(v1alpha1, moved("spec.file" => "spec.source.file"))]
    pub struct Worker {
        pub metadata: ObjectMeta,
        #[field(required)]
        pub spec: WorkerSpec,
    }

    #[derive(ApiType)]
    pub struct WorkerSpec {
        pub store: Option<Store>,
        pub source: Option<Source>,
    }

    // One more than in `v1alpha1`.
    #[derive(ApiType)]
    pub enum Store {
        Disk(Str),
        #[field(added)]
        Cloud(Str),
    }

    // One of its variants is a field beside it in `v1alpha1`.
    #[derive(ApiType)]
    pub enum Source {
        File(Str),
        Git(Str),
    }
}

pub mod v1alpha1 {
    use hubgen_machinery::{ApiType, Str};
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
        pub store: Option<Store>,
        pub source: Option<Source>,
        pub file: Option<Str>,
    }

    #[derive(ApiType)]
    pub enum Store {
        Disk(Str),
    }

    #[derive(ApiType)]
    pub enum Source {
        Git(Str),
    }
}
