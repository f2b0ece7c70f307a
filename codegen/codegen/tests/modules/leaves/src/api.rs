//! Types of the standard library that are texts in JSON.

#![allow(unreachable_pub, reason = "this is the module of a library")]

pub mod generated;

/// What all versions share.
pub mod leaves {
    use std::net::{IpAddr, SocketAddr};

    use hubgen_machinery::{ApiType, Leaf};

    #[derive(ApiType)]
    #[leaf(text, max_length = 45, cel("isIP(self)", "no IP address"))]
    #[leaf(expects = "an IP address", examples("2001:db8::1", "10.0.0.1"))]
    pub struct Address(Leaf<IpAddr>);

    #[derive(ApiType)]
    #[leaf(text, other, expects = "an address with a port", examples("10.0.0.1:80"))]
    pub struct Target(Leaf<SocketAddr>);
}

pub mod v1 {
    use hubgen_machinery::{ApiType, StrMap};
    use hubgen_meta::v1::ObjectMeta;

    use super::leaves::{Address, Target};

    #[derive(ApiType)]
    #[kind(group = "example.com", version = "v1", kind = "Server", namespaced, storage, column("Target" => ".target"))]
    pub struct Server {
        pub metadata: ObjectMeta,
        #[field(required)]
        pub address: Address,
        #[field(default = "\"10.0.0.1:80\"", min_length = 1)]
        pub target: Option<Target>,
        #[field(renamed(v1alpha1 = "others"), max_items = 4, items(title = "Other", cel("self != ''")))]
        pub targets: Vec<Target>,
        pub by_name: StrMap<Target>,
        #[field(added)]
        pub spare: Option<Address>,
    }
}

pub mod v1alpha1 {
    use hubgen_machinery::{ApiType, Leaf, Str, StrMap};
    use hubgen_meta::v1::ObjectMeta;

    use super::leaves::Address;

    #[derive(ApiType)]
    #[kind(group = "example.com", version = "v1alpha1", kind = "Server")]
    pub struct Server {
        pub metadata: ObjectMeta,
        #[field(required)]
        pub address: Address,
        // Texts in one version, leaves in the other.
        pub target: Option<Str>,
        pub others: Vec<Str>,
        // Another leaf than in `v1`.
        pub by_name: StrMap<Host>,
        #[field(removed)]
        pub old: Vec<Host>,
    }

    #[derive(ApiType)]
    #[leaf(text, other, expects = "an IP address", examples("::1"))]
    pub struct Host(Leaf<std::net::IpAddr>);
}
