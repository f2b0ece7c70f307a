//! Tests answers that show metadata only.

use hubgen_machinery::protobuf::{self, Envelope, Frames, WatchEvent};
use hubgen_machinery::scheme::Scheme;
use hubgen_meta::v1::{PartialObjectMetadata, PartialObjectMetadataList};
use serde_json::json;

use crate::client::Answer;
use crate::harness::{Harness, Setup};
use crate::watch::Watch;

const LEASES: &str = "/apis/coordination.k8s.io/v1/namespaces/a/leases";
const JSON: &str = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const JSON_LIST: &str = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
const PROTOBUF: &str = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const PROTOBUF_LIST: &str =
    "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

fn server() -> Harness {
    let mut scheme = Scheme::new();
    hubgen_coordination::register(&mut scheme);
    let server = Setup::new().scheme(scheme).start();
    for name in ["l", "m"] {
        let lease =
            json!({"metadata": {"name": name, "labels": {"a": "b"}}, "spec": {"holderIdentity": "h"}});
        server.client.post(LEASES, &lease).expect(201);
    }
    server
}

fn get(server: &Harness, path: &str, accept: &str) -> Answer {
    server.client.send("GET", path, &[("Accept", accept)], b"")
}

#[test]
fn objects_and_lists_in_json() {
    let server = server();
    let whole = server.client.get(&format!("{LEASES}/l")).expect(200);
    let expected = json!({
        "kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": whole["metadata"],
    });
    let answer = get(&server, &format!("{LEASES}/l"), JSON);
    assert_eq!(answer.expect(200), expected);
    assert_eq!(answer.header("content-type"), ["application/json"]);
    let list = get(&server, LEASES, JSON_LIST).expect(200);
    assert_eq!(
        (&list["kind"], &list["apiVersion"]),
        (&json!("PartialObjectMetadataList"), &json!("meta.k8s.io/v1"))
    );
    assert_eq!(list["metadata"], server.client.get(LEASES).expect(200)["metadata"]);
    assert_eq!(list["items"][0], expected);
    assert_eq!(list["items"].as_array().unwrap().len(), 2);
    let old = get(&server, LEASES, &JSON_LIST.replace("v=v1", "v=v1beta1")).expect(200);
    assert_eq!(old["apiVersion"], "meta.k8s.io/v1beta1");
}

#[test]
fn objects_and_lists_in_protobuf() {
    let server = server();
    let answer = get(&server, &format!("{LEASES}/l"), PROTOBUF);
    let envelope = Envelope::decode(&answer.bytes).unwrap();
    assert_eq!((envelope.api_version, envelope.kind), ("meta.k8s.io/v1", "PartialObjectMetadata"));
    let partial: PartialObjectMetadata = protobuf::decode(envelope.raw).unwrap();
    assert_eq!((&*partial.metadata.name, &*partial.metadata.labels["a"]), ("l", "b"));
    let answer = get(&server, LEASES, PROTOBUF_LIST);
    let envelope = Envelope::decode(&answer.bytes).unwrap();
    assert_eq!((envelope.api_version, envelope.kind), ("meta.k8s.io/v1", "PartialObjectMetadataList"));
    let list: PartialObjectMetadataList = protobuf::decode(envelope.raw).unwrap();
    assert_eq!(&*list.metadata.resource_version, "3");
    assert_eq!(list.items.iter().map(|item| &*item.metadata.name).collect::<Vec<_>>(), ["l", "m"]);
    assert_eq!(list.items[0], partial);
}

#[test]
fn watches_show_metadata() {
    let server = server();
    let mut events = Watch::open(server.client, &format!("{LEASES}?watch=1"), &[("Accept", JSON)]);
    let (event_type, object) = events.next().unwrap();
    assert_eq!((&*event_type, &object["kind"]), ("ADDED", &json!("PartialObjectMetadata")));
    assert_eq!(object["metadata"]["name"], "l");
    assert!(object.get("spec").is_none());
    let path = format!("{LEASES}?watch=1&timeoutSeconds=1");
    let mut events = Watch::open(server.client, &path, &[("Accept", PROTOBUF)]);
    let mut frames = Frames::new(1 << 20);
    frames.push(&events.rest());
    let event = WatchEvent::decode(frames.next().unwrap().unwrap()).unwrap();
    assert_eq!(Envelope::decode(event.object).unwrap().kind, "PartialObjectMetadata");
}

#[test]
fn what_is_not_supported_falls_back_or_is_refused() {
    let server = server();
    let fallback = format!("{JSON};x=y,application/json");
    assert_eq!(get(&server, LEASES, &fallback).expect(200)["kind"], "LeaseList");
    for accept in [JSON, &JSON_LIST.replace("v=v1", "v=v2"), &JSON_LIST.replace("meta.k8s.io", "apps")] {
        assert_eq!(get(&server, LEASES, accept).expect(406)["reason"], "NotAcceptable", "{accept}");
    }
}
