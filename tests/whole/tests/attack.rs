//! A sample of `cargo xtask attack`: cases that do not wait for a deadline of the server.
#![cfg(target_os = "linux")]

#[path = "../attack/mod.rs"]
#[allow(dead_code, reason = "this is a sample")]
mod attack;

use std::io::Write as _;
use std::path::Path;

use attack::Case;
use attack::cases::{
    applies, bodies, connections, credentials, definitions, heads, lists, queries, roles, shapes,
};
use attack::target::Target;
use hubgen_documents::schema;

/// Runs the cases whose names begin with these texts. Each text must match one case.
#[track_caller]
fn attack(cases: Vec<Case>, beginnings: &[&str], objects: usize) {
    let directory = tempfile::tempdir().unwrap();
    let gives_memory_back = cfg!(feature = "jemalloc");
    if !gives_memory_back {
        // The test harness captures `println!`, but not this.
        let _ = writeln!(
            std::io::stderr(),
            "left out: the check that memory is released, which needs --features jemalloc"
        );
    }
    let program = Path::new(env!("CARGO_BIN_EXE_hubgen-under-test"));
    let mut target = Target::start(program, directory.path(), gives_memory_back).unwrap();
    if objects > 0 {
        lists::populate(target.address(), objects).unwrap();
        target.settle().unwrap();
    }
    for beginning in beginnings {
        let mut found = cases.iter().filter(|case| case.name.starts_with(beginning));
        let (Some(case), None) = (found.next(), found.next()) else {
            panic!("expected one case that begins with {beginning:?}");
        };
        if let Err(error) = attack::run(case, &target) {
            panic!("{}: {error}", case.name);
        }
    }
}

#[test]
fn connections() {
    let beginnings = [
        "1,000 connections closed for writing after the head",
        "1,000 connections closed for writing within the head",
        "10,000 requests in a pipeline, no answer read",
        "HTTP/2",
        "TLS",
    ];
    attack(connections::cases(), &beginnings, 0);
}

#[test]
fn heads() {
    let beginnings = [
        "a forged Host",
        "no Host",
        "a forged Origin",
        "targets",
        "a header",
        "10,000 headers",
        "an Accept",
        "paths",
        "unknown methods",
    ];
    attack(heads::cases(), &beginnings, 0);
}

#[test]
fn credentials() {
    let beginnings =
        ["tokens that are not signed", "tokens of 60 KB", "several and malformed", "impersonation"];
    attack(credentials::cases(), &beginnings, 0);
}

#[test]
fn bodies_and_queries() {
    let beginnings =
        ["JSON nested", "YAML: aliases", "protobuf with lengths", "compressed", "invalid media types"];
    attack(bodies::cases(), &beginnings, 0);
    let beginnings =
        ["apply: aliases", "apply: deep", "apply: paths", "apply: a set", "apply: an object of 10,000"];
    attack(applies::cases(), &beginnings, 0);
    let beginnings = [
        "label selectors",
        "field selectors",
        "forged continue tokens",
        "invalid and huge limits",
        "1,000 watches",
    ];
    attack(queries::cases(), &beginnings, 0);
}

#[test]
fn definitions() {
    let beginnings = [
        "a definition with 10,000",
        "rules of a million",
        "rules that would run",
        "patterns",
        "schemas that refer",
        "texts that cost",
        "a version that is renamed",
        "200 definitions",
    ];
    attack(definitions::cases(), &beginnings, 0);
}

#[test]
fn roles_and_bindings() {
    let directory = tempfile::tempdir().unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_hubgen-under-test"));
    let target = roles::guarded(program, directory.path(), cfg!(feature = "jemalloc")).unwrap();
    for case in roles::cases() {
        match attack::run(&case, &target) {
            Ok(outcome) => println!("{}: {}", case.name, outcome.tally),
            Err(error) => panic!("{}: {error}", case.name),
        }
    }
}

#[test]
fn lists_and_maps() {
    let api = schema::read_dir(Path::new("../../schemas/kubernetes")).unwrap();
    let (cases, fields) = shapes::cases(&api);
    // Every group has lists or maps; a group without any would be an error of the walk.
    assert!(fields > 500, "{fields} lists and maps");
    let mut groups: Vec<&str> = cases.iter().filter_map(|case| case.name.rsplit(' ').next()).collect();
    groups.dedup();
    assert!(groups.contains(&"core") && groups.contains(&"apps"), "{groups:?}");
    let small = cases.iter().filter(|case| case.name.ends_with(" of node.k8s.io"));
    let small: Vec<&str> = small.map(|case| case.name.as_str()).collect();
    assert!(!small.is_empty(), "{groups:?}");
    attack(shapes::cases(&api).0, &small, 0);
}

#[test]
fn long_lists() {
    attack(lists::cases(2000), &["a list of 2000 objects, ten clients", "a list in parts"], 2000);
}
