//! Flattened objects that cannot be flattened, and names that clash.

pub mod v1 {
    use hubgen_core::v1::PodSpec;
    use hubgen_machinery::{ApiType, Str};
    use hubgen_meta::v1::ObjectMeta;

    #[derive(ApiType)]
    #[kind(group = "example.com", version = "v1", kind = "Job")]
    pub struct Job {
        pub metadata: ObjectMeta,
        pub size: Option<Str>,
        pub r_max: Option<Str>,
        #[field(flatten)]
        pub limits: Limits,
        #[field(flatten)]
        pub plain: Plain,
        #[field(flatten)]
        pub pod: PodSpec,
        #[field(flatten)]
        hidden: Hidden,
    }

    #[derive(ApiType)]
    #[flattened]
    pub struct Limits {
        pub size: Option<Str>,
        #[field(name = "other")]
        pub r_max: Option<Str>,
        #[field(added)]
        pub late: Option<Str>,
    }

    #[derive(ApiType)]
    pub struct Plain {
        pub name: Str,
    }

    #[derive(ApiType)]
    #[flattened]
    pub struct Hidden {
        pub hidden: Option<Str>,
    }
}
