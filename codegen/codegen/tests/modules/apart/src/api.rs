//! An older version that is another API under the same name.

#![allow(unreachable_pub, reason = "this is the module of a library")]

pub mod generated;

pub mod v1 {
    use hubgen_machinery::{ApiType, Str};
    use hubgen_meta::v1::ObjectMeta;

    #[derive(ApiType)]
    #[kind(group = "example.com", version = "v1", kind = "Claim", namespaced, storage)]
    #[from(v1alpha1, not_convertible = "a claim at v1alpha1 is for one device only")]
    pub struct Claim {
        pub metadata: ObjectMeta,
        pub devices: Vec<Str>,
    }
}

pub mod v1alpha1 {
    use hubgen_machinery::{ApiType, Str};
    use hubgen_meta::v1::ObjectMeta;

    #[derive(ApiType)]
    #[kind(group = "example.com", version = "v1alpha1", kind = "Claim")]
    pub struct Claim {
        pub metadata: ObjectMeta,
        pub device: Str,
    }
}
