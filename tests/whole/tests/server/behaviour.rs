//! What a server does with the objects of a kind is data: a changed line in the schemas changes its answer, and no Rust
//! changes. The kinds are made at run time, from a copy of the schemas.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use hubgen_interpret::runtime::{Model, entries, priorities};
use hubgen_kubernetes::machinery::convert::Functions;
use hubgen_kubernetes::machinery::scheme::Scheme;
use hubgen_server::store::{Embedded, Options};
use hubgen_server::{Server, Settings};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::client::Client;
use crate::schemas::Schemas;

/// The kinds that are made at run time. All others are the compiled ones.
const KINDS: [(&str, &str); 2] = [("", "LimitRange"), ("coordination.k8s.io", "Lease")];

/// A copy of the schemas, in which one text of a file is another one.
fn copy(file: &str, text: &str, other: &str) -> TempDir {
    let copy = tempfile::tempdir().expect("a folder");
    let mut folders = vec![Path::new("../../schemas/kubernetes").to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the schemas") {
            let path = entry.expect("read").path();
            let name = path.strip_prefix("../../schemas/kubernetes").expect("below");
            if path.is_dir() {
                fs::create_dir(copy.path().join(name)).expect("made");
                folders.push(path);
            } else {
                fs::copy(&path, copy.path().join(name)).expect("copied");
            }
        }
    }
    let path = copy.path().join(file);
    let old = fs::read_to_string(&path).expect("the file");
    let new = old.replacen(text, other, 1);
    assert_eq!(new == old, text == other, "{file} has no {text:?}");
    fs::write(&path, new).expect("written");
    copy
}

/// A Scheme with these kinds as the schemas describe them.
fn scheme(schemas: &Schemas) -> Scheme {
    let Schemas { api, plan, defaults, canonical, behaviours } = schemas;
    let functions = &Functions::default();
    let model = Model { api, plan, defaults, canonical, behaviours, functions, over_json: false };
    let mut scheme = hubgen_kubernetes::scheme();
    for family in plan.families.iter().filter(|family| KINDS.contains(&(family.home(), &family.kind))) {
        for mut entry in entries(model, family).expect("kinds that can be made") {
            entry.is_built_in = entry.resource.is_some();
            assert!(scheme.remove(&entry.group, &entry.version, &entry.kind).is_some(), "{entry}");
            scheme.add(entry).expect("the same kind");
        }
    }
    for (group, priority) in priorities(behaviours) {
        scheme.set_priority(group, priority);
    }
    scheme
}

/// Asks a server with the kinds of a folder of schemas.
fn ask<T>(folder: &Path, ask: impl FnOnce(&Client) -> T) -> T {
    let scheme = scheme(&Schemas::read_from(folder));
    let runtime = Runtime::new().expect("threads");
    let server = runtime.block_on(async {
        let store = Embedded::in_memory(Options::default()).expect("a store");
        Server::bind(0, Settings::new(Arc::new(scheme), Arc::new(store))).await.expect("a port")
    });
    let client = Client(server.address());
    runtime.spawn(server.run(std::future::pending()));
    ask(&client)
}

fn with_line(line: &str, kind: &str) -> String {
    format!("[{kind}]\n{line}\n")
}

#[test]
fn a_line_changes_the_form_of_names() {
    let create = |client: &Client| {
        let lease = json!({"metadata": {"name": "a.b"}});
        client.post("/apis/coordination.k8s.io/v1/namespaces/n/leases", &lease).code
    };
    let file = "behaviour/coordination.k8s.io.toml";
    let table = "[Lease]\n";
    assert_eq!(ask(copy(file, table, table).path(), create), 201);
    assert_eq!(ask(copy(file, table, &with_line("names = \"label\"", "Lease")).path(), create), 422);
}

#[test]
fn a_line_that_goes_lets_changes_be_counted() {
    let create = |client: &Client| {
        let range = json!({"metadata": {"name": "r"}, "spec": {"limits": []}});
        let created = client.post("/api/v1/namespaces/n/limitranges", &range).expect(201);
        created["metadata"].get("generation").cloned()
    };
    let (file, table) = ("behaviour/core.toml", "[LimitRange]\ngeneration = \"none\"\n");
    assert_eq!(ask(copy(file, table, table).path(), create), None);
    assert_eq!(ask(copy(file, table, "").path(), create), Some(json!(1)));
}

#[test]
fn a_number_changes_the_order_of_groups() {
    let groups = |client: &Client| {
        let groups = client.get("/apis").expect(200)["groups"].clone();
        let names = |groups: Vec<Value>| {
            groups
                .iter()
                .map(|group| group["name"].as_str().unwrap_or_default().to_owned())
                .collect::<Vec<_>>()
        };
        names(groups.as_array().cloned().unwrap_or_default())
    };
    let (file, line) = ("behaviour/settings.k8s.io.toml", "priority = 16900");
    let usual = ask(copy(file, line, line).path(), groups);
    assert_eq!(&usual[..2], ["apiregistration.k8s.io", "apps"]);
    let changed = ask(copy(file, line, "priority = 17801").path(), groups);
    assert_eq!(&changed[..3], ["apiregistration.k8s.io", "settings.k8s.io", "apps"]);
}
