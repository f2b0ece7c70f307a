use std::net::IpAddr;

use hubgen_machinery::{ApiType, Leaf};

// A type of another crate without a leaf.
#[derive(ApiType)]
struct Server {
    address: Option<IpAddr>,
}

// A type that is no text.
struct Opaque;

#[derive(ApiType)]
#[leaf(text, expects = "nothing", examples("a"))]
struct NoText(Leaf<Opaque>);

fn main() {}
