//! What servers begin with.

use hubgen_test_server::TestServer;
use serde_json::json;

use crate::api::{Api, MAPS, THINGS, definition, names, thing};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn manifests_are_created_and_definitions_come_first() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("z.json"), definition().to_string()).unwrap();
    let server = TestServer::builder()
        .object({
            let mut thing = thing("a");
            thing["metadata"]["namespace"] = "default".into();
            thing
        })
        .manifest_files(folder.path())
        .manifests("{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}}")
        .start()
        .await
        .unwrap();
    let api = Api::of(&server);
    assert_eq!(api.get(&format!("{THINGS}/a")).1["spec"], json!({"size": 3}));
    assert_eq!(names(&api.get(MAPS).1), ["a"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_state_stays_as_it_is() {
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {
            "name": "web", "namespace": "default", "uid": "9d6ac3a5-3c7d-4a5f-9c06-1a2b3c4d5e6f",
            "creationTimestamp": "2020-02-02T02:02:02Z", "generation": 7, "resourceVersion": "4711",
        },
        "spec": {
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "web", "image": "web:1"}]},
            },
        },
        "status": {"observedGeneration": 7, "replicas": 1, "readyReplicas": 1},
    });
    let mut thing = thing("a");
    thing["metadata"]["namespace"] = "default".into();
    let list = json!({"apiVersion": "v1", "kind": "List", "items": [deployment, thing, definition()]});
    let server = TestServer::builder().state(&list.to_string()).start().await.unwrap();
    let api = Api::of(&server);
    let (_, found) = api.get("/apis/apps/v1/namespaces/default/deployments/web");
    for key in ["uid", "creationTimestamp", "generation"] {
        assert_eq!(found["metadata"][key], deployment["metadata"][key]);
    }
    assert_ne!(found["metadata"]["resourceVersion"], "4711");
    assert_eq!(found["status"], deployment["status"]);
    assert_eq!(found["spec"]["replicas"], 1, "defaults are set");
    let (_, thing) = api.get(&format!("{THINGS}/a"));
    assert!(
        thing["metadata"]["uid"].is_string() && thing["metadata"]["creationTimestamp"].is_string(),
        "{thing}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_server_makes_is_not_in_the_way_of_a_state() {
    let uid = "9d6ac3a5-3c7d-4a5f-9c06-1a2b3c4d5e6f";
    let object = |kind: &str, name: &str, namespace: Option<&str>| {
        let mut object = json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": name, "uid": uid, "labels": {"of": "state"}}});
        object["metadata"]["namespace"] = namespace.into();
        object.to_string()
    };
    let made = [
        ("Namespace", "default", None, "/api/v1/namespaces/default"),
        ("Service", "kubernetes", Some("default"), "/api/v1/namespaces/default/services/kubernetes"),
        ("ServiceAccount", "default", Some("default"), "/api/v1/namespaces/default/serviceaccounts/default"),
    ];
    let mut builder = TestServer::builder();
    for (kind, name, namespace, _) in made {
        builder = builder.state(&object(kind, name, namespace));
    }
    let server = builder.start().await.unwrap();
    server.settled().await;
    for (.., path) in made {
        let (_, found) = Api::of(&server).get(path);
        assert_eq!(
            (&found["metadata"]["uid"], &found["metadata"]["labels"]["of"]),
            (&json!(uid), &json!("state")),
            "{path}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_service_of_the_server_is_there() {
    let server = TestServer::start().await.unwrap();
    let api = Api::of(&server);
    let path = "/api/v1/namespaces/default/services/kubernetes";
    let (_, found) = api.get(path);
    let port: u16 = server.url().rsplit(':').next().unwrap().parse().unwrap();
    assert_eq!(found["spec"]["ports"][0]["targetPort"], port);
    assert_eq!(found["spec"]["clusterIP"], "10.0.0.1");
    api.delete(path);
    server.settled().await;
    let (_, again) = api.get(path);
    assert_ne!(again["metadata"]["uid"], found["metadata"]["uid"]);
    assert_eq!(names(&api.get("/api/v1/services").1), ["kubernetes"], "no other namespace has one");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_pod_is_pending() {
    let server = TestServer::start().await.unwrap();
    let api = Api::of(&server);
    let pods = "/api/v1/namespaces/default/pods";
    let pod = |name: &str, gates: serde_json::Value| {
        json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
            "spec": {
                "schedulingGates": gates,
                "containers": [{"name": "a", "image": "a", "resources": {"requests": {"cpu": "1"}}}],
            },
            "status": {"phase": "Running"},
        })
    };
    let (_, made) = api.post(pods, &pod("a", json!([])));
    assert_eq!(made["status"], json!({"phase": "Pending", "qosClass": "Burstable"}));
    assert_eq!(api.get(&format!("{pods}/a")).1["status"], made["status"]);
    let (_, made) = api.post(pods, &pod("b", json!([{"name": "example.com/later"}])));
    assert_eq!(made["status"]["conditions"][0]["reason"], "SchedulingGated");
    assert!(made["status"]["conditions"][0]["lastTransitionTime"].is_string());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_served_and_stored_is_chosen() {
    let server = TestServer::builder()
        .emulated_version("1.20")
        .runtime_config("apps/v1=false")
        .storage_versions("autoscaling/v1")
        .start()
        .await
        .unwrap();
    let api = Api::of(&server);
    assert_eq!(api.get("/apis/batch/v1beta1").0, 200);
    assert_eq!(api.get("/apis/apps/v1").0, 404);
    assert_eq!(api.get("/version").1["minor"], "20");
}

#[tokio::test]
async fn mistakes_are_told() {
    let error = |builder: hubgen_test_server::Builder| async {
        builder.start().await.err().expect("an error").to_string()
    };
    let builder = TestServer::builder;
    assert_eq!(
        error(builder().emulated_version("1.2")).await,
        "emulated_version: the archive has no release 1.2"
    );
    assert!(error(builder().emulated_version("new")).await.starts_with("emulated_version: "));
    assert!(error(builder().runtime_config("a/b/c/d")).await.starts_with("runtime_config: a/b/c/d: "));
    assert!(error(builder().storage_versions("x/y/z")).await.starts_with("storage_versions: "));
    assert!(error(builder().manifest_files("no/such/file")).await.starts_with("no/such/file: "));
    assert!(error(builder().manifests("{kind: Pod}")).await.starts_with("manifests: expected an object"));
    let unknown = error(builder().manifests("{apiVersion: v1, kind: Nothing, metadata: {name: a}}")).await;
    assert!(unknown.contains("there is no kind Nothing of v1"), "{unknown}");
    let invalid = "{apiVersion: v1, kind: ConfigMap, metadata: {name: A_B, namespace: default}}";
    let invalid = error(builder().manifests(invalid)).await;
    assert!(invalid.contains("ConfigMap \"A_B\" is invalid"), "{invalid}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_scheme_takes_the_place_of_kubernetes() {
    let mut scheme = hubgen_machinery::scheme::Scheme::new();
    hubgen_coordination::register(&mut scheme);
    let server = TestServer::builder().scheme(scheme).start().await.unwrap();
    let api = Api::of(&server);
    assert_eq!(api.get("/apis/coordination.k8s.io/v1/leases").0, 200);
    assert_eq!(api.get(MAPS).0, 404);
    let snapshot = server.snapshot().await.unwrap();
    let lease = json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "a"}});
    let leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
    assert_eq!(api.post(leases, &lease).0, 201);
    server.restore(&snapshot).await.unwrap();
    assert_eq!(names(&api.get(leases).1), [""; 0]);
}
