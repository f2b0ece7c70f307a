//! Unknown fields that a newer server has stored are preserved, and not returned to clients.

use hubgen_machinery::ApiType;
use hubgen_machinery::protobuf::Envelope;
use hubgen_machinery::scalar::Time;
use hubgen_machinery::scheme::{FamilyRow, KindRow, ResourceRow, Scheme, SubresourceRow};
use serde_json::{Value, json};

use crate::harness::{Harness, Setup};

/// One kind with the types of an older and of a newer server.
macro_rules! gauge {
    ($module:ident, { $($meta:tt)* }, { $($spec:tt)* }, { $($needle:tt)* }, { $($status:tt)* }) => {
        mod $module {
            use super::*;

            #[derive(ApiType)]
            pub struct Meta {
                #[field(number = 1)]
                name: String,
                #[field(number = 3)]
                namespace: String,
                #[field(number = 5)]
                uid: String,
                #[field(number = 6)]
                resource_version: String,
                #[field(number = 7)]
                generation: i64,
                #[field(number = 8, value, omit = zero)]
                creation_timestamp: Option<Time>,
                #[field(number = 9)]
                deletion_timestamp: Option<Time>,
                #[field(number = 10)]
                deletion_grace_period_seconds: Option<i64>,
                #[field(number = 14)]
                finalizers: Vec<String>,
                $($meta)*
            }

            #[derive(ApiType)]
            pub struct Spec {
                #[field(number = 2, list = map("name"))]
                needles: Vec<Needle>,
                #[field(number = 3)]
                colour: String,
                $($spec)*
            }

            #[derive(ApiType)]
            pub struct Needle {
                #[field(number = 1)]
                name: String,
                #[field(number = 2)]
                length: i32,
                $($needle)*
            }

            #[derive(ApiType)]
            pub struct Status {
                #[field(number = 1)]
                shown: i32,
                $($status)*
            }

            #[derive(ApiType)]
            #[kind(group = "example.com", version = "v1", kind = "Gauge")]
            pub struct Gauge {
                #[field(number = 1)]
                metadata: Meta,
                #[field(number = 2)]
                spec: Spec,
                #[field(number = 3)]
                status: Status,
            }

            pub fn scheme() -> Scheme {
                let mut scheme = Scheme::new();
                scheme.register(const {
                    &[KindRow {
                        resource: Some(RESOURCE),
                        family: Some(&FAMILY),
                        ..KindRow::of::<Gauge>()
                    }]
                });
                scheme
            }
        }
    };
}

gauge!(older, {}, {}, {}, {});
gauge!(newer, {
    #[field(number = 20)]
    owner: String,
}, {
    #[field(number = 1)]
    maker: String,
}, {
    #[field(number = 3)]
    tip: Option<String>,
}, {
    #[field(number = 2)]
    steady: bool,
});

static FAMILY: FamilyRow = FamilyRow {
    members: &[("example.com", "v1", "Gauge")],
    storage: ("example.com", "v1", "Gauge"),
    words: &[],
};
const RESOURCE: ResourceRow = ResourceRow {
    plural: "gauges",
    singular: "gauge",
    namespaced: true,
    verbs: &["create", "delete", "get", "list", "update"],
    short_names: &[],
    categories: &[],
    subresources: &[SubresourceRow { name: "status", kind: None, verbs: &["get", "update"], until: None }],
};

const GAUGES: &str = "/apis/example.com/v1/namespaces/default/gauges";
const KEY: &str = "/registry/example.com/gauges/default/g";

fn path() -> String {
    format!("{GAUGES}/g")
}

fn stored(server: &Harness) -> Vec<u8> {
    let (_, items) = server.stored();
    items.into_iter().find(|item| item.key == KEY.as_bytes()).unwrap().value
}

/// An older server on a store in which a newer server has created an object with a status.
fn older_server() -> Harness {
    let server = Setup::new().scheme(newer::scheme()).start();
    let gauge = json!({
        "metadata": {"name": "g", "owner": "ada", "finalizers": ["example.com/wait"]},
        "spec": {"maker": "acme", "colour": "red", "needles": [
            {"name": "a", "length": 1, "tip": "round"}, {"name": "b", "length": 2, "tip": "sharp"}]},
    });
    let mut made = server.client.post(GAUGES, &gauge).expect(201);
    made["status"] = json!({"shown": 3, "steady": true});
    server.client.put(&format!("{}/status", path()), &made).expect(200);
    assert!(Envelope::is_one(&stored(&server)));
    Setup::new().scheme(older::scheme()).restart(server)
}

/// Restarts the newer server and reads the object.
fn read_by_newer_server(server: Harness) -> Value {
    Setup::new().scheme(newer::scheme()).restart(server).client.get(&path()).expect(200)
}

#[test]
fn unknown_fields_are_preserved_and_not_returned() {
    let server = older_server();
    let before = stored(&server);
    let mut gauge = server.client.get(&path()).expect(200);
    for unknown in ["owner", "maker", "tip", "steady"] {
        assert!(!gauge.to_string().contains(unknown), "{unknown} in {gauge}");
    }
    // Writing an unchanged object does not change the store.
    let same = server.client.put(&path(), &gauge).expect(200);
    assert_eq!(same, gauge);
    assert_eq!(stored(&server), before);

    gauge["spec"]["colour"] = "green".into();
    gauge["spec"]["needles"].as_array_mut().unwrap().reverse();
    gauge["spec"]["needles"].as_array_mut().unwrap().insert(1, json!({"name": "c", "length": 3}));
    let changed = server.client.put(&path(), &gauge).expect(200);
    assert!(!changed.to_string().contains("owner"), "{changed}");
    let seen = read_by_newer_server(server);
    assert_eq!(seen["metadata"]["owner"], "ada");
    assert_eq!(
        seen["spec"],
        json!({"needles": [{"name": "b", "length": 2, "tip": "sharp"}, {"name": "c", "length": 3},
            {"name": "a", "length": 1, "tip": "round"}], "colour": "green", "maker": "acme"})
    );
    assert_eq!(seen["status"], json!({"shown": 3, "steady": true}));
}

#[test]
fn unknown_fields_survive_status_updates_and_pending_deletions() {
    let server = older_server();
    let mut gauge = server.client.get(&path()).expect(200);
    gauge["status"]["shown"] = 4.into();
    server.client.put(&format!("{}/status", path()), &gauge).expect(200);
    server.client.delete(&path()).expect(200);
    let seen = read_by_newer_server(server);
    assert_eq!(seen["metadata"]["deletionTimestamp"], "2026-01-02T03:04:05Z");
    assert_eq!(seen["metadata"]["owner"], "ada");
    assert_eq!(seen["spec"]["needles"][1]["tip"], "sharp");
    assert_eq!(seen["status"], json!({"shown": 4, "steady": true}));
}

/// Unknown fields are removed together with the message that contains them.
#[test]
fn unknown_fields_are_removed_with_their_message() {
    let server = older_server();
    let mut gauge = server.client.get(&path()).expect(200);
    gauge["spec"]["needles"].as_array_mut().unwrap().remove(0);
    server.client.put(&path(), &gauge).expect(200);
    let mut gauge = server.client.get(&path()).expect(200);
    gauge["spec"]["needles"].as_array_mut().unwrap().push(json!({"name": "a", "length": 9}));
    server.client.put(&path(), &gauge).expect(200);
    let seen = read_by_newer_server(server);
    assert_eq!(
        seen["spec"]["needles"],
        json!([{"name": "b", "length": 2, "tip": "sharp"}, {"name": "a", "length": 9}])
    );
}
