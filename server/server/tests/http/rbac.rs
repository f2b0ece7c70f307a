//! Roles and bindings decide who may.

use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

use hubgen_machinery::scheme::Scheme;
use hubgen_server::access::{Access, Modes, Tokens};
use hubgen_server::rbac::{Bootstrap, Rbac};
use serde_json::{Value, json};

use crate::client::Answer;
use crate::harness::{Harness, Setup};

const GROUP: &str = "/apis/rbac.authorization.k8s.io";

fn scheme() -> Scheme {
    let mut scheme = crate::scheme::scheme();
    // A kind of these tests, which only has its name.
    scheme.remove("rbac.authorization.k8s.io", "v1", "Role");
    hubgen_rbac::register(&mut scheme);
    hubgen_authorization::register(&mut scheme);
    scheme
}

fn access(rbac: &Rbac) -> Access {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tokens.csv");
    fs::write(&file, "root,root,1,\"system:masters\"\nada,ada,2,\"people\"\nbob,bob,3\n").unwrap();
    let modes = Modes::default().with("rbac", rbac.clone());
    Access { authenticate: Box::new(Tokens::file(file).unwrap()), authorize: Box::new(modes) }
}

fn setup(rbac: Rbac) -> Setup {
    Setup::new().scheme(scheme()).access(access(&rbac)).rbac(rbac)
}

/// A server on which nobody may do anything but the one with the token `root`.
fn server() -> Harness {
    setup(Rbac::default()).start()
}

fn send(server: &Harness, token: &str, method: &str, path: &str, body: &Value) -> Answer {
    let authorization = format!("Bearer {token}");
    let media = if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
    let headers = [("Authorization", &*authorization), ("Content-Type", media)];
    let body = if body.is_null() { String::new() } else { body.to_string() };
    server.client.send(method, path, &headers, body.as_bytes())
}

fn get(server: &Harness, token: &str, path: &str) -> Answer {
    send(server, token, "GET", path, &Value::Null)
}

fn root(server: &Harness, path: &str, object: &Value) -> Value {
    send(server, "root", "POST", &format!("{GROUP}/{path}"), object).expect(201)
}

fn rule(verbs: &[&str], groups: &[&str], resources: &[&str]) -> Value {
    json!({"verbs": verbs, "apiGroups": groups, "resources": resources})
}

fn role(name: &str, rules: Value) -> Value {
    json!({"metadata": {"name": name}, "rules": rules})
}

fn binding(name: &str, role: &str, user: &str) -> Value {
    json!({
        "metadata": {"name": name},
        "subjects": [{"kind": "User", "name": user}],
        "roleRef": {"kind": "ClusterRole", "name": role},
    })
}

const WIDGETS: &str = "/apis/example.com/v1/namespaces/a/widgets";

#[test]
fn a_binding_counts_for_the_next_request() {
    let server = server();
    root(
        &server,
        "v1/clusterroles",
        &role("reader", json!([rule(&["list"], &["example.com"], &["widgets"])])),
    );
    for attempt in 0..50 {
        let refused = get(&server, "ada", WIDGETS).expect(403);
        let message = r#"widgets.example.com is forbidden: User "ada" cannot list resource "widgets" in API group "example.com" in the namespace "a""#;
        assert_eq!(refused["message"], message);
        let name = format!("b{attempt}");
        root(&server, "v1/namespaces/a/rolebindings", &binding(&name, "reader", "ada"));
        get(&server, "ada", WIDGETS).expect(200);
        get(&server, "ada", "/apis/example.com/v1/namespaces/b/widgets").expect(403);
        let path = format!("{GROUP}/v1/namespaces/a/rolebindings/{name}");
        send(&server, "root", "DELETE", &path, &Value::Null).expect(200);
    }
}

#[test]
fn roles_count_at_every_version() {
    let server = server();
    for (number, version) in ["v1", "v1beta1", "v1alpha1"].into_iter().enumerate() {
        let name = format!("r{number}");
        root(
            &server,
            &format!("{version}/clusterroles"),
            &role(&name, json!([rule(&["list"], &["example.com"], &["widgets"])])),
        );
        let mut binding = binding(&name, &name, "bob");
        if version == "v1alpha1" {
            binding["subjects"] =
                json!([{"kind": "User", "apiVersion": "rbac.authorization.k8s.io/v1alpha1", "name": "bob"}]);
        }
        get(&server, "bob", WIDGETS).expect(403);
        root(&server, &format!("{version}/clusterrolebindings"), &binding);
        get(&server, "bob", WIDGETS).expect(200);
        let path = format!("{GROUP}/{version}/clusterrolebindings/{name}");
        send(&server, "root", "DELETE", &path, &Value::Null).expect(200);
    }
}

#[test]
fn nobody_learns_what_exists() {
    let server = server();
    for (method, path, what) in [
        ("GET", "/nothing/at/all", r#"forbidden: User "ada" cannot get path "/nothing/at/all""#),
        (
            "POST",
            "/apis/example.com/v1/none",
            r#"none.example.com is forbidden: User "ada" cannot create resource "none" in API group "example.com" at the cluster scope"#,
        ),
        (
            "GET",
            "/apis/example.com/v1/namespaces/a/widgets/x%20%3Cy%3E/status",
            r#"widgets.example.com "x <y>" is forbidden: User "ada" cannot get resource "widgets/status" in API group "example.com" in the namespace "a""#,
        ),
        (
            "GET",
            "/apis/example.com/v1/namespaces/%3Ca%3E/widgets",
            r#"widgets.example.com is forbidden: User "ada" cannot list resource "widgets" in API group "example.com" in the namespace "&lt;a&gt;""#,
        ),
    ] {
        assert_eq!(send(&server, "ada", method, path, &Value::Null).expect(403)["message"], what, "{path}");
    }
    get(&server, "root", "/nothing/at/all").expect(404);
}

#[test]
fn a_role_that_is_gone_is_told() {
    let server = server();
    root(&server, "v1/clusterrolebindings", &binding("b", "gone", "ada"));
    root(&server, "v1/clusterrolebindings", &binding("a", "lost", "ada"));
    let message = get(&server, "ada", WIDGETS).expect(403)["message"].as_str().unwrap().to_owned();
    let why = r#": rbac: RBAC: [clusterrole.rbac.authorization.k8s.io "lost" not found, clusterrole.rbac.authorization.k8s.io "gone" not found]"#;
    assert!(message.ends_with(why), "{message}");
    let review = json!({"spec": {"user": "ada", "groups": ["x"], "resourceAttributes": {"verb": "get", "resource": "pods"}}});
    let path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    let status = send(&server, "root", "POST", path, &review).expect(201)["status"].clone();
    assert_eq!(status["allowed"], false);
    assert_eq!(status["reason"], why[2..]);
}

#[test]
fn reviews_name_the_binding() {
    let server = server();
    root(&server, "v1/clusterroles", &role("r", json!([rule(&["get"], &[""], &["pods", "*/log"])])));
    root(&server, "v1/clusterrolebindings", &binding("b", "r", "ada"));
    let ask = |spec: Value| {
        let path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
        send(&server, "root", "POST", path, &json!({"spec": spec})).expect(201)["status"].clone()
    };
    let reason = r#"RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "r" to User "ada""#;
    let of = |subresource: &str| json!({"verb": "get", "resource": "pods", "subresource": subresource});
    let allowed = json!({"allowed": true, "reason": reason});
    assert_eq!(ask(json!({"user": "ada", "resourceAttributes": of("log")})), allowed);
    assert_eq!(ask(json!({"user": "ada", "resourceAttributes": of("exec")})), json!({"allowed": false}));
    let masters = json!({"groups": ["system:masters"], "resourceAttributes": of("exec")});
    assert_eq!(ask(masters), json!({"allowed": true}));
}

/// Lets Ada write roles and bindings, and read widgets.
fn with_writer() -> Harness {
    let server = server();
    let rules = json!([
        rule(&["create", "update", "patch", "get"], &["rbac.authorization.k8s.io"], &["*"]),
        rule(&["get", "list"], &["example.com"], &["widgets"]),
    ]);
    root(&server, "v1/clusterroles", &role("writer", rules));
    root(&server, "v1/clusterrolebindings", &binding("writer", "writer", "ada"));
    server
}

#[test]
fn nobody_grants_what_they_may_not_do() {
    let server = with_writer();
    let post = |path: &str, object: &Value| send(&server, "ada", "POST", &format!("{GROUP}/{path}"), object);
    post("v1/clusterroles", &role("ok", json!([rule(&["get"], &["example.com"], &["widgets"])]))).expect(201);
    let answer = post(
        "v1beta1/clusterroles",
        &role("more", json!([rule(&["get", "delete"], &["example.com"], &["widgets"])])),
    )
    .expect(403);
    assert_eq!(
        answer["message"],
        "clusterroles.rbac.authorization.k8s.io \"more\" is forbidden: user \"ada\" (groups=[\"people\" \"system:authenticated\"]) is \
         attempting to grant RBAC permissions not currently held:\n\
         {APIGroups:[\"example.com\"], Resources:[\"widgets\"], Verbs:[\"delete\"]}"
    );
    assert_eq!(
        answer["details"],
        json!({"name": "more", "group": "rbac.authorization.k8s.io", "kind": "clusterroles"})
    );
    let gathers = json!({"metadata": {"name": "g"}, "aggregationRule": {"clusterRoleSelectors": [{}]}});
    let answer = post("v1/clusterroles", &gathers).expect(403);
    let why = r#"clusterroles.rbac.authorization.k8s.io "g" is forbidden: must have cluster-admin privileges to use the aggregationRule"#;
    assert_eq!(answer["message"], why);
    // By an update, a patch, and a binding.
    let path = format!("{GROUP}/v1/clusterroles/ok");
    let more = role("ok", json!([rule(&["*"], &["*"], &["*"])]));
    send(&server, "ada", "PUT", &path, &more).expect(403);
    send(&server, "ada", "PATCH", &path, &json!({"rules": more["rules"]})).expect(403);
    send(&server, "ada", "PATCH", &path, &json!({"metadata": {"labels": {"a": "b"}}})).expect(200);
    root(&server, "v1/clusterroles", &role("all", json!([rule(&["*"], &["*"], &["*"])])));
    post("v1/clusterrolebindings", &binding("self", "all", "ada")).expect(403);
    post("v1/namespaces/a/rolebindings", &binding("self", "all", "ada")).expect(403);
    post("v1/clusterrolebindings", &binding("fine", "ok", "bob")).expect(201);
    let answer = post("v1/clusterrolebindings", &binding("none", "none", "ada")).expect(404);
    assert_eq!(answer["message"], r#"clusterrolebindings.rbac.authorization.k8s.io "none" not found"#);
    // Only owners and finalizers change, of a role that grants more.
    let path = format!("{GROUP}/v1/clusterroles/all");
    send(&server, "ada", "PATCH", &path, &json!({"metadata": {"finalizers": ["example.com/f"]}})).expect(200);
    send(&server, "ada", "PATCH", &path, &json!({"metadata": {"labels": {"a": "b"}}})).expect(403);
}

#[test]
fn escalate_and_bind_are_permissions() {
    let server = with_writer();
    root(&server, "v1/clusterroles", &role("all", json!([rule(&["*"], &["*"], &["*"])])));
    let mut bind = rule(&["bind"], &["rbac.authorization.k8s.io"], &["clusterroles"]);
    bind["resourceNames"] = json!(["all"]);
    let rules = json!([bind, rule(&["escalate"], &["rbac.authorization.k8s.io"], &["roles"])]);
    root(&server, "v1/clusterroles", &role("more", rules));
    root(&server, "v1/clusterrolebindings", &binding("more", "more", "ada"));
    let post = |path: &str, object: &Value| send(&server, "ada", "POST", &format!("{GROUP}/{path}"), object);
    let any = role("any", json!([rule(&["*"], &["*"], &["*"])]));
    post("v1/namespaces/a/roles", &any).expect(201);
    post("v1/clusterroles", &any).expect(403);
    post("v1/clusterrolebindings", &binding("b", "all", "bob")).expect(201);
    post("v1/clusterrolebindings", &binding("w", "writer", "bob")).expect(201);
    post("v1/clusterrolebindings", &binding("m", "more", "bob")).expect(201);
}

#[test]
fn invalid_roles_and_bindings_are_refused_with_all_reasons() {
    let server = server();
    let post = |path: &str, object: &Value| {
        send(&server, "root", "POST", &format!("{GROUP}/{path}"), object).expect(422)["message"].clone()
    };
    assert_eq!(
        post(
            "v1/namespaces/a/roles",
            &role("r", json!([{"verbs": [], "nonResourceURLs": ["/a"], "apiGroups": [""]}]))
        ),
        "Role.rbac.authorization.k8s.io \"r\" is invalid: [rules[0].nonResourceURLs: Invalid value: [\"/a\"]: namespaced rules cannot \
         apply to non-resource URLs, rules[0].nonResourceURLs: Invalid value: [\"/a\"]: rules cannot apply to both regular resources \
         and non-resource URLs, rules[0].verbs: Required value]"
    );
    let wrong = json!({"metadata": {"name": "b"}, "subjects": [{"kind": "ServiceAccount", "name": "a"}], "roleRef": {"kind": "Role", "name": ""}});
    assert_eq!(
        post("v1/clusterrolebindings", &wrong),
        "ClusterRoleBinding.rbac.authorization.k8s.io \"b\" is invalid: [roleRef.kind: Unsupported value: \"Role\": supported values: \
         \"ClusterRole\", subjects[0].namespace: Required value, roleRef.name: Required value]"
    );
    root(&server, "v1/clusterrolebindings", &binding("b", "r", "ada"));
    let other = binding("b", "other", "ada");
    let answer =
        send(&server, "root", "PUT", &format!("{GROUP}/v1/clusterrolebindings/b"), &other).expect(422);
    assert_eq!(
        answer["message"],
        "ClusterRoleBinding.rbac.authorization.k8s.io \"b\" is invalid: roleRef: Invalid value: \
         {\"APIGroup\":\"rbac.authorization.k8s.io\",\"Kind\":\"ClusterRole\",\"Name\":\"other\"}: field is immutable"
    );
}

const BOOTSTRAP: &str = r#"{
    "annotations": {"rbac.authorization.kubernetes.io/autoupdate": "true"},
    "roles": [
        {"name": "all", "gathers": [{"gathered": "yes"}]},
        {"name": "one", "labels": {"gathered": "yes"}, "rules": [{"verbs": "get list", "groups": "core", "resources": "pods"}]},
        {"name": "kept", "rules": [{"verbs": "get", "paths": "/healthz"}]}
    ],
    "bindings": [{"name": "one", "role": "ClusterRole one", "subjects": ["Group people"]}]
}"#;

fn bootstrapped() -> Rbac {
    Rbac::with_bootstrap(Bootstrap::parse(BOOTSTRAP).unwrap())
}

fn read(server: &Harness, path: &str) -> Value {
    get(server, "root", &format!("{GROUP}/v1/{path}")).expect(200)
}

#[test]
fn what_a_server_starts_with_comes_back() {
    let server = setup(bootstrapped()).start();
    assert_eq!(read(&server, "clusterroles/all")["rules"], read(&server, "clusterroles/one")["rules"]);
    // Somebody removes a permission, adds another, protects a role, and binds another role.
    let rules = json!({"rules": [rule(&["get", "watch"], &[""], &["pods"])]});
    send(&server, "root", "PATCH", &format!("{GROUP}/v1/clusterroles/one"), &rules).expect(200);
    let kept = json!({"rules": [], "metadata": {"annotations": {"rbac.authorization.kubernetes.io/autoupdate": "false"}}});
    send(&server, "root", "PATCH", &format!("{GROUP}/v1/clusterroles/kept"), &kept).expect(200);
    send(&server, "root", "DELETE", &format!("{GROUP}/v1/clusterrolebindings/one"), &Value::Null).expect(200);
    root(&server, "v1/clusterrolebindings", &binding("one", "kept", "bob"));
    let rbac = bootstrapped();
    let server = setup(rbac).restart(server);
    let rules = json!([rule(&["get", "watch"], &[""], &["pods"]), rule(&["list"], &[""], &["pods"])]);
    assert_eq!(read(&server, "clusterroles/one")["rules"], rules);
    assert_eq!(read(&server, "clusterroles/kept")["rules"], Value::Null);
    assert_eq!(read(&server, "clusterrolebindings/one")["roleRef"]["name"], "one");
}

#[test]
fn aggregated_roles_follow_the_roles_that_they_gather() {
    let server = setup(bootstrapped()).start();
    let gathered = |expected: &[&str]| {
        let start = Instant::now();
        loop {
            let rules = read(&server, "clusterroles/all")["rules"].clone();
            let resources: Vec<&str> = rules
                .as_array()
                .into_iter()
                .flatten()
                .map(|rule| rule["resources"][0].as_str().unwrap())
                .collect();
            if resources == expected {
                return;
            }
            assert!(start.elapsed() < Duration::from_secs(30), "{rules}");
            sleep(Duration::from_millis(2));
        }
    };
    gathered(&["pods"]);
    let mut first = role("a-role", json!([rule(&["get"], &["example.com"], &["widgets"])]));
    first["metadata"]["labels"] = json!({"gathered": "yes"});
    root(&server, "v1/clusterroles", &first);
    gathered(&["widgets", "pods"]);
    send(&server, "root", "DELETE", &format!("{GROUP}/v1/clusterroles/one"), &Value::Null).expect(200);
    gathered(&["widgets"]);
}

#[test]
fn roles_that_gather_each_other_do_no_harm() {
    let server = server();
    let gathers = |name: &str, label: &str, of: &str| {
        json!({
            "metadata": {"name": name, "labels": {label: "yes"}},
            "aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {of: "yes"}}, {"matchLabels": {"leaf": "yes"}}]},
        })
    };
    root(&server, "v1/clusterroles", &gathers("x", "x", "y"));
    root(&server, "v1/clusterroles", &gathers("y", "y", "x"));
    let mut leaf = role("leaf", json!([rule(&["list"], &["example.com"], &["widgets"])]));
    leaf["metadata"]["labels"] = json!({"leaf": "yes"});
    root(&server, "v1/clusterroles", &leaf);
    root(&server, "v1/clusterrolebindings", &binding("b", "x", "ada"));
    let start = Instant::now();
    while get(&server, "ada", WIDGETS).code != 200 {
        assert!(start.elapsed() < Duration::from_secs(30));
        sleep(Duration::from_millis(2));
    }
    let revision =
        |name: &str| read(&server, &format!("clusterroles/{name}"))["metadata"]["resourceVersion"].clone();
    let before = (revision("x"), revision("y"));
    sleep(Duration::from_millis(100));
    assert_eq!(before, (revision("x"), revision("y")));
}

#[test]
fn very_many_permissions_are_refused_in_short() {
    let server = with_writer();
    let words: Vec<String> = (0..1000).map(|number| format!("w{number}")).collect();
    let huge = json!([{"verbs": words, "apiGroups": words, "resources": words, "resourceNames": words}]);
    let answer =
        send(&server, "ada", "POST", &format!("{GROUP}/v1/clusterroles"), &role("huge", huge)).expect(403);
    let message = answer["message"].as_str().unwrap();
    assert!(message.contains("some of 1000000000000, which are too many to tell"), "{message}");
    let many: Vec<Value> =
        (0..10_000).map(|number| rule(&["get"], &["example.com"], &[&format!("r{number}")])).collect();
    let answer =
        send(&server, "ada", "POST", &format!("{GROUP}/v1/clusterroles"), &role("many", many.into()))
            .expect(403);
    assert!(answer["message"].as_str().unwrap().ends_with("\n... and 8000 more"));
}

#[test]
fn a_server_without_the_kinds_does_not_start() {
    let result = std::panic::catch_unwind(|| {
        let rbac = Rbac::default();
        Setup::new().access(access(&rbac)).rbac(rbac).start()
    });
    let panic = result.err().unwrap();
    let why = panic.downcast_ref::<String>().unwrap();
    assert!(
        why.contains("roles and bindings decide who may, and rbac.authorization.k8s.io/v1 is not served"),
        "{why}"
    );
}
