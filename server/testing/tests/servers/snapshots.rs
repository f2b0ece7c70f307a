//! Snapshots, and what clients see when they are restored.

use hubgen_test_server::TestServer;
use serde_json::{Value, json};

use crate::api::{Api, DEFINITIONS, MAPS, THINGS, definition, map, names, thing, until_served};

fn without_revision(mut object: Value) -> Value {
    object["metadata"]["resourceVersion"] = Value::Null;
    object
}

fn revision(object: &Value) -> u64 {
    object["metadata"]["resourceVersion"].as_str().unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_test_does_is_undone_as_by_a_client() {
    let server = TestServer::start().await.unwrap();
    let api = Api::of(&server);
    let [(_, kept), (_, changed), (_, deleted)] =
        ["kept", "changed", "deleted"].map(|name| api.post(MAPS, &map(name, "a")));
    let snapshot = server.snapshot().await.unwrap();
    for round in 0..3 {
        let watch = api.watch(&format!("{MAPS}?watch=true&resourceVersion={}", revision(&api.get(MAPS).1)));
        assert_eq!(api.put(&format!("{MAPS}/changed"), &map("changed", "b")).0, 200);
        assert_eq!(api.delete(&format!("{MAPS}/deleted")).0, 200);
        assert_eq!(api.post(MAPS, &map("new", "a")).0, 201);
        let (_, last) = api.get(MAPS);
        server.restore(&snapshot).await.unwrap();

        let (_, list) = api.get(MAPS);
        assert_eq!(names(&list), ["changed", "deleted", "kept"]);
        for (before, after) in [&changed, &deleted, &kept].into_iter().zip(list["items"].as_array().unwrap())
        {
            let mut before = without_revision(before.clone());
            // Items of a list have no kind.
            for key in ["apiVersion", "kind"] {
                before.as_object_mut().unwrap().remove(key);
            }
            assert_eq!(without_revision(after.clone()), before, "round {round}");
        }
        assert!(revision(&list) > revision(&last));
        assert_eq!(revision(&list["items"][2]), revision(&kept), "what has not changed is not written");

        let told: Vec<_> = (0..6).map(|_| watch.told()).collect();
        let told: Vec<_> = told.iter().map(|(what, name)| (what.as_str(), name.as_str())).collect();
        assert_eq!(
            told,
            [
                ("MODIFIED", "changed"),
                ("DELETED", "deleted"),
                ("ADDED", "new"),
                ("DELETED", "new"),
                ("MODIFIED", "changed"),
                ("ADDED", "deleted"),
            ]
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn definitions_come_and_go_with_their_kinds() {
    let server = TestServer::start().await.unwrap();
    let api = Api::of(&server);
    let empty = server.snapshot().await.unwrap();
    assert_eq!(api.post(DEFINITIONS, &definition()).0, 201);
    until_served(&api, THINGS);
    assert_eq!(api.post(THINGS, &thing("a")).0, 201);
    let full = server.snapshot().await.unwrap();
    for _ in 0..3 {
        server.restore(&empty).await.unwrap();
        assert_eq!(api.get(THINGS).0, 404);
        server.restore(&full).await.unwrap();
        let (code, list) = api.get(THINGS);
        assert_eq!((code, names(&list)), (200, vec!["a"]));
        assert_eq!(list["items"][0]["spec"], json!({"size": 3}));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_begin_with_a_snapshot_of_another() {
    let first = TestServer::builder().emulated_version("1.30").start().await.unwrap();
    let api = Api::of(&first);
    assert_eq!(api.post(DEFINITIONS, &definition()).0, 201);
    until_served(&api, THINGS);
    let (_, created) = api.post(THINGS, &thing("a"));
    let snapshot = first.snapshot().await.unwrap();
    drop(first);
    let mut servers = Vec::new();
    for number in 0..5 {
        let server = TestServer::from_snapshot(&snapshot).await.unwrap();
        let api = Api::of(&server);
        assert_eq!(api.get("/version").1["minor"], "30");
        let (_, found) = api.get(&format!("{THINGS}/a"));
        assert_eq!(without_revision(found), without_revision(created.clone()));
        assert_eq!(api.post(THINGS, &thing(&format!("of-{number}"))).0, 201);
        servers.push((server, api));
    }
    for (number, (server, api)) in servers.iter().enumerate() {
        assert_eq!(names(&api.get(THINGS).1), ["a".to_owned(), format!("of-{number}")]);
        server.restore(&snapshot).await.unwrap();
        assert_eq!(names(&api.get(THINGS).1), ["a"]);
    }
}

/// Restoring goes by the history only where there is one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_snapshot_outlives_the_history() {
    let server = TestServer::start().await.unwrap();
    let api = Api::of(&server);
    api.post(MAPS, &map("a", "a"));
    let snapshot = server.snapshot().await.unwrap();
    api.delete(&format!("{MAPS}/a"));
    let (_, list) = api.get(MAPS);
    server.compact(revision(&list)).await.unwrap();
    server.restore(&snapshot).await.unwrap();
    assert_eq!(names(&api.get(MAPS).1), ["a"]);
}
