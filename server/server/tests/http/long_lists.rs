//! Lists whose answer begins before all of their objects are read.

use std::io::Read;

use flate2::read::GzDecoder;
use hubgen_machinery::scheme::Scheme;
use serde_json::{Value, json};

use crate::client::Answer;
use crate::harness::{Harness, Setup};

/// More objects than the server reads at a time.
const COUNT: usize = 4_500;

/// Stores that many notes, two thirds of them with a label.
fn many() -> Harness {
    let server = Harness::new();
    for index in 0..COUNT {
        let label = if index % 3 == 0 { "a" } else { "b" };
        let metadata = json!({"name": name(index), "namespace": "a", "labels": {"l": label}});
        let note = json!({"apiVersion": "v1", "kind": "Note", "metadata": metadata, "text": "t"});
        server.put(&format!("/registry/notes/a/{}", name(index)), &note.to_string());
    }
    server
}

fn name(index: usize) -> String {
    format!("note-{index:05}")
}

fn names(list: &Value) -> Vec<String> {
    let items = list["items"].as_array().unwrap();
    items.iter().map(|item| item["metadata"]["name"].as_str().unwrap().to_owned()).collect()
}

fn all(server: &Harness) -> Answer {
    server.client.get("/api/v1/notes")
}

/// The same list, made as a whole: its metadata are written at its end only.
fn whole(server: &Harness, query: &str) -> Value {
    let list = server.client.get(&format!("/api/v1/notes?limit=1000000{query}"));
    assert_eq!(list.chunks, None);
    list.expect(200)
}

#[test]
fn a_list_that_begins_is_the_same_as_a_whole_one() {
    let server = many();
    let begun = all(&server);
    assert_eq!(begun.chunks, Some(true));
    assert_eq!(begun.expect(200), whole(&server, ""));
    assert_eq!(names(&begun.json()), (0..COUNT).map(name).collect::<Vec<_>>());
    assert!(begun.body.ends_with("]}\n"));
    for query in ["&labelSelector=l%3Da", "&labelSelector=l%3Dc", "&fieldSelector=metadata.name%3Dnote-04321"]
    {
        let begun = server.client.get(&format!("/api/v1/notes?{}", &query[1..]));
        assert_eq!(begun.chunks, Some(true));
        assert_eq!(begun.expect(200), whole(&server, query), "{query}");
    }
}

#[test]
fn it_is_compressed_as_it_is_made() {
    let server = many();
    let compressed = server.client.send("GET", "/api/v1/notes", &[("Accept-Encoding", "gzip")], b"");
    assert_eq!((compressed.header("content-encoding"), compressed.chunks), (vec!["gzip"], Some(true)));
    let mut text = Vec::new();
    GzDecoder::new(&*compressed.bytes).read_to_end(&mut text).unwrap();
    assert_eq!(text, all(&server).bytes);
}

/// Those who have to know the length get it.
#[test]
fn some_answers_are_whole() {
    let server = many();
    let pretty = server.client.get("/api/v1/notes?pretty=true");
    assert_eq!((pretty.chunks, pretty.expect(200)), (None, whole(&server, "")));
    let old = server.client.raw(b"GET /api/v1/notes HTTP/1.0\r\nHost: localhost\r\n\r\n");
    assert_eq!((old.chunks, old.expect(200)), (None, whole(&server, "")));
    let server = Setup::new().omit_unreadable().restart(server);
    assert_eq!(all(&server).chunks, None);
}

/// Protobuf tells the length of a list before its items: it begins when all are read, and is not copied into one body.
#[test]
fn protobuf_is_sent_in_parts_if_it_is_long() {
    let mut scheme = Scheme::new();
    hubgen_coordination::register(&mut scheme);
    let server = Setup::new().scheme(scheme).start();
    for index in 0..COUNT {
        let long = "x".repeat(if index % 3 == 0 { 900 } else { 10 });
        let metadata = json!({"name": name(index), "namespace": "a", "annotations": {"long": long}});
        let lease = json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata});
        server.put(&format!("/registry/leases/a/{}", name(index)), &lease.to_string());
    }
    let leases = "/apis/coordination.k8s.io/v1/leases";
    let accept = ("Accept", "application/vnd.kubernetes.protobuf");
    let protobuf = server.client.send("GET", leases, &[accept], b"");
    assert_eq!((protobuf.code, protobuf.chunks), (200, Some(true)));
    assert_eq!(protobuf.header("content-type"), ["application/vnd.kubernetes.protobuf"]);
    assert!(protobuf.bytes.len() > 1 << 20, "{}", protobuf.bytes.len());

    let request = format!("GET {leases} HTTP/1.0\r\nHost: localhost\r\n{}: {}\r\n\r\n", accept.0, accept.1);
    let whole = server.client.raw(request.as_bytes());
    assert_eq!((whole.code, whole.chunks), (200, None));
    assert!(whole.bytes == protobuf.bytes);

    let compressed = server.client.send("GET", leases, &[accept, ("Accept-Encoding", "gzip")], b"");
    assert_eq!((compressed.header("content-encoding"), compressed.chunks), (vec!["gzip"], Some(true)));
    let mut unpacked = Vec::new();
    GzDecoder::new(&*compressed.bytes).read_to_end(&mut unpacked).unwrap();
    assert!(unpacked == protobuf.bytes);

    let short = server.client.send("GET", &format!("{leases}?limit=10"), &[accept], b"");
    assert_eq!((short.code, short.chunks), (200, None));
}

/// A client that tries again is told why.
#[test]
fn an_unreadable_value_breaks_it_off_once() {
    let server = many();
    server.put("/registry/notes/a/note-04000-b", "{");
    let broken = all(&server);
    assert_eq!((broken.code, broken.chunks), (200, Some(false)));
    // Nobody has tried this one.
    assert_eq!(server.client.get("/api/v1/namespaces/a/notes").chunks, Some(false));
    for _ in 0..2 {
        let again = all(&server);
        let status = again.expect(500);
        assert_eq!(status["reason"], "StorageReadError");
        assert_eq!(status["details"]["causes"][0]["field"], "/registry/notes/a/note-04000-b");
    }
    let options = json!({"kind": "DeleteOptions", "apiVersion": "v1", "ignoreStoreReadErrorWithClusterBreakingPotential": true});
    let path = "/api/v1/namespaces/a/notes/note-04000-b";
    let sent = [("Content-Type", "application/json")];
    server.client.send("DELETE", path, &sent, options.to_string().as_bytes()).expect(200);
    // The first one after that is whole, and those after it begin.
    assert_eq!((all(&server).chunks, all(&server).chunks), (None, Some(true)));
}

#[test]
fn its_metadata_are_its_revision_only() {
    let server = many();
    let list = all(&server).expect(200);
    let (revision, _) = server.stored();
    assert_eq!(list["metadata"], json!({"resourceVersion": revision.to_string()}));
}
