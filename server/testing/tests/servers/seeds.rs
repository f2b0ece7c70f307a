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
