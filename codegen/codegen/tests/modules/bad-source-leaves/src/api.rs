//! Leaves whose texts another version does not have, or whose schema is wrong, and foreign types without one.

pub mod leaves {
    use std::net::IpAddr;

    use hubgen_machinery::{ApiType, Leaf};

    #[derive(ApiType)]
    #[leaf(text, expects = "an IP address", examples("::1"))]
    pub struct Address(Leaf<IpAddr>);

    // The same, but another type, which may refuse other texts.
    #[derive(ApiType)]
    #[leaf(text, expects = "an IP address", examples("::1"))]
    pub struct OldAddress(Leaf<IpAddr>);
}

pub mod v1 {
    use hubgen_machinery::{ApiType, Str};
    use hubgen_meta::v1::ObjectMeta;

    use super::leaves::Address;

    #[derive(ApiType)]
    #[kind(group = "example.com", version = "v1", kind = "Worker", storage)]
    #[from(v1alpha1, words("spec.named" => "spec.named", "home" = "::1"))]
    #[from(v1alpha1, function("crate::combine", "spec.one: Option<Str>" => "spec.two: Option<Str>"))]
    pub struct Worker {
        pub metadata: ObjectMeta,
        pub spec: Option<WorkerSpec>,
    }

    #[derive(ApiType)]
    pub struct WorkerSpec {
        pub plain: Option<Address>,
        pub list: Vec<Str>,
        pub other: Option<Address>,
        pub named: Option<Address>,
        pub two: Option<Address>,
    }
}

pub mod v1alpha1 {
    use hubgen_machinery::{ApiType, Str};
    use hubgen_meta::v1::ObjectMeta;

    use super::leaves::{Address, OldAddress};

    #[derive(ApiType)]
    #[kind(group = "example.com", version = "v1alpha1", kind = "Worker")]
    pub struct Worker {
        pub metadata: ObjectMeta,
        pub spec: Option<WorkerSpec>,
    }

    #[derive(ApiType)]
    pub struct WorkerSpec {
        pub plain: Option<Str>,
        pub list: Vec<Address>,
        pub other: Option<OldAddress>,
        pub named: Option<Str>,
        pub one: Option<Str>,
    }
}
