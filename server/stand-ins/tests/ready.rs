//! Objects become what tests wait for, on a real server.

use std::sync::Arc;

use hubgen_server::loops::Loops;
use hubgen_server::store::{Embedded, Options};
use hubgen_server::{Server, Settings};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

/// A server with all stand-ins.
struct Running {
    url: String,
    loops: Loops,
    runtime: Runtime,
}

impl Running {
    fn start() -> Self {
        let runtime = Runtime::new().unwrap();
        let (url, loops) = runtime.block_on(async {
            let store = Arc::new(Embedded::in_memory(Options::default()).unwrap());
            let mut settings = Settings::new(Arc::new(hubgen_kubernetes::scheme()), store);
            settings.loops.stand_ins = hubgen_stand_ins::all();
            let server = Server::bind(0, settings).await.unwrap();
            let (url, loops) = (format!("http://{}", server.address()), server.loops());
            tokio::spawn(server.run(std::future::pending()));
            (url, loops)
        });
        Self { url, loops, runtime }
    }

    fn send(&self, method: &str, path: &str, body: &Value) -> Value {
        let request = ureq::http::Request::builder().method(method).uri(format!("{}{path}", self.url));
        let request = request.header("Content-Type", "application/json").body(body.to_string()).unwrap();
        let mut answer = ureq::run(request).unwrap();
        serde_json::from_str(&answer.body_mut().read_to_string().unwrap()).unwrap()
    }

    /// Creates an object, and reads it when nothing is left to be done.
    fn create(&self, path: &str, body: &Value) -> Value {
        self.send("POST", path, body);
        self.read(&format!("{path}/{}", body["metadata"]["name"].as_str().unwrap()))
    }

    fn read(&self, path: &str) -> Value {
        self.runtime.block_on(self.loops.settled());
        let answer = ureq::get(format!("{}{path}", self.url)).call().unwrap().body_mut().read_to_string();
        serde_json::from_str(&answer.unwrap()).unwrap()
    }
}

fn template() -> Value {
    let ports = json!([{"name": "web", "containerPort": 8080}]);
    json!({
        "metadata": {"labels": {"app": "a"}},
        "spec": {"containers": [{"name": "c", "image": "i", "ports": ports}]},
    })
}

fn holds(object: &Value, ty: &str) -> bool {
    let conditions = object["status"]["conditions"].as_array().unwrap();
    conditions.iter().any(|condition| condition["type"] == ty && condition["status"] == "True")
}

#[test]
fn workloads_are_ready() {
    let server = Running::start();
    let spec = json!({"replicas": 3, "selector": {"matchLabels": {"app": "a"}}, "template": template(), "serviceName": "a"});
    let of = |kind: &str| {
        let mut spec = spec.clone();
        if kind != "StatefulSet" {
            spec.as_object_mut().unwrap().remove("serviceName");
        }
        json!({"metadata": {"name": "a"}, "spec": spec})
    };
    let path = |plural: &str| format!("/apis/apps/v1/namespaces/default/{plural}");
    let deployment = server.create(&path("deployments"), &of("Deployment"));
    let status = &deployment["status"];
    for name in ["replicas", "updatedReplicas", "readyReplicas", "availableReplicas"] {
        assert_eq!(status[name], 3, "{name}: {deployment}");
    }
    assert_eq!(status["observedGeneration"], 1);
    assert!(holds(&deployment, "Available") && holds(&deployment, "Progressing"), "{deployment}");
    let set = server.create(&path("statefulsets"), &of("StatefulSet"));
    assert_eq!(
        (&set["status"]["readyReplicas"], &set["status"]["availableReplicas"]),
        (&json!(3), &json!(3))
    );
    assert_eq!(set["status"]["currentRevision"], set["status"]["updateRevision"]);
    let set = server.create(&path("replicasets"), &of("ReplicaSet"));
    assert_eq!(set["status"]["fullyLabeledReplicas"], 3);
    let set = server.create(
        &path("daemonsets"),
        &json!({"metadata": {"name": "a"}, "spec": {
            "selector": {"matchLabels": {"app": "a"}}, "template": template(),
        }}),
    );
    assert_eq!(
        (&set["status"]["desiredNumberScheduled"], &set["status"]["numberReady"]),
        (&json!(1), &json!(1))
    );

    // A change is followed, and then nothing is written any more.
    let mut changed = deployment.clone();
    changed["spec"]["replicas"] = 0.into();
    let path = format!("{}/a", path("deployments"));
    server.send("PUT", &path, &changed);
    let after = server.read(&path);
    assert_eq!(after["status"]["observedGeneration"], 2);
    assert!(after["status"].get("readyReplicas").is_none(), "{after}");
    let since = |object: &Value| object["status"]["conditions"][0]["lastTransitionTime"].clone();
    assert_eq!(since(&after), since(&deployment));
    assert_eq!(server.read(&path)["metadata"]["resourceVersion"], after["metadata"]["resourceVersion"]);
}

#[test]
fn jobs_succeed_unless_they_are_suspended() {
    let server = Running::start();
    let mut template = template();
    template["spec"]["restartPolicy"] = "Never".into();
    let path = "/apis/batch/v1/namespaces/default/jobs";
    let spec = json!({"template": template, "completions": 3, "completionMode": "Indexed"});
    let job = server.create(path, &json!({"metadata": {"name": "a"}, "spec": spec}));
    assert!(holds(&job, "Complete"), "{job}");
    assert_eq!((&job["status"]["succeeded"], &job["status"]["completedIndexes"]), (&json!(3), &json!("0-2")));
    let spec = json!({"template": spec["template"], "suspend": true});
    let job = server.create(path, &json!({"metadata": {"name": "b"}, "spec": spec}));
    assert!(holds(&job, "Suspended") && job["status"].get("succeeded").is_none(), "{job}");
}

#[test]
fn claims_are_bound() {
    let server = Running::start();
    let spec = json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}});
    let path = "/api/v1/namespaces/default/persistentvolumeclaims";
    let claim = server.create(path, &json!({"metadata": {"name": "a"}, "spec": spec}));
    let wanted = json!({"phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}});
    assert_eq!(claim["status"], wanted);
}

#[test]
fn services_have_the_pods_that_run() {
    let server = Running::start();
    let [services, pods] = ["services", "pods"].map(|plural| format!("/api/v1/namespaces/default/{plural}"));
    let ports = json!([{"name": "http", "port": 80, "targetPort": "web"}]);
    server.create(
        &services,
        &json!({"metadata": {"name": "s"}, "spec": {"selector": {"app": "a"}, "ports": ports}}),
    );
    let mut pod = template();
    pod["metadata"]["name"] = "p".into();
    let pod = server.create(&pods, &pod);
    assert_eq!(pod["status"]["phase"], "Running");
    assert!(holds(&pod, "Ready") && pod["status"]["containerStatuses"][0]["ready"] == true, "{pod}");

    let endpoints = server.read("/api/v1/namespaces/default/endpoints/s");
    let subset = &endpoints["subsets"][0];
    assert_eq!(subset["addresses"][0]["ip"], pod["status"]["podIP"]);
    assert_eq!(subset["ports"], json!([{"name": "http", "port": 8080, "protocol": "TCP"}]));
    let slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
    let slice = server.read(slices)["items"][0].clone();
    assert_eq!(slice["endpoints"][0]["addresses"], json!([pod["status"]["podIP"]]));
    assert_eq!(slice["endpoints"][0]["conditions"]["ready"], true);

    server.send("DELETE", &format!("{pods}/p"), &json!({}));
    assert!(server.read("/api/v1/namespaces/default/endpoints/s").get("subsets").is_none());
    server.send("DELETE", &format!("{services}/s"), &json!({}));
    assert_eq!(server.read("/api/v1/namespaces/default/endpoints")["items"], json!([]));
    assert_eq!(server.read(slices)["items"], json!([]));
}
