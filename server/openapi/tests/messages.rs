//! The messages in Rust are those of the `.proto` files.
//!
//! They are committed, so that whoever builds the crate needs no compiler of protobuf. After a change of a `.proto` file,
//! `HUBGEN_WRITE=1 cargo test -p hubgen-openapi --test messages` writes them.

use std::path::Path;
use std::{env, fs};

#[test]
fn messages_are_those_of_the_proto_files() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().expect("a folder");
    let proto = root.join("proto");
    let files = protox::compile(["openapi_v2.proto", "openapi_v3.proto"], [&proto]).expect("they are valid");
    prost_build::Config::new().out_dir(folder.path()).compile_fds(files).expect("Rust is written");
    for version in ["v2", "v3"] {
        let made =
            fs::read_to_string(folder.path().join(format!("openapi_{version}.rs"))).expect("it is there");
        let made = prettyplease::unparse(&syn::parse_file(&made).expect("it is Rust"));
        let committed = root.join(format!("src/gnostic/messages/{version}.rs"));
        if env::var_os("HUBGEN_WRITE").is_some() {
            fs::write(&committed, &made).expect("written");
        }
        let committed = fs::read_to_string(&committed).expect("it is there");
        assert!(made == committed, "run this test with HUBGEN_WRITE=1");
    }
}
