//! Objects become what tests wait for, on a real server.

use std::time::Duration;

use hubgen_test_server::TestServer;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

/// A server with all stand-ins.
struct Running {
    server: TestServer,
    runtime: Runtime,
}

impl Running {
    fn start() -> Self {
        Self::start_with("*")
    }

    fn start_with(stand_ins: &str) -> Self {
        let runtime = Runtime::new().unwrap();
        let stand_ins = hubgen_stand_ins::named(stand_ins).unwrap();
        let builder = TestServer::builder().time("2030-01-01T00:00:30Z".parse().unwrap());
        let builder = builder.settings(move |settings| settings.loops.stand_ins.clone_from(&stand_ins));
        let server = runtime.block_on(builder.start()).unwrap();
        Self { server, runtime }
    }

    fn send(&self, method: &str, path: &str, body: &Value) -> Value {
        let request =
            ureq::http::Request::builder().method(method).uri(format!("{}{path}", self.server.url()));
        let request = request.header("Content-Type", "application/json").body(body.to_string()).unwrap();
        let mut answer = ureq::run(request).unwrap();
        serde_json::from_str(&answer.body_mut().read_to_string().unwrap()).unwrap()
    }

    /// Creates an object, and reads it when nothing is left to be done.
    fn create(&self, path: &str, body: &Value) -> Value {
        self.send("POST", path, body);
        self.read(&format!("{path}/{}", body["metadata"]["name"].as_str().unwrap()))
    }

    /// Moves the clock, and waits until nothing is left to be done.
    fn advance(&self, seconds: u64) {
        self.server.clock().advance(Duration::from_secs(seconds));
        self.runtime.block_on(self.server.settled());
    }

    fn read(&self, path: &str) -> Value {
        self.runtime.block_on(self.server.settled());
        let answer =
            ureq::get(format!("{}{path}", self.server.url())).call().unwrap().body_mut().read_to_string();
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

const CRON_JOBS: &str = "/apis/batch/v1/namespaces/default/cronjobs";
const JOBS: &str = "/apis/batch/v1/namespaces/default/jobs";

fn cron_job(schedule: &str) -> Value {
    let mut template = template();
    template["spec"]["restartPolicy"] = "Never".into();
    let job = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"template": template}});
    json!({"metadata": {"name": "c"}, "spec": {"schedule": schedule, "jobTemplate": job}})
}

/// The names of the objects of a list.
fn names(list: &Value) -> Vec<String> {
    let items = list["items"].as_array().unwrap();
    items.iter().map(|item| item["metadata"]["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn cron_jobs_make_jobs_when_they_are_due() {
    let server = Running::start();
    let before = server.create(CRON_JOBS, &cron_job("*/10 * * * *"));
    assert!(before["status"].get("lastScheduleTime").is_none(), "{before}");
    assert_eq!(names(&server.read(JOBS)), [""; 0]);

    server.advance(600);
    let jobs = server.read(JOBS);
    // The name tells for which minute it is.
    assert_eq!(names(&jobs), ["c-31557610"]);
    let job = &jobs["items"][0];
    assert!(holds(job, "Complete"), "{job}");
    let metadata = &job["metadata"];
    assert_eq!(
        (&metadata["labels"]["a"], &metadata["ownerReferences"][0]["name"]),
        (&json!("b"), &json!("c"))
    );
    let due = &metadata["annotations"]["batch.kubernetes.io/cronjob-scheduled-timestamp"];
    assert_eq!(*due, "2030-01-01T00:10:00Z");
    let after = server.read(&format!("{CRON_JOBS}/c"));
    let status =
        json!({"lastScheduleTime": "2030-01-01T00:10:00Z", "lastSuccessfulTime": "2030-01-01T00:10:30Z"});
    assert_eq!(after["status"], status);

    // Of many, there is only the last, and three are kept.
    server.advance(24 * 3600);
    assert_eq!(names(&server.read(JOBS)), ["c-31557610", "c-31559050"]);
    for _ in 0..4 {
        server.advance(600);
    }
    assert_eq!(names(&server.read(JOBS)), ["c-31559070", "c-31559080", "c-31559090"]);

    // Suspended, nothing is made any more.
    let path = format!("{CRON_JOBS}/c");
    let mut suspended = server.read(&path);
    suspended["spec"]["suspend"] = true.into();
    server.send("PUT", &path, &suspended);
    server.advance(600);
    assert_eq!(names(&server.read(JOBS)).len(), 3);
    server.send("DELETE", &path, &json!({"propagationPolicy": "Background"}));
    assert_eq!(names(&server.read(JOBS)), [""; 0]);
}

#[test]
fn cron_jobs_wait_for_jobs_or_replace_them() {
    let server = Running::start_with("cronjobs");
    for (policy, left) in [
        ("Forbid", vec!["c-31557601"]),
        ("Replace", vec!["c-31557602"]),
        ("Allow", vec!["c-31557601", "c-31557602"]),
    ] {
        server.server.clock().set("2030-01-01T00:00:30Z".parse().unwrap());
        let mut object = cron_job("* * * * *");
        object["spec"]["concurrencyPolicy"] = policy.into();
        server.create(CRON_JOBS, &object);
        for _ in 0..2 {
            server.advance(60);
        }
        assert_eq!(names(&server.read(JOBS)), left, "{policy}");
        let path = format!("{CRON_JOBS}/c");
        let active = server.read(&path)["status"]["active"].clone();
        let active: Vec<&str> =
            active.as_array().unwrap().iter().map(|job| job["name"].as_str().unwrap()).collect();
        assert_eq!(active, left, "{policy}");
        server.send("DELETE", &path, &json!({"propagationPolicy": "Background"}));
        assert_eq!(names(&server.read(JOBS)), [""; 0]);
    }
}

#[test]
fn a_wrong_schedule_is_told_in_an_event() {
    let server = Running::start();
    server.create(CRON_JOBS, &cron_job("* * * 13 *"));
    let events = server.read("/api/v1/namespaces/default/events");
    let event = &events["items"][0];
    assert_eq!(
        (&event["reason"], &event["involvedObject"]["name"]),
        (&json!("UnparseableSchedule"), &json!("c"))
    );
    let message = event["message"].as_str().unwrap();
    assert!(message.contains("expected *, or numbers from 1 to 12"), "{message}");
}
