//! Subresources beside the status. The codes and messages of refusals are those of a kube-apiserver 1.37.1, to which the
//! same requests were sent.

use serde_json::{Value, json};

use crate::client::{Answer, Client};
use crate::process::Process;

const DEPLOYMENT: &str = "/apis/apps/v1/namespaces/a/deployments/d";
const PODS: &str = "/api/v1/namespaces/a/pods";
const BUDGET: &str = "/apis/policy/v1/namespaces/a/poddisruptionbudgets/b";
const ACCOUNTS: &str = "/api/v1/namespaces/a/serviceaccounts";

fn server() -> (tempfile::TempDir, Process) {
    let directory = tempfile::tempdir().expect("a folder");
    let server = Process::start(directory.path(), "");
    (directory, server)
}

fn patch(client: Client, path: &str, format: &str, patch: &Value) -> Answer {
    client.send("PATCH", path, &[("Content-Type", format)], patch.to_string().as_bytes())
}

fn merge(client: Client, path: &str, value: &Value) -> Value {
    patch(client, path, "application/merge-patch+json", value).expect(200)
}

/// Checks the code and the message of refusals.
#[track_caller]
fn refused(answer: &Answer, code: u16, message: &str) {
    assert_eq!(answer.expect(code)["message"], message);
}

fn deployment(client: Client) {
    let selector = json!({
        "matchLabels": {"b": "2", "a": "1"},
        "matchExpressions": [
            {"key": "x", "operator": "NotIn", "values": ["z", "y"]},
            {"key": "w", "operator": "Exists"},
            {"key": "v", "operator": "DoesNotExist"},
            {"key": "u", "operator": "In", "values": ["one"]},
        ],
    });
    let template = json!({
        "metadata": {"labels": {"a": "1", "b": "2", "w": "w", "u": "one"}},
        "spec": {"containers": [{"name": "c", "image": "i"}]},
    });
    let deployment = json!({
        "metadata": {"name": "d"},
        "spec": {"replicas": 2, "selector": selector, "template": template},
    });
    client.post("/apis/apps/v1/namespaces/a/deployments", &deployment).expect(201);
}

#[test]
fn every_kind_with_replicas_is_scaled() {
    let (_directory, server) = server();
    let client = server.client;
    deployment(client);
    let path = &format!("{DEPLOYMENT}/scale");
    let scale = client.get(path).expect(200);
    assert_eq!((&scale["kind"], &scale["apiVersion"]), (&json!("Scale"), &json!("autoscaling/v1")));
    assert_eq!(scale["spec"], json!({"replicas": 2}));
    assert_eq!(scale["status"], json!({"replicas": 0, "selector": "a=1,b=2,u in (one),!v,w,x notin (y,z)"}));

    let scale = |replicas: i64| json!({"metadata": {"name": "d"}, "spec": {"replicas": replicas}});
    assert_eq!(client.put(path, &scale(3)).expect(200)["spec"], json!({"replicas": 3}));
    let before = client.get(DEPLOYMENT).expect(200);
    assert_eq!((&before["spec"]["replicas"], &before["metadata"]["generation"]), (&json!(3), &json!(2)));
    for (format, value) in [
        ("application/merge-patch+json", json!({"spec": {"replicas": 4}})),
        ("application/strategic-merge-patch+json", json!({"spec": {"replicas": 4}})),
        ("application/json-patch+json", json!([{"op": "replace", "path": "/spec/replicas", "value": 4}])),
    ] {
        client.put(path, &scale(3)).expect(200);
        assert_eq!(
            patch(client, path, format, &value).expect(200)["spec"],
            json!({"replicas": 4}),
            "{format}"
        );
    }
    // Other metadata than that of the object is dropped, and then nothing is written.
    let revision = client.get(path).expect(200)["metadata"]["resourceVersion"].clone();
    let labelled = merge(client, path, &json!({"metadata": {"labels": {"a": "b"}}}));
    assert_eq!(
        (&labelled["metadata"]["resourceVersion"], labelled["metadata"].get("labels")),
        (&revision, None)
    );
    client.put(&format!("{path}?dryRun=All"), &scale(9)).expect(200);
    assert_eq!(client.get(path).expect(200)["spec"], json!({"replicas": 4}));

    // The versions before 1.9 have a selector for each form.
    let older = client.get("/apis/extensions/v1beta1/namespaces/a/deployments/d/scale").expect(200);
    assert_eq!(older["apiVersion"], "extensions/v1beta1");
    assert_eq!(
        older["status"],
        json!({"replicas": 0, "targetSelector": "a=1,b=2,u in (one),!v,w,x notin (y,z)"})
    );

    let controller = json!({
        "metadata": {"name": "r"},
        "spec": {"replicas": 1, "selector": {"b": "2", "a": "1"}, "template": {"spec": {"containers": []}}},
    });
    client.post("/api/v1/namespaces/a/replicationcontrollers", &controller).expect(201);
    let scale = client.get("/api/v1/namespaces/a/replicationcontrollers/r/scale").expect(200);
    assert_eq!(scale["status"], json!({"replicas": 0, "selector": "a=1,b=2"}));
}

#[test]
fn wrong_scales_are_refused() {
    let (_directory, server) = server();
    let client = server.client;
    deployment(client);
    let path = &format!("{DEPLOYMENT}/scale");
    let put = |metadata: Value, replicas: i64| {
        client.put(path, &json!({"metadata": metadata, "spec": {"replicas": replicas}}))
    };
    let modified = "Operation cannot be fulfilled on deployments.apps \"d\": the object has been modified; please apply \
                    your changes to the latest version and try again";
    refused(
        &put(json!({"name": "d"}), -1),
        422,
        "Scale.autoscaling \"d\" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0",
    );
    refused(
        &put(json!({"name": "e"}), 1),
        400,
        "the name of the object (e) does not match the name on the URL (d)",
    );
    refused(
        &put(json!({"name": "d", "namespace": "b"}), 1),
        400,
        "the namespace of the provided object does not match the namespace sent on the request",
    );
    refused(&put(json!({"name": "d", "resourceVersion": "1"}), 1), 409, modified);
    assert_eq!(put(json!({"name": "d", "uid": "x"}), 1).expect(409)["reason"], "Conflict");
    refused(
        &client.put(path, &json!({"apiVersion": "apps/v1beta1", "kind": "Scale", "metadata": {"name": "d"}})),
        400,
        "the API version in the data (apps/v1beta1) does not match the expected API version (autoscaling/v1)",
    );
    refused(
        &client.put(
            &format!("{path}?fieldValidation=Strict"),
            &json!({"metadata": {"name": "d"}, "spec": {"x": 1}}),
        ),
        400,
        "Scale in version \"v1\" cannot be handled as a Scale: strict decoding error: unknown field \"spec.x\"",
    );
    refused(&client.get(&path.replace("/d/", "/e/")), 404, "deployments.apps \"e\" not found");
    for method in ["POST", "DELETE"] {
        client.send(method, path, &[], b"{}").expect(405);
    }
    assert_eq!(client.get(path).expect(200)["spec"], json!({"replicas": 2}));
}

fn pod(client: Client, name: &str) {
    let pod = json!({
        "metadata": {"name": name, "labels": {"app": "x"}},
        "spec": {"containers": [{"name": "c", "image": "i"}], "serviceAccountName": "default"},
    });
    client.post(PODS, &pod).expect(201);
}

fn run(client: Client, name: &str, ready: &str) {
    let status = json!({"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": ready}]}});
    merge(client, &format!("{PODS}/{name}/status"), &status);
}

fn evict(client: Client, name: &str) -> Answer {
    client.post(&format!("{PODS}/{name}/eviction"), &json!({"metadata": {"name": name}}))
}

#[test]
fn a_budget_decides_about_evictions() {
    let (_directory, server) = server();
    let client = server.client;
    for name in ["free", "waiting", "blank", "ready", "broken"] {
        pod(client, name);
    }
    run(client, "free", "True");
    let done =
        json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201});
    assert_eq!(evict(client, "free").expect(201), done);
    client.get(&format!("{PODS}/free")).expect(404);

    let budget = json!({"metadata": {"name": "b"}, "spec": {"selector": {"matchLabels": {"app": "x"}}}});
    client.post("/apis/policy/v1/namespaces/a/poddisruptionbudgets", &budget).expect(201);
    run(client, "ready", "True");
    run(client, "broken", "False");
    let refusal = evict(client, "ready").expect(429);
    assert_eq!(refusal["message"], "Cannot evict pod as it would violate the pod's disruption budget.");
    let cause = |message: &str| json!([{"reason": "DisruptionBudget", "message": message}]);
    assert_eq!(
        refusal["details"],
        json!({"causes": cause("The disruption budget b is still being processed by the server."), "retryAfterSeconds": 10})
    );
    // What runs no more, or does not yet, needs no budget.
    evict(client, "waiting").expect(201);
    // Without a phase, nobody knows.
    merge(client, &format!("{PODS}/blank/status"), &json!({"status": {"phase": ""}}));
    evict(client, "blank").expect(429);

    let allow = |disruptions: i64, healthy: i64| {
        let status = json!({"observedGeneration": 1, "disruptionsAllowed": disruptions, "currentHealthy": healthy, "desiredHealthy": 1, "expectedPods": 2});
        merge(client, &format!("{BUDGET}/status"), &json!({"status": status}));
    };
    allow(0, 1);
    assert_eq!(
        evict(client, "ready").expect(429)["details"],
        json!({"causes": cause("The disruption budget b needs 1 healthy pods and has 1 currently")})
    );
    allow(-1, 1);
    refused(
        &evict(client, "ready"),
        403,
        "poddisruptionbudget.policy \"b\" is forbidden: pdb disruptions allowed is negative",
    );
    allow(1, 2);
    client
        .post(&format!("{PODS}/ready/eviction?dryRun=All"), &json!({"metadata": {"name": "ready"}}))
        .expect(201);
    assert_eq!(client.get(BUDGET).expect(200)["status"]["disruptionsAllowed"], 1);
    client.get(&format!("{PODS}/ready")).expect(200);
    evict(client, "ready").expect(201);
    let status = client.get(BUDGET).expect(200)["status"].clone();
    assert_eq!(status["disruptionsAllowed"], 0);
    assert!(status["disruptedPods"]["ready"].is_string(), "{status}");
    assert_eq!(status["conditions"][0]["reason"], "InsufficientPods");
    // A pod that is not ready does not count while enough others are.
    evict(client, "broken").expect(201);
    assert_eq!(client.get(BUDGET).expect(200)["status"], status);
}

#[test]
fn evictions_are_checked() {
    let (_directory, server) = server();
    let client = server.client;
    pod(client, "p");
    let path = &format!("{PODS}/p/eviction");
    let post = |eviction: Value| client.post(path, &eviction);
    refused(
        &post(json!({"metadata": {"name": "q"}})),
        400,
        "name in URL does not match name in Eviction object",
    );
    let precondition = json!({"metadata": {"name": "p"}, "deleteOptions": {"preconditions": {"uid": "x"}}});
    assert_eq!(post(precondition).expect(409)["reason"], "Conflict");
    refused(&evict(client, "no"), 404, "pods \"no\" not found");
    // Two budgets for one pod are not supported, as upstream.
    run(client, "p", "True");
    for name in ["b", "c"] {
        let budget = json!({"metadata": {"name": name}, "spec": {"selector": {}}});
        client.post("/apis/policy/v1/namespaces/a/poddisruptionbudgets", &budget).expect(201);
    }
    refused(
        &evict(client, "p"),
        500,
        "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    );
    for name in ["b", "c"] {
        client.delete(&BUDGET.replace("/b", &format!("/{name}"))).expect(200);
    }
    // The pod stays while it has finalizers, and tells why it goes.
    merge(client, &format!("{PODS}/p"), &json!({"metadata": {"finalizers": ["example.com/f"]}}));
    post(json!({"apiVersion": "policy/v1beta1", "kind": "Eviction", "metadata": {"name": "p"}})).expect(201);
    let pod = client.get(&format!("{PODS}/p")).expect(200);
    let conditions = pod["status"]["conditions"].as_array().unwrap();
    let disrupted =
        conditions.iter().find(|condition| condition["type"] == "DisruptionTarget").expect("a reason");
    assert_eq!(disrupted["reason"], "EvictionByEvictionAPI");
    assert!(pod["metadata"]["deletionTimestamp"].is_string());
}

#[test]
fn pods_are_bound_to_nodes() {
    let (_directory, server) = server();
    let client = server.client;
    for name in ["p", "q", "gated"] {
        pod(client, name);
    }
    let path = &format!("{PODS}/p/binding");
    let node = json!({"kind": "Node", "name": "n"});
    let post = |binding: Value| client.post(path, &binding);
    refused(
        &post(json!({"metadata": {"name": "q"}, "target": node})),
        400,
        "name in URL does not match name in Binding object",
    );
    refused(
        &post(json!({"metadata": {"name": "p"}, "target": {"kind": "Pod", "name": "n"}})),
        422,
        "Binding \"p\" is invalid: target.kind: Unsupported value: \"Pod\": supported values: \"Node\", \"<empty>\"",
    );
    post(json!({"metadata": {"name": "p", "uid": "x"}, "target": node})).expect(409);
    let metadata = json!({"name": "p", "labels": {"l": "m"}, "annotations": {"a": "b"}});
    post(json!({"metadata": metadata, "target": node})).expect(201);
    let bound = client.get(&format!("{PODS}/p")).expect(200);
    assert_eq!(bound["spec"]["nodeName"], "n");
    assert_eq!(bound["metadata"]["labels"], json!({"app": "x", "l": "m"}));
    assert_eq!(bound["metadata"]["annotations"], json!({"a": "b"}));
    assert_eq!(bound["metadata"]["generation"], 1);
    let condition = &bound["status"]["conditions"][0];
    assert_eq!((&condition["type"], &condition["status"]), (&json!("PodScheduled"), &json!("True")));
    refused(
        &post(json!({"metadata": {"name": "p"}, "target": node})),
        409,
        "Operation cannot be fulfilled on pods/binding \"p\": pod p is already assigned to node \"n\"",
    );
    // The path of older schedulers.
    client
        .post("/api/v1/namespaces/a/bindings", &json!({"metadata": {"name": "q"}, "target": node}))
        .expect(201);
    assert_eq!(client.get(&format!("{PODS}/q")).expect(200)["spec"]["nodeName"], "n");
    let gates = json!({"spec": {"schedulingGates": [{"name": "example.com/g"}]}});
    merge(client, &format!("{PODS}/gated"), &gates);
    let binding = json!({"metadata": {"name": "gated"}, "target": node});
    refused(
        &client.post(&format!("{PODS}/gated/binding"), &binding),
        409,
        "Operation cannot be fulfilled on pods/binding \"gated\": pod gated has non-empty .spec.schedulingGates",
    );
}

#[test]
fn service_accounts_get_tokens_that_the_server_knows() {
    let (_directory, server) = server();
    let client = server.client;
    let account = client.post(ACCOUNTS, &json!({"metadata": {"name": "default"}})).expect(201);
    pod(client, "p");
    let path = &format!("{ACCOUNTS}/default/token");
    let ask = |request: Value| client.post(path, &request);
    let request = ask(json!({})).expect(201);
    assert_eq!(request["metadata"]["uid"], account["metadata"]["uid"]);
    assert_eq!(
        request["spec"],
        json!({"audiences": ["https://kubernetes.default.svc.cluster.local"], "expirationSeconds": 3600, "boundObjectRef": null})
    );
    let token = request["status"]["token"].as_str().expect("a token");
    let review = |spec: Value| {
        let answer = client.post("/apis/authentication.k8s.io/v1/tokenreviews", &json!({"spec": spec}));
        answer.expect(201)["status"].clone()
    };
    let status = review(json!({"token": token}));
    assert_eq!(
        (&status["authenticated"], &status["user"]["uid"]),
        (&json!(true), &account["metadata"]["uid"])
    );
    assert_eq!(status["user"]["username"], "system:serviceaccount:a:default");
    assert_eq!(status["audiences"], json!(["https://kubernetes.default.svc.cluster.local"]));
    let bearer = format!("Bearer {token}");
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    let me =
        client.send("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", &headers, b"{}").expect(201);
    assert_eq!(me["status"]["userInfo"]["username"], "system:serviceaccount:a:default");
    assert_eq!(
        me["status"]["userInfo"]["groups"],
        json!(["system:serviceaccounts", "system:serviceaccounts:a", "system:authenticated"])
    );

    let bound = ask(
        json!({"spec": {"audiences": ["x"], "boundObjectRef": {"kind": "Pod", "apiVersion": "v1", "name": "p"}}}),
    );
    let token = bound.expect(201)["status"]["token"].as_str().expect("a token").to_owned();
    assert_eq!(review(json!({"token": token}))["error"], "invalid bearer token");
    assert_eq!(review(json!({"token": token, "audiences": ["x", "y"]}))["audiences"], json!(["x"]));

    for (request, code, message) in [
        (
            json!({"spec": {"expirationSeconds": 599}}),
            422,
            "TokenRequest.authentication.k8s.io \"\" is invalid: spec.expirationSeconds: Invalid value: 599: may not \
             specify a duration less than 10 minutes",
        ),
        (
            json!({"spec": {"expirationSeconds": 4_294_967_297_i64}}),
            422,
            "TokenRequest.authentication.k8s.io \"\" is invalid: spec.expirationSeconds: Invalid value: 4294967297: may \
             not specify a duration larger than 2^32 seconds",
        ),
        (
            json!({"metadata": {"name": "x"}}),
            422,
            "TokenRequest.authentication.k8s.io \"default\" is invalid: metadata.name: Invalid value: \"x\": must match \
             the service account name if specified",
        ),
        (
            json!({"metadata": {"namespace": "x"}}),
            400,
            "the namespace of the provided object does not match the namespace sent on the request",
        ),
        (
            json!({"spec": {"boundObjectRef": {"kind": "ConfigMap", "apiVersion": "v1", "name": "c"}}}),
            400,
            "cannot bind token to object of type /v1, Kind=ConfigMap",
        ),
        (
            json!({"spec": {"boundObjectRef": {"kind": "Pod", "apiVersion": "v1", "name": "no"}}}),
            404,
            "pods \"no\" not found",
        ),
    ] {
        refused(&ask(request), code, message);
    }
}

#[test]
fn tokens_are_valid_after_a_restart() {
    let directory = tempfile::tempdir().expect("a folder");
    let server = Process::start(directory.path(), "");
    server.client.post(ACCOUNTS, &json!({"metadata": {"name": "default"}})).expect(201);
    let request = server.client.post(&format!("{ACCOUNTS}/default/token"), &json!({})).expect(201);
    drop(server);
    let server = Process::start(directory.path(), "");
    let review = json!({"spec": {"token": request["status"]["token"]}});
    let answer = server.client.post("/apis/authentication.k8s.io/v1/tokenreviews", &review).expect(201);
    assert_eq!(answer["status"]["authenticated"], true);
}

#[test]
fn a_namespace_is_kept_by_the_finalizers_of_its_spec() {
    let (_directory, server) = server();
    let client = server.client;
    let path = "/api/v1/namespaces/n";
    client.post("/api/v1/namespaces", &json!({"metadata": {"name": "n"}})).expect(201);
    let finalizers =
        |finalizers: Value| json!({"metadata": {"name": "n"}, "spec": {"finalizers": finalizers}});
    let finalized = client.put(&format!("{path}/finalize"), &finalizers(json!(["kubernetes"]))).expect(200);
    assert_eq!(finalized["spec"], json!({"finalizers": ["kubernetes"]}));
    // An update leaves them as they are.
    assert_eq!(
        client.put(path, &finalizers(json!([]))).expect(200)["spec"],
        json!({"finalizers": ["kubernetes"]})
    );
    assert!(client.delete(path).expect(200)["metadata"]["deletionTimestamp"].is_string());
    client.put(&format!("{path}/finalize"), &finalizers(json!([]))).expect(200);
    client.get(path).expect(404);
    client.get(&format!("{path}/finalize")).expect(405);
}

#[test]
fn parts_of_an_object_change_nothing_else() {
    let (_directory, server) = server();
    let client = server.client;
    let requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
    let spec = json!({"request": "YQ==", "signerName": "example.com/s", "usages": ["any"]});
    client.post(requests, &json!({"metadata": {"name": "r"}, "spec": spec})).expect(201);
    let condition = json!({"type": "Approved", "status": "True", "reason": "Because"});
    let approval = json!({
        "metadata": {"name": "r", "labels": {"a": "b"}},
        "spec": {"request": "Yg==", "signerName": "example.com/s", "usages": ["any"]},
        "status": {"conditions": [condition], "certificate": "Yw=="},
    });
    let approved = client.put(&format!("{requests}/r/approval"), &approval).expect(200);
    assert_eq!(approved["spec"]["request"], "YQ==");
    assert_eq!(approved["status"]["conditions"][0]["reason"], "Because");
    assert_eq!((approved["status"].get("certificate"), approved["metadata"].get("labels")), (None, None));

    pod(client, "p");
    let added = json!([{"name": "debug", "image": "i"}]);
    let change =
        json!({"metadata": {"labels": {"l": "m"}}, "spec": {"ephemeralContainers": added, "nodeName": "n"}});
    let changed = merge(client, &format!("{PODS}/p/ephemeralcontainers"), &change);
    assert_eq!(changed["spec"]["ephemeralContainers"][0]["name"], "debug");
    assert_eq!(
        (changed["spec"].get("nodeName"), &changed["metadata"]["labels"]),
        (None, &json!({"app": "x"}))
    );

    let resources = json!({"requests": {"cpu": "2"}});
    let change = json!({"spec": {"containers": [{"name": "c", "image": "other", "resources": resources}]}});
    let format = "application/strategic-merge-patch+json";
    let resized = patch(client, &format!("{PODS}/p/resize"), format, &change).expect(200);
    assert_eq!(resized["spec"]["containers"][0]["resources"], resources);
    assert_eq!(resized["spec"]["containers"][0]["image"], "i");
}

#[test]
fn what_needs_a_node_is_not_implemented() {
    let (_directory, server) = server();
    let client = server.client;
    for (method, path) in [
        ("GET", "pods/p/log?follow=true"),
        ("POST", "pods/p/exec?command=ls"),
        ("GET", "pods/p/attach"),
        ("POST", "pods/p/portforward"),
        ("GET", "pods/p/proxy/some/path"),
        ("GET", "services/s/proxy/"),
    ] {
        let status = client.send(method, &format!("/api/v1/namespaces/a/{path}"), &[], b"").expect(501);
        assert_eq!(status["reason"], "NotImplemented", "{path}");
    }
    client.get("/api/v1/nodes/n/proxy/metrics").expect(501);
    client.get("/api/v1/namespaces/a/pods/p/nothing").expect(404);
}
