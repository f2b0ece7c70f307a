//! Leaves with a wrong schema, and a foreign type without a leaf.

use std::net::IpAddr;

use hubgen_machinery::{ApiType, Leaf};
use hubgen_meta::v1::ObjectMeta;

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "Worker", storage)]
pub struct Worker {
    pub metadata: ObjectMeta,
    pub address: Option<IpAddr>,
    pub list: Vec<url::Url>,
}

#[derive(ApiType)]
#[leaf(text, pattern = "[", expects = "an IP address", examples("::1"))]
pub struct Pattern(Leaf<IpAddr>);

#[derive(ApiType)]
#[leaf(text, keywords = r#"{"default": "::1"}"#, expects = "an IP address", examples("::1"))]
pub struct Default(Leaf<IpAddr>);

#[derive(ApiType)]
#[leaf(text, keywords = r#"{"enum": ["::1"]}"#, expects = "an IP address", examples("::1"))]
pub struct Words(Leaf<IpAddr>);

#[derive(ApiType)]
#[leaf(text, expects = "an IP address", examples("::1"))]
struct Private(Leaf<IpAddr>);

// The derive refuses it.
#[derive(ApiType)]
#[leaf(text, expects = "an IP address", examples("::1"))]
pub struct WithoutLeaf(IpAddr);
