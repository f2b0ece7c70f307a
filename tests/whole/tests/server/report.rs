//! Reports on a live cluster with `hubgen report --cluster`.
#![cfg(unix)]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::client::Client;
use crate::process::{Process, hubgen};

/// A kubeconfig for a server.
fn kubeconfig(home: &Path, client: &Client) -> String {
    let config = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "it",
        "clusters": [{"name": "it", "cluster": {"server": format!("http://{}", client.0)}}],
        "contexts": [{"name": "it", "context": {"cluster": "it", "user": ""}}],
    });
    let path = home.join("kubeconfig");
    std::fs::write(&path, config.to_string()).expect("written");
    path.to_str().expect("text").to_owned()
}

const OLD: &str = "\
apiVersion: extensions/v1beta1
kind: Ingress
metadata: {name: web, namespace: shop}
spec: {backend: {serviceName: web, servicePort: 80}}
---
apiVersion: policy/v1beta1
kind: PodDisruptionBudget
metadata: {name: new, namespace: shop}
---
apiVersion: autoscaling/v1
kind: HorizontalPodAutoscaler
metadata: {name: web, namespace: shop}
spec:
  scaleTargetRef: {apiVersion: extensions/v1beta1, kind: Deployment, name: web}
  maxReplicas: 3
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
  versions:
    - {name: v1, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}
    - {name: v1alpha1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
";

#[test]
fn objects_that_were_written_at_old_versions_are_found() {
    if Command::new("kubectl").arg("version").arg("--client").output().is_err() {
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), "left out: kubectl is not installed");
        return;
    }
    let home = tempfile::tempdir().expect("a folder");
    let kubectl = |config: &str, arguments: &[&str]| {
        let mut command = Command::new("kubectl");
        command.env("HOME", home.path()).env_remove("KUBECONFIG").args(["--kubeconfig", config]);
        let output: Output = command.args(arguments).output().expect("kubectl runs");
        assert!(output.status.success(), "{output:?}");
    };
    let old = Process::start_with(home.path(), &["--emulated-version", "1.21"]);
    let config = kubeconfig(home.path(), &old.client);
    let file = |name: &str, text: &str| {
        let path = home.path().join(name);
        std::fs::write(&path, text).expect("written");
        path.to_str().expect("text").to_owned()
    };
    kubectl(&config, &["create", "namespace", "shop"]);
    kubectl(&config, &["create", "namespace", "yard"]);
    kubectl(&config, &["apply", "-f", &file("old.yaml", OLD)]);
    // It was written anew since, at the new version.
    let new = "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: new, namespace: shop, labels: {a: b}}\n";
    kubectl(&config, &["apply", "-f", &file("new.yaml", new)]);
    kubectl(&config, &["wait", "--for=condition=established", "crd/widgets.example.com"]);
    let widget = "apiVersion: example.com/v1alpha1\nkind: Widget\nmetadata: {name: w, namespace: shop, labels: {a: b}}\n";
    kubectl(&config, &["create", "-f", &file("widget.yaml", widget)]);
    let (_, definition) = OLD.split_once("maxReplicas: 3\n---\n").expect("it comes last");
    let moved = definition.replace("served: true, storage: true", "served: false, storage: false");
    let moved =
        moved.replace("name: v1, served: true, storage: false", "name: v1, served: true, storage: true");
    kubectl(&config, &["apply", "-f", &file("moved.yaml", &moved)]);
    drop(old);

    let server = Process::start_with(home.path(), &[]);
    let config = kubeconfig(home.path(), &server.client);
    let report = |arguments: &[&str]| {
        let mut command = hubgen();
        command.args(["report", "-o", "json", "--cluster", "--kubeconfig", &config]).args(arguments);
        let output = command.output().expect("hubgen runs");
        assert_eq!(output.stderr, b"");
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(report["diagnostics"], json!([]));
        (output.status.code(), report)
    };
    let (code, found) = report(&["--target", "1.37"]);
    let findings = found["findings"].as_array().expect("findings").iter();
    let findings: Vec<Value> = findings
        .map(|one| json!([one["rule"], one["within"], one["path"], one["apiVersion"], one["written"]["by"]]))
        .collect();
    assert_eq!(
        (code, findings),
        (
            Some(1),
            vec![
                json!([
                    "old-reference",
                    "horizontalpodautoscalers.autoscaling shop/web",
                    "spec.scaleTargetRef",
                    "extensions/v1beta1",
                    null
                ]),
                json!([
                    "removed-version",
                    "ingresses.networking.k8s.io shop/web",
                    null,
                    "extensions/v1beta1",
                    "kubectl apply"
                ]),
                json!([
                    "stored-version",
                    "customresourcedefinitions.apiextensions.k8s.io widgets.example.com",
                    null,
                    "example.com/v1alpha1",
                    null
                ]),
                json!([
                    "removed-version",
                    "widgets.example.com shop/w",
                    null,
                    "example.com/v1alpha1",
                    "kubectl-create"
                ]),
            ]
        )
    );
    assert_eq!(found["findings"][1]["edits"][0]["path"], "spec.defaultBackend.service.name");
    let (code, found) = report(&["--target", "1.37", "--namespace", "yard"]);
    assert_eq!((code, &found["findings"]), (Some(0), &json!([])));
}

#[test]
fn a_cluster_that_does_not_answer_is_named() {
    let home = tempfile::tempdir().expect("a folder");
    let missing = home.path().join("no-kubectl");
    let mut command = hubgen();
    let output =
        command.args(["report", "--cluster", "--kubectl"]).arg(&missing).output().expect("hubgen runs");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1));
    assert!(told.contains("no-kubectl") && told.contains("help: "), "{told}");
}
