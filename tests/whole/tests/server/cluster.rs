//! Reads the objects of a server through kubectl.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use hubgen_cluster::{By, Cluster, Resource, written};
use serde_json::{Value, json};

use crate::process::Process;

/// A server with objects, and a kubeconfig for it. `None` if kubectl is not installed.
fn server(home: &Path) -> Option<(Process, Cluster)> {
    if Command::new("kubectl").arg("version").arg("--client").output().is_err() {
        // The test harness captures `println!`, but not this.
        let _ = writeln!(std::io::stderr(), "left out: kubectl is not installed");
        return None;
    }
    let server = Process::start_with(home, &[]);
    server.client.post("/api/v1/namespaces", &json!({"metadata": {"name": "shop"}})).expect(201);
    for (namespace, names) in [("shop", &["a", "b", "c", "d", "e"][..]), ("yard", &["a", "f"])] {
        for name in names {
            let path = format!("/api/v1/namespaces/{namespace}/configmaps");
            server.client.post(&path, &json!({"metadata": {"name": name}})).expect(201);
        }
    }
    let role = json!({"metadata": {"name": "r"}, "rules": []});
    server.client.post("/apis/rbac.authorization.k8s.io/v1/clusterroles", &role).expect(201);
    let config = json!({
        "apiVersion": "v1", "kind": "Config",
        "clusters": [{"name": "it", "cluster": {"server": format!("http://{}", server.client.0)}}],
        "contexts": [{"name": "it", "context": {"cluster": "it", "user": ""}}],
    });
    let kubeconfig = home.join("kubeconfig");
    std::fs::write(&kubeconfig, config.to_string()).expect("written");
    let cluster =
        Cluster { kubeconfig: Some(kubeconfig), context: Some("it".to_owned()), ..Cluster::default() };
    Some((server, cluster))
}

fn resources(cluster: &Cluster) -> Vec<Resource> {
    let discovery = cluster.discover().unwrap_or_else(|failure| panic!("{failure}\n{}", failure.help));
    assert_eq!(discovery.unavailable, []);
    discovery.resources
}

/// All objects, by their resources, and the resources in the order in which they come.
fn objects(cluster: &Cluster, resources: &[Resource]) -> (BTreeMap<String, Vec<Value>>, Vec<String>) {
    let mut objects: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let mut order = Vec::new();
    let left_out = cluster.all(resources, &mut |resource, object| {
        order.push(resource.to_string());
        objects.entry(resource.to_string()).or_default().push(object);
    });
    assert_eq!(left_out, Ok(Vec::new()));
    order.dedup();
    (objects, order)
}

#[test]
fn pages_of_any_size_give_all_objects() {
    let home = tempfile::tempdir().expect("a folder");
    let Some((server, cluster)) = server(home.path()) else { return };
    let release = cluster.release().expect("the server answers");
    assert_eq!((release.major, release.minor), (1, 37));
    let resources = resources(&cluster);
    let names: Vec<String> = resources.iter().map(Resource::to_string).collect();
    for expected in ["configmaps", "events", "deployments.apps", "clusterroles.rbac.authorization.k8s.io"] {
        assert_eq!(names.iter().filter(|name| *name == expected).count(), 1, "{names:?}");
    }
    // The server stores them as those of the core group.
    assert!(!names.contains(&"events.events.k8s.io".to_owned()), "{names:?}");
    let (whole, order) = objects(&Cluster { page: 0, ..cluster.clone() }, &resources);
    let mut in_order = names.iter().filter(|name| order.contains(name));
    assert!(order.iter().eq(&mut in_order), "{order:?}");
    // As the server lists them, and with version and kind.
    let mut listed = server.client.get("/api/v1/configmaps").expect(200)["items"].take();
    for object in listed.as_array_mut().expect("a list") {
        object["apiVersion"] = "v1".into();
        object["kind"] = "ConfigMap".into();
    }
    assert_eq!(json!(whole["configmaps"]), listed);
    assert_eq!(whole["configmaps"].len(), 7);
    let filled: Vec<_> = resources.into_iter().filter(|one| order.contains(&one.to_string())).collect();
    for page in [1, 3, 500] {
        assert_eq!(objects(&Cluster { page, ..cluster.clone() }, &filled), (whole.clone(), order.clone()));
    }
}

#[test]
fn one_namespace_is_read_alone() {
    let home = tempfile::tempdir().expect("a folder");
    let Some((_server, cluster)) = server(home.path()) else { return };
    let cluster = Cluster { namespace: Some("shop".to_owned()), ..cluster };
    let resources = resources(&cluster);
    let (objects, _) = objects(&cluster, &resources);
    assert_eq!(objects["configmaps"].len(), 5);
    assert!(objects.values().flatten().all(|object| object["metadata"]["namespace"] == "shop"));
    let nowhere = Cluster { namespace: Some("nowhere".to_owned()), ..cluster };
    let failure = nowhere.discover().expect_err("there is no such namespace");
    assert!(failure.message.ends_with(r#"namespaces "nowhere" not found"#), "{failure}");
}

#[test]
fn objects_tell_at_which_versions_they_were_written() {
    let home = tempfile::tempdir().expect("a folder");
    let Some((server, cluster)) = server(home.path()) else { return };
    let path = home.path().join("d.json");
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d", "namespace": "shop"},
        "spec": {"selector": {"matchLabels": {"a": "b"}},
            "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}},
    });
    std::fs::write(&path, deployment.to_string()).expect("written");
    let address = format!("--server=http://{}", server.client.0);
    let mut apply = Command::new("kubectl");
    apply.env("HOME", home.path()).env_remove("KUBECONFIG").args([&address, "apply", "--filename"]).arg(path);
    let output = apply.output().expect("kubectl runs");
    assert!(output.status.success(), "{output:?}");
    let resources = resources(&cluster);
    let deployments = resources.iter().find(|resource| resource.to_string() == "deployments.apps");
    let mut objects = Vec::new();
    let deployments = deployments.expect("it is discovered");
    assert_eq!(cluster.objects(deployments, &mut |object| objects.push(object)), Ok(None));
    let history = written(&objects[0]);
    assert_eq!(history.faults, [""; 0]);
    let [first, last] = &history.written[..] else { panic!("{history:?}") };
    assert_eq!(
        (&*first.api_version, first.by.to_string()),
        ("apps/v1", "kubectl-client-side-apply (Update)".to_owned())
    );
    let applied = By::LastApplied { kind: "Deployment".to_owned() };
    assert_eq!((&*last.api_version, &last.by), ("apps/v1", &applied));
}
