//! Tests watches.

use std::time::Duration;

use hubgen_machinery::protobuf::{Envelope, Frames, WatchEvent};
use hubgen_machinery::scheme::Scheme;
use hubgen_server::Limits;
use serde_json::{Value, json};

use crate::client::Client;
use crate::harness::{Harness, Setup};
use crate::watch::Watch;

const NOTES: &str = "/api/v1/namespaces/a/notes";
const WIDGETS: &str = "/apis/example.com/v1/namespaces/a/widgets";
const OLD_WIDGETS: &str = "/apis/old.example.com/v1beta1/namespaces/a/widgets";

fn watch(server: &Harness, path: &str) -> Watch {
    Watch::open(server.client, path, &[])
}

fn note(name: &str, label: &str) -> Value {
    json!({"metadata": {"name": name, "labels": {"l": label}}, "text": "t"})
}

/// Creates a note, and returns its revision.
fn create(client: Client, name: &str, label: &str) -> u64 {
    revision(&client.post(NOTES, &note(name, label)).expect(201))
}

fn update(client: Client, name: &str, label: &str) -> u64 {
    revision(&client.put(&format!("{NOTES}/{name}"), &note(name, label)).expect(200))
}

fn delete(client: Client, name: &str) {
    client.delete(&format!("{NOTES}/{name}")).expect(200);
}

fn revision(object: &Value) -> u64 {
    object["metadata"]["resourceVersion"].as_str().unwrap().parse().unwrap()
}

#[test]
fn a_watch_tells_what_happens() {
    let server = Harness::new();
    let first = create(server.client, "1", "x");
    let mut events = watch(&server, &format!("{NOTES}?watch=true&resourceVersion={first}"));
    assert!(events.head.starts_with("HTTP/1.1 200 OK\r\n"), "{}", events.head);
    assert!(events.head.contains("content-type: application/json\r\n"), "{}", events.head);
    create(server.client, "2", "x");
    let changed = update(server.client, "1", "y");
    // What happens elsewhere is of no interest.
    server.client.post("/api/v1/namespaces/b/notes", &note("1", "x")).expect(201);
    delete(server.client, "1");
    assert_eq!(events.names(1), ["ADDED 2"]);
    let (event_type, object) = events.next().unwrap();
    assert_eq!(event_type, "MODIFIED");
    assert_eq!(object, {
        let mut object =
            server.client.get(&format!("{NOTES}?resourceVersion={changed}&resourceVersionMatch=Exact"));
        let mut list = object.json();
        object.code = 200;
        let mut item = list["items"][0].take();
        item["kind"] = json!("Note");
        item["apiVersion"] = json!("v1");
        item
    });
    // A deletion has its own revision.
    let (event_type, object) = events.next().unwrap();
    assert_eq!((&*event_type, revision(&object)), ("DELETED", changed + 2));
    assert_eq!(object["metadata"]["labels"]["l"], "y");
}

/// The paths of watches before there was a parameter.
#[test]
fn paths_of_watches_work() {
    let server = Harness::new();
    create(server.client, "1", "x");
    create(server.client, "2", "y");
    for (path, expected) in [
        ("/api/v1/watch/notes", vec!["ADDED 1", "ADDED 2"]),
        ("/api/v1/watch/namespaces/a/notes?labelSelector=l%3Dy", vec!["ADDED 2"]),
        ("/api/v1/watch/namespaces/a/notes/2", vec!["ADDED 2"]),
        ("/api/v1/watch/namespaces/a/notes/2?fieldSelector=metadata.name%3D2", vec!["ADDED 2"]),
    ] {
        let mut events = watch(&server, path);
        assert_eq!(events.names(expected.len()), expected, "{path}");
    }
    let other = "/api/v1/watch/namespaces/a/notes/2?fieldSelector=metadata.name%3D1";
    let message = "fieldSelector metadata.name doesn't match requested name";
    assert_eq!(server.client.get(other).expect(400)["message"], message);
    let by_namespace = "/api/v1/watch/namespaces/a/notes/2?fieldSelector=metadata.namespace%3Da";
    assert_eq!(server.client.get(by_namespace).expect(400)["message"], message);
    server.client.get("/api/v1/watch/notes/2").expect(404);
    server.client.get("/api/v1/watch/namespaces/a/notes/2/status").expect(404);
    server.client.get("/api/v1/watch").expect(404);
    server.client.delete("/api/v1/watch/namespaces/a/notes/2").expect(405);
}

#[test]
fn watches_start_with_what_exists() {
    let server = Harness::new();
    let last = ["1", "2", "3"].map(|name| create(server.client, name, "x"))[2];
    for (query, expected) in [
        ("", &["ADDED 1", "ADDED 2", "ADDED 3", "ADDED 4"][..]),
        ("&resourceVersion=0", &["ADDED 1", "ADDED 2", "ADDED 3", "ADDED 4"]),
        (
            "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
            &["ADDED 1", "ADDED 2", "ADDED 3", "ADDED 4"],
        ),
        ("&sendInitialEvents=false&resourceVersionMatch=NotOlderThan", &["ADDED 4"]),
        ("&resourceVersion=2", &["ADDED 2", "ADDED 3", "ADDED 4"]),
        (&format!("&resourceVersion={last}"), &["ADDED 4"]),
    ] {
        let mut events = watch(&server, &format!("{NOTES}?watch=1{query}"));
        let existing = events.names(expected.len() - 1);
        create(server.client, "4", "x");
        let last = events.names(1);
        assert_eq!([existing, last].concat(), expected, "{query}");
        delete(server.client, "4");
    }
}

#[test]
fn a_bookmark_tells_the_end_of_what_exists() {
    let server = Harness::new();
    let last = ["1", "2"].map(|name| create(server.client, name, "x"))[1];
    let query = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    let mut events = watch(&server, &format!("{NOTES}?watch=1&{query}"));
    assert_eq!(events.names(2), ["ADDED 1", "ADDED 2"]);
    let (event_type, object) = events.next().unwrap();
    assert_eq!(event_type, "BOOKMARK");
    assert_eq!((&object["kind"], &object["apiVersion"]), (&json!("Note"), &json!("v1")));
    assert_eq!(object["metadata"]["annotations"], json!({"k8s.io/initial-events-end": "true"}));
    assert_eq!(revision(&object), last);
    create(server.client, "3", "x");
    assert_eq!(events.names(1), ["ADDED 3"]);
}

/// The last bookmark comes two seconds before the end, and the next watch can begin there.
#[test]
fn a_watch_ends_in_time_with_a_bookmark_before() {
    let server = Harness::new();
    create(server.client, "1", "x");
    let path = format!("{NOTES}?watch=1&resourceVersion=1&allowWatchBookmarks=true&timeoutSeconds=3");
    let mut events = watch(&server, &path);
    assert_eq!(events.names(1), ["ADDED 1"]);
    let elsewhere = revision(&server.client.post("/api/v1/namespaces/b/notes", &note("1", "x")).expect(201));
    let (event_type, object) = events.next().unwrap();
    assert_eq!((&*event_type, revision(&object)), ("BOOKMARK", elsewhere));
    assert_eq!(events.next(), None);
}

#[test]
fn selectors_turn_changes_into_others() {
    let server = Harness::new();
    let mut labels = watch(&server, &format!("{NOTES}?watch=1&labelSelector=l%3Dx"));
    let mut fields = watch(&server, "/api/v1/notes?watch=1&fieldSelector=metadata.name%3D2");
    create(server.client, "1", "y");
    create(server.client, "2", "x");
    update(server.client, "1", "x");
    let text = json!({"metadata": {"name": "2", "labels": {"l": "x"}}, "text": "other"});
    server.client.put(&format!("{NOTES}/2"), &text).expect(200);
    let gone = update(server.client, "2", "z");
    delete(server.client, "2");
    delete(server.client, "1");
    assert_eq!(labels.names(3), ["ADDED 2", "ADDED 1", "MODIFIED 2"]);
    // It shows the object as the watch saw it last, at the revision of the change.
    let (event_type, object) = labels.next().unwrap();
    assert_eq!((&*event_type, revision(&object)), ("DELETED", gone));
    assert_eq!(object["metadata"]["labels"]["l"], "x");
    assert_eq!(labels.names(1), ["DELETED 1"]);
    assert_eq!(fields.names(4), ["ADDED 2", "MODIFIED 2", "MODIFIED 2", "DELETED 2"]);
}

#[test]
fn watches_are_at_any_version() {
    let server = Harness::new();
    let mut old = watch(&server, &format!("{OLD_WIDGETS}?watch=1"));
    let mut new = watch(&server, &format!("{WIDGETS}?watch=1&fieldSelector=spec.colour%3DRed"));
    let widget = |colour: &str| json!({"metadata": {"name": "w"}, "spec": {"colour": colour, "width": 1, "frame": {"name": "f"}}});
    server.client.post(WIDGETS, &widget("Green")).expect(201);
    server.client.put(&format!("{WIDGETS}/w"), &widget("Red")).expect(200);
    let (_, object) = old.next().unwrap();
    assert_eq!(object["apiVersion"], "old.example.com/v1beta1");
    assert_eq!(old.names(1), ["MODIFIED w"]);
    let (event_type, object) = new.next().unwrap();
    assert_eq!((&*event_type, &object["apiVersion"]), ("ADDED", &json!("example.com/v1")));
}

#[test]
fn a_revision_that_is_not_kept_is_an_event() {
    let server = Harness::new();
    let first = create(server.client, "1", "x");
    let last = update(server.client, "1", "y");
    server.compact();
    let mut events = watch(&server, &format!("{NOTES}?watch=1&resourceVersion={first}"));
    assert!(events.head.starts_with("HTTP/1.1 200 OK\r\n"));
    let (event_type, status) = events.next().unwrap();
    assert_eq!(event_type, "ERROR");
    assert_eq!(
        (&status["kind"], &status["code"], &status["reason"]),
        (&json!("Status"), &json!(410), &json!("Expired"))
    );
    assert_eq!(status["message"], format!("too old resource version: {first} ({last})"));
    assert_eq!(events.next(), None);
}

#[test]
fn a_revision_of_the_future_is_waited_for() {
    let server = Harness::new();
    let first = create(server.client, "1", "x");
    // Changes up to the revision are of no interest.
    let mut events = watch(&server, &format!("{NOTES}?watch=1&resourceVersion={}", first + 1));
    create(server.client, "2", "x");
    create(server.client, "3", "x");
    assert_eq!(events.names(1), ["ADDED 3"]);
    // What exists is shown when the revision is there, or never.
    let query = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=100";
    let (event_type, status) = watch(&server, &format!("{NOTES}?watch=1&{query}")).next().unwrap();
    assert_eq!((&*event_type, &status["code"], &status["reason"]), ("ERROR", &json!(504), &json!("Timeout")));
    assert_eq!(status["message"], "Timeout: Too large resource version: 100, current: 4");
}

#[test]
fn wrong_parameters_are_refused_before_the_stream() {
    let server = Harness::new();
    for (query, code, why) in [
        ("resourceVersion=x", 400, "invalid resource version"),
        ("labelSelector=l%3Ea", 400, "unable to parse requirement"),
        ("fieldSelector=x%3D1", 400, "field label not supported: x"),
        ("timeoutSeconds=soon", 400, "timeoutSeconds"),
        (
            "sendInitialEvents=true",
            422,
            "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires \
             setting resourceVersionMatch to NotOlderThan",
        ),
        (
            "resourceVersionMatch=NotOlderThan",
            422,
            "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is \
             provided",
        ),
        ("sendInitialEvents=1&resourceVersionMatch=Exact", 422, "supported values: \"NotOlderThan\""),
    ] {
        let status = server.client.get(&format!("{NOTES}?watch=1&{query}")).expect(code);
        assert!(status["message"].as_str().unwrap().contains(why), "{query}: {status}");
    }
}

#[test]
fn events_are_sent_in_protobuf() {
    let mut scheme = Scheme::new();
    hubgen_coordination::register(&mut scheme);
    let server = Setup::new().scheme(scheme).start();
    let media = "application/vnd.kubernetes.protobuf";
    let accept = [("Accept", "application/vnd.kubernetes.protobuf;stream=watch,application/json")];
    let leases = "/apis/coordination.k8s.io/v1/namespaces/a/leases";
    server.client.post(leases, &json!({"metadata": {"name": "l"}})).expect(201);
    let mut events = Watch::open(server.client, &format!("{leases}?watch=1&timeoutSeconds=1"), &accept);
    assert!(events.head.contains(&format!("content-type: {media};stream=watch\r\n")), "{}", events.head);
    let mut frames = Frames::new(1 << 20);
    frames.push(&events.rest());
    let event = WatchEvent::decode(frames.next().unwrap().unwrap()).unwrap();
    assert_eq!(event.event_type, "ADDED");
    assert_eq!(Envelope::decode(event.object).unwrap().kind, "Lease");
    assert_eq!(frames.next(), Ok(None));
}

#[test]
fn a_client_that_does_not_read_loses_its_watch_and_no_other() {
    let limits = Limits { feed_bytes: 64 << 10, ..Limits::default() };
    let server = Setup::new().limits(limits).start();
    let mut slow = watch(&server, &format!("{NOTES}?watch=1"));
    let mut quick = watch(&server, &format!("{NOTES}?watch=1"));
    let text = "x".repeat(512 << 10);
    let mut written = 0;
    for number in 0..40 {
        let note = json!({"metadata": {"name": format!("n{number}")}, "text": text});
        server.client.post(NOTES, &note).expect(201);
        written += 1;
        assert_eq!(quick.names(1), [format!("ADDED n{number}")]);
    }
    let mut seen = 0;
    while slow.next().is_some() {
        seen += 1;
    }
    assert!(seen < written, "the system cannot have buffered {seen} of {written} events");
    // Its client goes on from where it was.
    let mut again = watch(&server, &format!("{NOTES}?watch=1&resourceVersion={}", seen + 1));
    assert_eq!(again.names(1), [format!("ADDED n{seen}")]);
}

#[test]
fn values_that_cannot_be_read_end_a_watch_unless_they_are_omitted() {
    let server = Harness::new();
    let mut events = watch(&server, &format!("{NOTES}?watch=1"));
    create(server.client, "1", "x");
    assert_eq!(events.names(1), ["ADDED 1"]);
    server.put("/registry/notes/a/2", "{");
    let (event_type, status) = events.next().unwrap();
    assert_eq!((&*event_type, &status["code"]), ("ERROR", &json!(500)));
    assert!(status["message"].as_str().unwrap().contains("/notes/a/2"), "{status}");
    assert_eq!(events.next(), None);

    let server = Setup::new().omit_unreadable().start();
    let mut events = watch(&server, &format!("{NOTES}?watch=1"));
    server.put("/registry/notes/a/2", "{");
    create(server.client, "3", "x");
    assert_eq!(events.names(1), ["ADDED 3"]);
}

#[test]
fn too_many_watches_are_refused() {
    let server = Setup::new().limits(Limits { watches: 1, ..Limits::default() }).start();
    let first = watch(&server, &format!("{NOTES}?watch=1"));
    let status = server.client.get(&format!("{NOTES}?watch=1")).expect(429);
    assert_eq!(status["reason"], "TooManyRequests");
    drop(first);
    // The server notices that the client has gone when there is something to tell, or at once.
    create(server.client, "1", "x");
    let end = std::time::Instant::now() + Duration::from_secs(60);
    while server.client.get(&format!("{NOTES}?watch=1&timeoutSeconds=1")).code == 429 {
        assert!(std::time::Instant::now() < end, "the place is not given back");
    }
}

#[test]
fn watches_end_with_the_server() {
    let server = Harness::new();
    let mut events = watch(&server, &format!("{NOTES}?watch=1"));
    create(server.client, "1", "x");
    assert_eq!(events.names(1), ["ADDED 1"]);
    let reads = std::thread::spawn(move || events.next());
    server.stop();
    assert_eq!(reads.join().unwrap(), None, "the answer ends as it should");
}
