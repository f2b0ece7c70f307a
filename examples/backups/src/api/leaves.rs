//! Types of the standard library that are texts in JSON. All versions share them.

use std::net::{IpAddr, SocketAddr};

use hubgen_machinery::{ApiType, Leaf};

/// The address and the port of a proxy. The oldest version allows other texts.
#[derive(ApiType)]
#[leaf(text, other, min_length = 1, expects = "an address with a port, such as 10.0.0.1:3128")]
#[leaf(examples("10.0.0.1:3128", "[2001:db8::1]:80"))]
pub struct Proxy(Leaf<SocketAddr>);

/// An IP address.
#[derive(ApiType)]
#[leaf(text, max_length = 45, expects = "an IP address", examples("10.0.0.1", "2001:db8::1"))]
pub struct Address(Leaf<IpAddr>);
