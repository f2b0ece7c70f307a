//! The usual explanation of the API server, as a test of the real process: an object is written at one version, stored
//! at another and read at all versions, for all choices of storage versions, and across a `kill -9`.
#![cfg(unix)]

use serde_json::{Value, json};

use crate::client::Client;
use crate::process::Process;

/// An object, and the versions of its kind.
#[derive(Clone, Copy)]
struct Story {
    plural: &'static str,
    name: &'static str,
    versions: &'static [&'static str],
}

impl Story {
    fn collection(self, version: &str) -> String {
        format!("/apis/{version}/namespaces/default/{}", self.plural)
    }

    fn create(self, client: Client, version: &str, body: &Value) -> Value {
        client.post(&self.collection(version), body).expect(201)
    }

    fn read(self, client: Client, version: &str) -> Value {
        let object = client.get(&format!("{}/{}", self.collection(version), self.name)).expect(200);
        assert_eq!(object["apiVersion"], version);
        object
    }

    fn write(self, client: Client, version: &str, body: &Value) -> Value {
        client.put(&format!("{}/{}", self.collection(version), self.name), body).expect(200)
    }

    fn delete(self, client: Client, version: &str) {
        client.delete(&format!("{}/{}", self.collection(version), self.name)).expect(200);
        for version in self.versions {
            assert_eq!(client.get(&format!("{}/{}", self.collection(version), self.name)).code, 404);
        }
    }

    fn read_all(self, client: Client) -> Vec<Value> {
        self.versions.iter().map(|version| self.read(client, version)).collect()
    }

    /// Restarts the server with each choice of storage versions, alternately after a `kill -9` and after SIGTERM. The
    /// responses must stay the same, before and after the object is rewritten at the new storage version. Each choice
    /// must change the storage version.
    fn restart(self, mut server: Process, data_dir: &std::path::Path, choices: &[&str]) -> Process {
        let mut before = self.read_all(server.client);
        for (turn, choice) in choices.iter().enumerate() {
            if turn % 2 == 0 {
                drop(server);
            } else {
                assert!(server.stop("-TERM").success());
            }
            server = Process::start(data_dir, choice);
            assert_eq!(self.read_all(server.client), before, "--storage-versions {choice}");
            // Write the object back, so that it is stored at the new version.
            let version = self.versions[turn % self.versions.len()];
            let object = self.read(server.client, version);
            let written = self.write(server.client, version, &object);
            assert_ne!(
                written["metadata"]["resourceVersion"], object["metadata"]["resourceVersion"],
                "{choice}"
            );
            let after = self.read_all(server.client);
            assert_eq!(without_revision(&after), without_revision(&before), "--storage-versions {choice}");
            before = after;
        }
        server
    }
}

fn without_revision(objects: &[Value]) -> Vec<Value> {
    let mut objects = objects.to_vec();
    for object in &mut objects {
        object["metadata"].as_object_mut().expect("every object has metadata").remove("resourceVersion");
    }
    objects
}

fn without_annotations(mut object: Value) -> Value {
    object["metadata"].as_object_mut().expect("every object has metadata").remove("annotations");
    object
}

const AUTOSCALER: Story = Story {
    plural: "horizontalpodautoscalers",
    name: "rcex",
    versions: &[
        "extensions/v1beta1",
        "autoscaling/v1",
        "autoscaling/v2alpha1",
        "autoscaling/v2beta1",
        "autoscaling/v2beta2",
        "autoscaling/v2",
    ],
};

#[test]
fn an_autoscaler() {
    let directory = tempfile::tempdir().unwrap();
    let server = Process::start(directory.path(), "");
    let client = server.client;
    let created = AUTOSCALER.create(
        client,
        "extensions/v1beta1",
        &json!({
            "apiVersion": "extensions/v1beta1",
            "kind": "HorizontalPodAutoscaler",
            "metadata": {"name": "rcex"},
            "spec": {
                "scaleRef": {"kind": "ReplicationController", "name": "rcex", "apiVersion": "v1", "subresource": "scale"},
                "minReplicas": 2,
                "maxReplicas": 5,
                "cpuUtilization": {"targetPercentage": 80},
            },
        }),
    );
    assert_eq!(created["spec"]["scaleRef"]["subresource"], "scale");
    assert!(created["metadata"].get("annotations").is_none(), "{created}");

    let v1 = AUTOSCALER.read(client, "autoscaling/v1");
    let target = json!({"kind": "ReplicationController", "name": "rcex", "apiVersion": "v1"});
    assert_eq!(
        v1["spec"],
        json!({"scaleTargetRef": target, "minReplicas": 2, "maxReplicas": 5, "targetCPUUtilizationPercentage": 80})
    );
    let mut v2 = AUTOSCALER.read(client, "autoscaling/v2");
    let cpu = json!({"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}});
    assert_eq!(
        v2["spec"],
        json!({"scaleTargetRef": target, "minReplicas": 2, "maxReplicas": 5, "metrics": [cpu]})
    );

    // At v2: add a memory metric before cpu, and a behavior.
    let memory = json!({"type": "Resource", "resource": {"name": "memory", "target": {"type": "AverageValue", "averageValue": "500Mi"}}});
    let mut behavior = json!({"scaleDown": {"stabilizationWindowSeconds": 60, "selectPolicy": "Min",
        "policies": [{"type": "Pods", "value": 4, "periodSeconds": 30}]}});
    v2["spec"]["metrics"] = json!([memory, cpu]);
    v2["spec"]["behavior"] = behavior.clone();
    let v2 = AUTOSCALER.write(client, "autoscaling/v2", &v2);
    assert_eq!(v2["metadata"].get("annotations"), None, "{v2}");
    // With a behavior, v2 defaults both directions.
    behavior["scaleUp"] = json!({"stabilizationWindowSeconds": 0, "selectPolicy": "Max", "policies": [
        {"type": "Pods", "value": 4, "periodSeconds": 15}, {"type": "Percent", "value": 100, "periodSeconds": 15}]});
    assert_eq!(v2["spec"]["behavior"], behavior);

    // At extensions/v1beta1, which has neither field: change maxReplicas and write the object back.
    let mut old = AUTOSCALER.read(client, "extensions/v1beta1");
    assert_eq!(old["spec"]["cpuUtilization"], json!({"targetPercentage": 80}));
    assert!(old["spec"].get("metrics").is_none() && old["spec"].get("behavior").is_none(), "{old}");
    old["spec"]["maxReplicas"] = json!(7);
    let old = AUTOSCALER.write(client, "extensions/v1beta1", &old);
    let v2 = AUTOSCALER.read(client, "autoscaling/v2");
    assert_eq!(
        v2["spec"],
        json!({"scaleTargetRef": target, "minReplicas": 2, "maxReplicas": 7, "metrics": [memory, cpu], "behavior": behavior})
    );

    // The object is the same at every version, whatever the storage version.
    let server = AUTOSCALER.restart(
        server,
        directory.path(),
        &[
            "autoscaling/v1",
            "autoscaling/v2",
            "extensions/v1beta1",
            "autoscaling/v2beta1",
            "autoscaling=extensions/v1beta1",
            "autoscaling/v2beta2",
            "autoscaling/v2alpha1",
            "",
        ],
    );
    let client = server.client;

    // At extensions/v1beta1, write without the annotations: their content is dropped.
    let mut old = without_annotations(old);
    old["metadata"]["resourceVersion"] = Value::Null;
    let old = AUTOSCALER.write(client, "extensions/v1beta1", &old);
    let v2 = AUTOSCALER.read(client, "autoscaling/v2");
    assert_eq!(
        v2["spec"],
        json!({"scaleTargetRef": target, "minReplicas": 2, "maxReplicas": 7, "metrics": [cpu]})
    );
    assert!(old["metadata"].get("annotations").is_none(), "{old}");

    let server = AUTOSCALER.restart(server, directory.path(), &["autoscaling/v1", "autoscaling/v2"]);
    AUTOSCALER.delete(server.client, "autoscaling/v2beta1");
}

const INGRESS: Story = Story {
    plural: "ingresses",
    name: "web",
    versions: &["extensions/v1beta1", "networking.k8s.io/v1beta1", "networking.k8s.io/v1"],
};

#[test]
fn an_ingress() {
    let directory = tempfile::tempdir().unwrap();
    let server = Process::start(directory.path(), "");
    let client = server.client;
    INGRESS.create(
        client,
        "extensions/v1beta1",
        &json!({
            "apiVersion": "extensions/v1beta1",
            "kind": "Ingress",
            "metadata": {"name": "web"},
            "spec": {
                "backend": {"serviceName": "fallback", "servicePort": 80},
                "rules": [{"host": "example.com", "http": {"paths": [
                    {"path": "/", "backend": {"serviceName": "front", "servicePort": "http"}},
                    {"path": "/api", "backend": {"serviceName": "api", "servicePort": 8080}},
                ]}}],
                "tls": [{"hosts": ["example.com"], "secretName": "certificate"}],
            },
        }),
    );
    let mut v1 = INGRESS.read(client, "networking.k8s.io/v1");
    assert_eq!(
        v1["spec"]["defaultBackend"],
        json!({"service": {"name": "fallback", "port": {"number": 80}}})
    );
    let paths = &v1["spec"]["rules"][0]["http"]["paths"];
    assert_eq!(paths[0]["backend"], json!({"service": {"name": "front", "port": {"name": "http"}}}));
    assert_eq!(paths[1]["backend"], json!({"service": {"name": "api", "port": {"number": 8080}}}));
    assert_eq!(v1["spec"]["tls"], json!([{"hosts": ["example.com"], "secretName": "certificate"}]));

    // At v1: change the port to a name, insert a path before the others, and set a class.
    v1["spec"]["ingressClassName"] = json!("outside");
    v1["spec"]["defaultBackend"]["service"]["port"] = json!({"name": "web"});
    let path = json!({"path": "/new", "pathType": "Exact", "backend": {"service": {"name": "new", "port": {"number": 1}}}});
    let paths = v1["spec"]["rules"][0]["http"]["paths"].as_array_mut().unwrap();
    paths.insert(0, path.clone());
    INGRESS.write(client, "networking.k8s.io/v1", &v1);

    // At extensions/v1beta1: remove the last path.
    let mut old = INGRESS.read(client, "extensions/v1beta1");
    assert_eq!(old["spec"]["backend"], json!({"serviceName": "fallback", "servicePort": "web"}));
    assert_eq!(old["spec"]["ingressClassName"], "outside");
    let paths = old["spec"]["rules"][0]["http"]["paths"].as_array_mut().unwrap();
    assert_eq!(paths[0]["backend"], json!({"serviceName": "new", "servicePort": 1}));
    paths.pop();
    INGRESS.write(client, "extensions/v1beta1", &old);
    let v1 = INGRESS.read(client, "networking.k8s.io/v1");
    let paths = v1["spec"]["rules"][0]["http"]["paths"].as_array().unwrap();
    assert_eq!(paths.len(), 2);
    assert_eq!(paths[0], path);
    assert_eq!(paths[1]["backend"], json!({"service": {"name": "front", "port": {"name": "http"}}}));

    let server = INGRESS.restart(
        server,
        directory.path(),
        &[
            "extensions/v1beta1",
            "networking.k8s.io/v1beta1",
            "extensions=networking.k8s.io/v1",
            "networking.k8s.io=extensions/v1beta1",
            "",
        ],
    );
    INGRESS.delete(server.client, "extensions/v1beta1");
}

const DEPLOYMENT: Story = Story {
    plural: "deployments",
    name: "web",
    versions: &["extensions/v1beta1", "apps/v1beta1", "apps/v1beta2", "apps/v1"],
};

/// The annotation that stores `rollbackTo` at versions without this field.
const ROLLBACK: &str = "deprecated.deployment.rollback.to";

#[test]
fn a_deployment() {
    let directory = tempfile::tempdir().unwrap();
    let server = Process::start(directory.path(), "");
    let client = server.client;
    DEPLOYMENT.create(
        client,
        "extensions/v1beta1",
        &json!({
            "apiVersion": "extensions/v1beta1",
            "kind": "Deployment",
            "metadata": {"name": "web", "annotations": {"example.com/mine": "stays"}},
            "spec": {
                "replicas": 2,
                "rollbackTo": {"revision": 3},
                "selector": {"matchLabels": {"app": "web"}},
                "template": {
                    "metadata": {"labels": {"app": "web"}},
                    "spec": {"containers": [{"name": "web", "image": "example.com/web:1"}]},
                },
            },
        }),
    );
    let mine_and = |revision: &str| json!({"example.com/mine": "stays", ROLLBACK: revision});
    for version in ["apps/v1", "apps/v1beta2"] {
        let deployment = DEPLOYMENT.read(client, version);
        assert_eq!(deployment["metadata"]["annotations"], mine_and("3"));
        assert!(deployment["spec"].get("rollbackTo").is_none());
    }
    let old = DEPLOYMENT.read(client, "apps/v1beta1");
    assert_eq!(old["spec"]["rollbackTo"], json!({"revision": 3}));
    assert_eq!(old["metadata"]["annotations"], json!({"example.com/mine": "stays"}));

    // At v1, change the replicas; the rollback request must remain.
    let mut v1 = DEPLOYMENT.read(client, "apps/v1");
    v1["spec"]["replicas"] = json!(3);
    DEPLOYMENT.write(client, "apps/v1", &v1);
    let mut old = DEPLOYMENT.read(client, "extensions/v1beta1");
    assert_eq!((&old["spec"]["replicas"], &old["spec"]["rollbackTo"]), (&json!(3), &json!({"revision": 3})));
    old["spec"]["rollbackTo"] = json!({"revision": 4});
    DEPLOYMENT.write(client, "extensions/v1beta1", &old);
    assert_eq!(DEPLOYMENT.read(client, "apps/v1")["metadata"]["annotations"], mine_and("4"));

    let server = DEPLOYMENT.restart(
        server,
        directory.path(),
        &["apps/v1beta1", "extensions=apps/v1", "extensions/v1beta1", "apps/v1beta2", ""],
    );
    let client = server.client;

    // At v1, remove the annotation: the rollback request is dropped.
    let mut v1 = DEPLOYMENT.read(client, "apps/v1");
    v1["metadata"]["annotations"] = json!({"example.com/mine": "stays"});
    DEPLOYMENT.write(client, "apps/v1", &v1);
    let old = DEPLOYMENT.read(client, "extensions/v1beta1");
    assert!(old["spec"].get("rollbackTo").is_none(), "{old}");
    let server = DEPLOYMENT.restart(server, directory.path(), &["extensions/v1beta1", "apps/v1"]);
    DEPLOYMENT.delete(server.client, "apps/v1beta2");
}
