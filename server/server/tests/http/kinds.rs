//! Kinds come and go while the server answers: each request sees the kinds of one snapshot, and nothing remains of those
//! that are gone.

use std::collections::BTreeSet;
use std::fs;
use std::net::SocketAddr;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::{env, thread};

use hubgen_machinery::convert::{ConvertError, ConvertObject, ViaHub};
use hubgen_machinery::json;
use hubgen_machinery::reflect::runtime::{FieldDef, StructDef, TypeDef, Types};
use hubgen_machinery::reflect::{NewObject, Reflect, Text, Type};
use hubgen_machinery::scheme::{
    Conversion, Family, GroupVersionKind, KindEntry, Resource, Scheme, Subresource,
};
use hubgen_server::Kinds;
use serde_json::{Value, json};
use ureq::Agent;

use crate::harness::{Harness, Setup};
use crate::scheme::scheme;

/// How often the kind is added and removed again.
const ROUNDS: usize = 10_000;
/// The level of memory is taken after this many rounds, and at the end.
const WARM: usize = 1_000;
/// By how much the level may differ, in KiB. What one snapshot leaves behind would be a multiple of it after all rounds.
const LEVEL: u64 = 32 << 10;
const CLIENTS: usize = 3;
const VERSIONS: [&str; 2] = ["v1beta1", "v1"];
/// Set in the process that runs this test and no other.
const ALONE: &str = "HUBGEN_TEST_ALONE";

/// The conversion of a version of one round. It refuses objects of the types of another round.
struct Same(Arc<Types>, String);

impl Same {
    fn copied(&self, object: &dyn Reflect) -> Result<Box<dyn Reflect>, ConvertError> {
        if object.position(&self.1).is_none() {
            return Err(ConvertError::Unfit {
                path: self.1.clone(),
                message: "this object is of another snapshot".to_owned(),
            });
        }
        let mut copy = self.0.object(1);
        json::decode_into(&json::encode(object).expect("no numbers"), &mut *copy).expect("the same fields");
        Ok(copy)
    }
}

impl ConvertObject for Same {
    fn empty(&self) -> Box<dyn Reflect> {
        self.0.object(1)
    }

    fn to_hub(&self, object: Box<dyn Reflect>) -> Result<Box<dyn Reflect>, ConvertError> {
        self.copied(&*object)
    }

    fn from_hub(&self, hub: Box<dyn Reflect>) -> Result<Box<dyn Reflect>, ConvertError> {
        self.copied(&*hub)
    }
}

/// The usual kinds and a Gauge, whose types and names are of this round only.
fn with_gauge(round: usize) -> (Scheme, Weak<Types>) {
    let own_field = format!("of{round}");
    let text = |name: &str| FieldDef::new(name, TypeDef::Is(Type::String));
    let metadata = StructDef {
        fields: ["name", "namespace", "uid", "resourceVersion"].map(text).into(),
        ..StructDef::new("ObjectMeta")
    };
    let gauge = StructDef {
        fields: vec![FieldDef::new("metadata", TypeDef::Struct(0)), text("colour"), text(&own_field)],
        ..StructDef::new("Gauge")
    };
    let types = Types::new(vec![metadata, gauge]).unwrap();
    let owned = |text: &str| Text::from(text.to_owned());
    let name = |version| GroupVersionKind {
        group: owned("gauges.example.com"),
        version: owned(version),
        kind: owned("Gauge"),
    };
    let family =
        Arc::new(Family { members: VERSIONS.map(name).into(), storage: name("v1"), words: Vec::new() });
    let words = |words: &[&str]| words.iter().map(ToString::to_string).collect();
    let mut scheme = scheme();
    for version in VERSIONS {
        let resource = Resource {
            plural: owned("gauges"),
            singular: owned(&format!("gauge-{round}")),
            namespaced: true,
            verbs: words(&["create", "get", "list"]),
            short_names: words(&[&format!("short-{round}")]),
            categories: words(&[&format!("category-{round}")]),
            subresources: vec![Subresource {
                name: owned("status"),
                kind: None,
                verbs: words(&["get"]),
                until: None,
            }],
        };
        let conversion = Arc::new(Same(Arc::clone(&types), own_field.clone()));
        let entry = KindEntry {
            resource: Some(resource),
            family: Some(Arc::clone(&family)),
            conversion: Conversion::Hub(ViaHub::Runtime(conversion)),
            ..KindEntry::new(name(version), NewObject::Runtime(Arc::clone(&types), 1))
        };
        scheme.add(entry).unwrap();
    }
    (scheme, Arc::downgrade(&types))
}

/// What a client asks, over and over. Returns which codes it saw, and which rounds.
fn ask(server: SocketAddr, stop: &AtomicBool) -> (BTreeSet<u16>, BTreeSet<String>) {
    let agent: Agent = Agent::config_builder().http_status_as_error(false).build().into();
    let at = |version: &str| {
        format!("http://{server}/apis/gauges.example.com/{version}/namespaces/default/gauges?dryRun=All")
    };
    let (mut codes, mut rounds) = (BTreeSet::new(), BTreeSet::new());
    let mut note = |answered: Result<ureq::http::Response<ureq::Body>, ureq::Error>| {
        let mut answer = answered.unwrap();
        let (code, body) = (answer.status().as_u16(), answer.body_mut().read_to_string().unwrap());
        codes.insert(code);
        let expected = [200, 201, 404];
        assert!(expected.contains(&code), "expected one of {expected:?}, found {code}: {body}");
        serde_json::from_str::<Value>(&body).unwrap_or_else(|error| panic!("{error}: {body}"))
    };
    while !stop.load(Ordering::Relaxed) {
        for version in VERSIONS {
            let body = json!({"metadata": {"name": "g"}, "colour": "red"}).to_string();
            note(agent.post(at(version)).content_type("application/json").send(&body));
            // Stored at v1, and read at both versions.
            note(agent.get(at(version)).call());
            let found = note(agent.get(format!("http://{server}/apis/gauges.example.com/{version}")).call());
            let Some(gauge) = found["resources"].as_array().map(|resources| &resources[0]) else { continue };
            let round = |text: &Value| text.as_str().unwrap().rsplit('-').next().unwrap().to_owned();
            let seen: BTreeSet<String> =
                [&gauge["singularName"], &gauge["shortNames"][0], &gauge["categories"][0]].map(round).into();
            assert_eq!(seen.len(), 1, "{found}");
            rounds.extend(seen);
        }
        // A kind that always exists is not disturbed.
        let widgets = note(agent.get(format!("http://{server}/apis/example.com/v1/widgets")).call());
        assert_eq!(widgets["kind"], "WidgetList");
    }
    (codes, rounds)
}

/// The memory of this process in KiB, where it can be read.
fn memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

/// In a process of its own, because the other tests of this program take memory at the same time.
#[test]
fn requests_see_one_snapshot_while_kinds_come_and_go() {
    if env::var_os(ALONE).is_none() {
        let mut alone = Command::new(env::current_exe().expect("this program"));
        alone.args(["--exact", "kinds::requests_see_one_snapshot_while_kinds_come_and_go", "--nocapture"]);
        let output = alone.env(ALONE, "1").output().expect("it starts");
        let printed = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && printed.contains("1 passed"), "{printed}");
        return;
    }
    let server: Harness = Setup::new().scheme(with_gauge(0).0).start();
    let path = "/apis/gauges.example.com/v1/namespaces/default/gauges";
    server.client.post(path, &json!({"metadata": {"name": "kept"}, "colour": "blue"})).expect(201);

    let (stop, address) = (Arc::new(AtomicBool::new(false)), server.client.0);
    let clients: Vec<_> = (0..CLIENTS)
        .map(|_| {
            let stop = Arc::clone(&stop);
            thread::spawn(move || ask(address, &stop))
        })
        .collect();
    let mut types = Vec::new();
    let mut warm = None;
    for round in 1..=ROUNDS {
        let (with, of_round) = with_gauge(round);
        types.push(of_round);
        server.served.replace(Kinds::new(Arc::new(with)));
        thread::yield_now();
        server.served.replace(Kinds::new(Arc::new(scheme())));
        thread::yield_now();
        if round == WARM {
            warm = memory();
        }
    }
    let level = memory();
    stop.store(true, Ordering::Relaxed);
    let (mut codes, mut rounds) = (BTreeSet::new(), BTreeSet::new());
    for client in clients {
        let (seen, of) = client.join().expect("every answer is of one snapshot");
        codes.extend(seen);
        rounds.extend(of);
    }
    // The clients have met the kind and its absence, often enough that this test can fail.
    assert_eq!(codes, BTreeSet::from([200, 201, 404]));
    assert!(rounds.len() > 100, "the clients have met the kind of {} rounds only", rounds.len());
    assert_eq!(types.iter().filter(|types| types.strong_count() > 0).count(), 0);
    match (warm, level) {
        (Some(warm), Some(level)) => {
            assert!(level < warm + LEVEL, "{warm} KiB after {WARM} rounds, {level} KiB after {ROUNDS}");
        }
        _ => println!("left out: the level of memory, which only Linux tells in this way"),
    }

    // What was stored is still there when the kind comes back.
    server.client.get(&format!("{path}/kept")).expect(404);
    server.served.replace(Kinds::new(Arc::new(with_gauge(0).0)));
    assert_eq!(server.client.get(&format!("{path}/kept")).expect(200)["colour"], "blue");
}
