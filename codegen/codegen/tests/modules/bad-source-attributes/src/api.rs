//! Attributes about older versions that have no meaning.

pub mod v1 {
    use hubgen_machinery::{ApiType, Str};
    use hubgen_meta::v1::ObjectMeta;

    #[derive(ApiType)]
    #[kind(group = "example.com", version = "v1", kind = "Worker", storage)]
    #[from(v1beta1, moved("spec.a" => "spec.b"))]
    pub struct Worker {
        pub metadata: ObjectMeta,
        pub spec: Option<WorkerSpec>,
    }

    #[derive(ApiType)]
    pub struct WorkerSpec {
        #[field(renamed(v1alpha1 = "sizes"))]
        pub size: Str,
        #[field(renamed(v1alpha2 = "other"))]
        pub same: Str,
        #[field(added)]
        pub both: Str,
        #[field(empty_is_absent)]
        pub shade: Option<Str>,
        pub parts: Vec<Part>,
        #[field(added)]
        pub jobs: Vec<Job>,
    }

    #[derive(ApiType)]
    pub struct Part {
        pub name: Str,
    }

    #[derive(ApiType)]
    pub struct Job {
        pub limits: Option<JobLimits>,
    }

    #[derive(ApiType)]
    pub struct JobLimits {
        #[field(renamed(v1alpha3 = "que"))]
        pub queue: Str,
    }
}

pub mod v1alpha1 {
    use hubgen_machinery::{ApiType, Str};
    use hubgen_meta::v1::ObjectMeta;

    #[derive(ApiType)]
    #[kind(group = "example.com", version = "v1alpha1", kind = "Alone", may_be_invalid("size"))]
    pub struct Alone {
        pub metadata: ObjectMeta,
        pub size: Option<Str>,
    }

    #[derive(ApiType)]
    #[kind(group = "example.com", version = "v1alpha1", kind = "Worker")]
    #[from(v1, not_convertible = "it is older")]
    pub struct Worker {
        pub metadata: ObjectMeta,
        pub spec: Option<WorkerSpec>,
    }

    #[derive(ApiType)]
    pub struct WorkerSpec {
        pub length: Str,
        pub same: Str,
        #[field(removed)]
        pub both: Str,
        pub parts: Vec<Part>,
        #[field(dropped)]
        pub hint: Option<Str>,
        pub shade: Option<Str>,
    }

    #[derive(ApiType)]
    pub struct Part {
        #[field(dropped)]
        pub name: Str,
    }
}

pub mod v1alpha3 {
    use hubgen_machinery::{ApiType, Str};
    use hubgen_meta::v1::ObjectMeta;

    #[derive(ApiType)]
    #[kind(group = "example.com", version = "v1alpha3", kind = "Worker")]
    pub struct Worker {
        pub metadata: ObjectMeta,
        pub spec: Option<WorkerSpec>,
    }

    #[derive(ApiType)]
    pub struct WorkerSpec {
        pub size: Str,
        pub same: Str,
        pub both: Str,
        pub parts: Vec<super::v1::Part>,
        #[field(removed)]
        pub hint: Option<Str>,
        pub shade: Option<Str>,
    }
}
