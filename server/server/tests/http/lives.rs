//! What becomes of CustomResourceDefinitions.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use hubgen_machinery::scheme::Scheme;
use hubgen_server::admission::{AdmissionRequest, Chain, Operation, Validate, Verdict};
use hubgen_server::store::{Embedded, Options, Store};
use serde_json::{Value, json};

use crate::harness::{Harness, Setup};

const V1: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const V1BETA1: &str = "/apis/apiextensions.k8s.io/v1beta1/customresourcedefinitions";
/// How long something may take that happens by itself.
const PATIENCE: Duration = Duration::from_secs(30);

fn scheme() -> Scheme {
    let mut scheme = crate::scheme::scheme();
    hubgen_apiextensions::register(&mut scheme);
    scheme
}

fn setup() -> Setup {
    Setup::new().scheme(scheme())
}

fn definition(group: &str, plural: &str, kind: &str) -> Value {
    let schema = json!({"openAPIV3Schema": {"type": "object"}});
    json!({
        "metadata": {"name": format!("{plural}.{group}")},
        "spec": {
            "group": group, "scope": "Namespaced", "names": {"plural": plural, "kind": kind},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": schema}],
        },
    })
}

fn widgets() -> Value {
    definition("example.com", "widgets", "Widget")
}

/// Waits until something is so.
fn until(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < PATIENCE, "{what}");
        sleep(Duration::from_millis(5));
    }
}

fn get(server: &Harness, name: &str) -> Value {
    server.client.get(&format!("{V1}/{name}")).json()
}

/// The status and the reason of each condition of a definition.
fn conditions(definition: &Value) -> BTreeMap<String, String> {
    let text = |condition: &Value, key: &str| condition[key].as_str().unwrap_or_default().to_owned();
    let all = definition["status"]["conditions"].as_array().into_iter().flatten();
    all.map(|one| (text(one, "type"), format!("{} {}", text(one, "status"), text(one, "reason")))).collect()
}

fn is(server: &Harness, name: &str, condition: &str, expected: &str) -> bool {
    conditions(&get(server, name)).get(condition).is_some_and(|found| found == expected)
}

fn establish(server: &Harness, definition: &Value) {
    server.client.post(V1, definition).expect(201);
    let name = definition["metadata"]["name"].as_str().unwrap();
    until("it is established", || is(server, name, "Established", "True InitialNamesAccepted"));
}

fn keys(server: &Harness, prefix: &str) -> Vec<String> {
    let (_, all) = server.stored();
    let keys = all.into_iter().map(|item| String::from_utf8(item.key).unwrap());
    keys.filter(|key| key.starts_with(prefix)).collect()
}

/// Counts deletions.
struct Deletions(Arc<AtomicUsize>);

impl Validate for Deletions {
    fn admit<'a>(&'a self, request: &'a AdmissionRequest<'_>) -> Verdict<'a> {
        Box::pin(async move {
            if request.operation == Operation::Delete && request.entry.kind == "Widget" {
                self.0.fetch_add(1, Ordering::Relaxed);
            }
            Ok(())
        })
    }
}

const PREFIX: &str = "/registry/example.com/widgets/";

fn widget(namespace: &str, name: &str, finalizers: &[&str]) -> (String, Value) {
    let path = format!("/apis/example.com/v1/namespaces/{namespace}/widgets");
    let spec = json!({"width": 1, "frame": {"name": "f"}, "colour": "Red"});
    (path, json!({"metadata": {"name": name, "finalizers": finalizers}, "spec": spec}))
}

#[test]
fn objects_go_with_their_definition() {
    let count = Arc::new(AtomicUsize::new(0));
    let admission = Chain { validating: vec![Box::new(Deletions(Arc::clone(&count)))], ..Chain::default() };
    let server = setup().admission(admission).start();
    establish(&server, &widgets());
    for (namespace, name, finalizers) in
        [("a", "x", &[][..]), ("a", "y", &["example.com/stay"]), ("b", "x", &[])]
    {
        let (path, object) = widget(namespace, name, finalizers);
        server.client.post(&path, &object).expect(201);
    }
    // Values that no kind of the server can read.
    server.put(
        &format!("{PREFIX}a/old"),
        r#"{"apiVersion":"example.com/v0","kind":"Widget","metadata":{"name":"old"}}"#,
    );
    server.put(&format!("{PREFIX}a/none"), "no object");
    let kept = r#"{"apiVersion":"example.com/v0","kind":"Widget","metadata":{"name":"kept","finalizers":["b.c/d"]}}"#;
    server.put(&format!("{PREFIX}a/kept"), kept);
    // Those of another kind.
    server.put("/registry/example.com/widgetsets/a/x", "{}");

    let name = "widgets.example.com";
    let answer = server.client.delete(&format!("{V1}/{name}")).expect(200);
    assert_eq!(answer["metadata"]["finalizers"], json!(["customresourcecleanup.apiextensions.k8s.io"]));
    assert_eq!(answer["metadata"]["generation"], 1);
    assert_eq!(answer["metadata"].get("deletionGracePeriodSeconds"), None);
    assert_eq!(conditions(&answer)["Terminating"], "True InstanceDeletionPending");
    until("only what is kept is left", || {
        keys(&server, PREFIX) == [format!("{PREFIX}a/kept"), format!("{PREFIX}a/y")]
    });
    assert_eq!(count.load(Ordering::Relaxed), 3, "admission is asked for each object");
    assert!(is(&server, name, "Terminating", "True InstanceDeletionInProgress"));
    assert!(server.stored_at(&format!("{PREFIX}a/kept"))["metadata"]["deletionTimestamp"].is_string());
    // Asked again, it has a time for it, as upstream.
    server.client.delete(&format!("{V1}/{name}")).expect(200);
    assert_eq!(get(&server, name)["metadata"]["deletionGracePeriodSeconds"], 0);

    let (path, _) = widget("a", "y", &[]);
    let path = format!("{path}/y");
    let mut y = server.client.get(&path).expect(200);
    y["metadata"]["finalizers"] = json!([]);
    server.client.put(&path, &y).expect(200);
    until("one is left", || keys(&server, PREFIX).len() == 1);
    assert!(is(&server, name, "Terminating", "True InstanceDeletionInProgress"));
    server.remove(&format!("{PREFIX}a/kept"));
    until("the definition is gone", || server.client.get(&format!("{V1}/{name}")).code == 404);
    assert_eq!(keys(&server, "/registry/example.com/"), ["/registry/example.com/widgetsets/a/x"]);
}

/// A server that stops while objects are removed goes on when it starts again.
#[test]
fn a_removal_goes_on_after_a_start() {
    let server = setup().start();
    establish(&server, &widgets());
    let (path, object) = widget("a", "y", &["example.com/stay"]);
    server.client.post(&path, &object).expect(201);
    server.client.delete(&format!("{V1}/widgets.example.com")).expect(200);
    let deleting = |server: &Harness| {
        server.client.get(&format!("{path}/y")).json()["metadata"]["deletionTimestamp"].is_string()
    };
    until("its deletion has begun", || deleting(&server));
    let server = setup().restart(server);
    let mut y = server.client.get(&format!("{path}/y")).expect(200);
    y["metadata"]["finalizers"] = json!([]);
    server.client.put(&format!("{path}/y"), &y).expect(200);
    until("it is gone", || server.client.get(&format!("{V1}/widgets.example.com")).code == 404);
}

/// Objects of built-in kinds that are stored in the same place stay.
#[test]
fn a_definition_of_a_built_in_kind_takes_nothing_along() {
    let server = setup().start();
    establish(&server, &widgets());
    let mut overlapping = definition("apiextensions.k8s.io", "customresourcedefinitions", "Mine");
    overlapping["metadata"]["annotations"] = json!({"api-approved.kubernetes.io": "unapproved, a test"});
    establish(&server, &overlapping);
    let path = format!("{V1}/customresourcedefinitions.apiextensions.k8s.io");
    server.client.delete(&path).expect(200);
    until("it is gone", || server.client.get(&path).code == 404);
    assert!(is(&server, "widgets.example.com", "Established", "True InitialNamesAccepted"));
}

/// Two servers on one store give each name once, and come to rest.
#[test]
fn several_servers_on_one_store_agree() {
    let store = Arc::new(std::sync::OnceLock::<Arc<dyn Store>>::new());
    let shared = || {
        let made = || -> Arc<dyn Store> { Arc::new(Embedded::in_memory(Options::default()).unwrap()) };
        Arc::clone(store.get_or_init(made))
    };
    let one = setup().start_on(shared);
    let other = setup().start_on(shared);
    let mut names = Vec::new();
    for number in 0..12 {
        // Each kind is wanted by two definitions, which different servers create.
        for (server, of) in [(&one, "as"), (&other, "bs")] {
            let plural = format!("{of}{number}");
            server.client.post(V1, &definition("example.com", &plural, &format!("Kind{number}"))).expect(201);
            names.push(format!("{plural}.example.com"));
        }
    }
    let accepted =
        |server: &Harness, name: &str| conditions(&get(server, name)).get("NamesAccepted").cloned();
    until("all are told", || names.iter().all(|name| accepted(&one, name).is_some()));
    let (settled, _) = one.stored();
    until("both are at rest", || {
        let (before, _) = one.stored();
        sleep(Duration::from_millis(100));
        one.stored().0 == before
    });
    assert!(one.stored().0 - settled < 200, "they replace each other's words");
    for pair in names.chunks(2) {
        let both: Vec<_> = pair.iter().map(|name| accepted(&other, name).unwrap()).collect();
        let count = both.iter().filter(|status| status.starts_with("True")).count();
        assert!(count >= 1, "{pair:?} {both:?}");
        for name in pair {
            let definition = get(&one, name);
            let is_accepted = accepted(&one, name).unwrap().starts_with("True");
            assert_eq!(
                conditions(&definition)["Established"].starts_with("True"),
                is_accepted,
                "{definition}"
            );
        }
    }
}

/// Definitions of `v1beta1` may lack schemas, and keep unknown fields: a condition tells of it.
#[test]
fn definitions_of_v1beta1_are_accepted() {
    let server = setup().start();
    let old = json!({
        "metadata": {"name": "olds.example.com"},
        "spec": {"group": "example.com", "version": "v1", "names": {"plural": "olds", "kind": "Old"}},
    });
    let created = server.client.post(V1BETA1, &old).expect(201);
    assert_eq!(created["spec"]["preserveUnknownFields"], true);
    assert_eq!(created["status"]["storedVersions"], json!(["v1"]));
    let name = "olds.example.com";
    until("it is established", || is(&server, name, "Established", "True InitialNamesAccepted"));
    let found = get(&server, name);
    assert_eq!(conditions(&found)["NonStructuralSchema"], "True Violations");
    let condition = found["status"]["conditions"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(condition["message"], "spec.preserveUnknownFields: Invalid value: true: must be false");
    // What was accepted there can be written at `v1`, too.
    let mut changed = found.clone();
    changed["spec"]["names"]["shortNames"] = json!(["o"]);
    server.client.put(&format!("{V1}/{name}"), &changed).expect(200);
    // But not anew.
    let mut new = found;
    new["metadata"] = json!({"name": "news.example.com"});
    new["spec"]["names"] = json!({"plural": "news", "kind": "New"});
    let refused = server.client.post(V1, &new).expect(422);
    let fields: Vec<&str> = refused["details"]["causes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cause| cause["field"].as_str().unwrap())
        .collect();
    assert_eq!(fields, ["spec.versions[0].schema.openAPIV3Schema", "spec.preserveUnknownFields"]);
    // Defaults need `v1`.
    let mut with_default = old;
    with_default["metadata"]["name"] = "defaults.example.com".into();
    with_default["spec"]["names"] = json!({"plural": "defaults", "kind": "Default"});
    with_default["spec"]["validation"] = json!({"openAPIV3Schema": {
        "type": "object", "properties": {"a": {"type": "string", "default": "b"}},
    }});
    let refused = server.client.post(V1BETA1, &with_default).expect(422);
    assert_eq!(
        refused["details"]["causes"][0]["message"],
        "Forbidden: must not be set (cannot set default values in apiextensions.k8s.io/v1beta1 CRDs, must use \
         apiextensions.k8s.io/v1)"
    );
}

#[test]
fn an_update_needs_a_revision() {
    let server = setup().start();
    establish(&server, &widgets());
    let refused = server.client.put(&format!("{V1}/widgets.example.com"), &widgets()).expect(422);
    assert_eq!(
        refused["details"]["causes"][0]["message"],
        "Invalid value: 0: must be specified for an update"
    );
}

/// What takes the most time and memory.
#[test]
fn large_definitions_are_bounded() {
    let server = setup().start();
    let of = |schema: Value| {
        let mut large = widgets();
        large["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = schema;
        large
    };
    let mut properties = serde_json::Map::new();
    for number in 0..10_000 {
        properties.insert(format!("property{number}"), json!({"type": "string", "pattern": "^[a-z]+$"}));
    }
    let wide = of(json!({"type": "object", "properties": properties}));
    let created = server.client.post(&format!("{V1}?dryRun=All"), &wide).expect(201);
    assert_eq!(
        created["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"].as_object().unwrap().len(),
        10_000
    );
    // Each property is wrong.
    let mut wrong = wide.clone();
    let all =
        wrong["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"].as_object_mut().unwrap();
    all.values_mut().for_each(|property| property["type"] = "file".into());
    let refused = server.client.post(V1, &wrong).expect(422);
    let causes = refused["details"]["causes"].as_array().unwrap();
    assert!(
        causes.len() <= 101 && causes.last().unwrap()["message"].as_str().unwrap().contains("more"),
        "{causes:?}"
    );
    // Nested as deep as a body may be.
    let mut deep = json!({"type": "string"});
    for _ in 0..240 {
        deep = json!({"type": "object", "properties": {"a": deep}});
    }
    // The answer is nested too deep for the client of these tests.
    assert_eq!(server.client.post(&format!("{V1}?dryRun=All"), &of(deep.clone())).code, 201);
    for _ in 0..240 {
        deep = json!({"type": "object", "properties": {"a": deep}});
    }
    server.client.post(V1, &of(deep)).expect(400);
    // Patterns that blow up.
    for pattern in ["(a{1000}){1000}", "((a{100}){100}){100}", "(?:a?){1000}a{1001}"] {
        let schema = json!({"type": "object", "properties": {"a": {"type": "string", "pattern": pattern}}});
        let refused = server.client.post(V1, &of(schema)).expect(422);
        assert!(
            refused["message"].as_str().unwrap().contains("must be a valid regular expression"),
            "{refused}"
        );
    }
}
