//! Attributes that are rules, which have no meaning as such.

pub mod v1 {
    use hubgen_machinery::{ApiType, Str};
    use hubgen_meta::v1::ObjectMeta;

    #[derive(ApiType)]
    #[kind(group = "example.com", version = "v1", kind = "Worker", storage)]
    #[from(v1alpha1, moved("spec.length" => "spec.size"))]
    #[from(v1alpha1, words("spec.colour" => "spec.color", "red" = "Red", "rouge" = "Red"))]
    pub struct Worker {
        pub metadata: ObjectMeta,
        pub spec: Option<WorkerSpec>,
    }

    #[derive(ApiType)]
    pub struct WorkerSpec {
        pub size: Str,
        pub color: Str,
        #[field(renamed(v1alpha1 = "count"))]
        pub number: i32,
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
        pub colour: Str,
        pub count: Str,
    }
}
