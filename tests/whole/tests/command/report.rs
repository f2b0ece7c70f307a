//! Tests `hubgen report` on files and charts, and `hubgen deprecations`.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::input;
use crate::process::hubgen;

/// An object of each rule, in YAML and inside of others.
const MIXED: &str = "\
apiVersion: extensions/v1beta1
kind: Ingress
metadata: {name: web, namespace: shop}
spec:
  backend: {serviceName: web, servicePort: 80}
---
apiVersion: policy/v1beta1
kind: PodSecurityPolicy
metadata: {name: all}
---
apiVersion: v1
kind: List
items:
  - apiVersion: resource.k8s.io/v1beta1
    kind: DeviceClass
    metadata: {name: gpu}
  - apiVersion: v1
    kind: Endpoints
    metadata: {name: web}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec:
  scaleTargetRef: {apiVersion: extensions/v1beta1, kind: Deployment, name: web}
  maxReplicas: 3
---
apiVersion: batch/v1beta1
kind: CronJob
metadata: {name: nightly}
spec:
  shedule: '0 3 * * *'
---
apiVersion: apps/v1beta1
kind: ReplicaSet
metadata: {name: web}
---
apiVersion: coordination.k8s.io/v1alpha1
kind: LeaseCandidate
metadata: {name: c}
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: w}
";

fn run(arguments: &[&str], stdin: &str) -> (i32, String, String) {
    input::run(hubgen().args(["report", "--target", "1.37"]).args(arguments), stdin)
}

/// The report in JSON, and the exit code.
fn json(arguments: &[&str], stdin: &str) -> (i32, Value) {
    let (code, out, err) = run(&[&["-o", "json"], arguments].concat(), stdin);
    assert_eq!(err, "");
    (code, serde_json::from_str(&out).expect("JSON"))
}

/// The members of each finding.
fn findings(report: &Value, members: &[&str]) -> Vec<Value> {
    let findings = report["findings"].as_array().expect("findings");
    findings.iter().map(|finding| members.iter().map(|member| finding[member].clone()).collect()).collect()
}

#[test]
fn each_rule_has_its_finding() {
    let (code, out, err) = run(&[], MIXED);
    assert_eq!(code, 1);
    insta::assert_snapshot!("report-text", out + &err);
    let (code, report) = json(&[], MIXED);
    assert_eq!(code, 1);
    insta::assert_snapshot!("report-json", serde_json::to_string_pretty(&report).expect("JSON"));
    let (code, out, _) = run(&["-o", "sarif"], MIXED);
    assert_eq!(code, 1);
    let mut log: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(log["runs"][0]["tool"]["driver"]["version"].take(), env!("CARGO_PKG_VERSION"));
    insta::assert_snapshot!("report-sarif", serde_json::to_string_pretty(&log).expect("JSON"));
}

#[test]
fn the_target_decides() {
    let rules = |target: &str| {
        let (_, out, _) = input::run(hubgen().args(["report", "-o", "json", "--target", target]), MIXED);
        let report: Value = serde_json::from_str(&out).expect("JSON");
        findings(&report, &["rule"])
            .iter()
            .map(|rule| rule[0].as_str().expect("text").to_owned())
            .collect::<Vec<_>>()
    };
    let later = "later-version";
    let expected = ["deprecated-version", later, later, "old-reference", "unknown-version", later];
    assert_eq!(rules("1.20"), expected);
    assert_eq!(rules("1.22")[0], "removed-version");
    let (code, _, err) = input::run(hubgen().args(["report", "--target", "1.99"]), "");
    assert!(code == 2 && err.contains("expected one from 1.5 to 1.37"), "{err}");
}

#[test]
fn only_kinds_of_kubernetes_own_groups_can_be_unknown() {
    for (object, expected) in [
        ("flowcontrol.apiserver.k8s.io/v1beta1 FlowControl", 1),
        ("apps/v2 Deployment", 1),
        ("v1 Deployment", 1),
        // Those of others: the kubeconfig, a kind of OpenShift, a custom resource, a configuration of the kubelet.
        ("v1 Config", 0),
        ("v1 Template", 0),
        ("gateway.networking.k8s.io/v1 Gateway", 0),
        ("kubelet.config.k8s.io/v1beta1 KubeletConfiguration", 0),
    ] {
        let (version, kind) = object.split_once(' ').expect("both");
        let (_, report) = json(&[], &format!("apiVersion: {version}\nkind: {kind}\nmetadata: {{name: a}}\n"));
        let rules = findings(&report, &["rule"]);
        assert_eq!(rules, vec![json!(["unknown-version"]); expected], "{object}");
    }
}

#[test]
fn what_fails_can_be_chosen() {
    let deprecated = "apiVersion: v1\nkind: Endpoints\nmetadata: {name: a}\n";
    let removed = "apiVersion: batch/v1beta1\nkind: CronJob\nmetadata: {name: a}\n";
    for (text, fail_on, expected) in [
        (deprecated, "error", 0),
        (deprecated, "warning", 1),
        (removed, "error", 1),
        (removed, "never", 0),
        ("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n", "warning", 0),
        ("a: [\n", "never", 1),
    ] {
        let (code, report) = json(&["--fail-on", fail_on], text);
        assert_eq!((code, &report["ok"]), (expected, &json!(expected == 0)), "{text} {fail_on}");
    }
}

#[test]
fn releases_of_helm_are_opened() {
    let releases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command/helm-release.yaml");
    let text = fs::read_to_string(releases).expect("the file is there");
    let (code, report) = json(&[], &text);
    assert_eq!(code, 1);
    insta::assert_snapshot!(
        "report-release",
        serde_json::to_string_pretty(&findings(&report, &["rule", "line", "within", "kind", "history"]))
            .expect("JSON")
    );
    // A release that cannot be opened is named, and others are still read.
    let broken = "apiVersion: v1\nkind: Secret\nmetadata: {name: sh.helm.release.v1.a.v1, labels: {owner: helm}}\ndata: {release: '?'}\n---\n";
    let (code, report) = json(&[], &format!("{broken}{text}"));
    assert_eq!(code, 1);
    assert!(!report["findings"].as_array().expect("findings").is_empty());
    let message = report["diagnostics"][0]["message"].as_str().expect("a message");
    assert!(message.starts_with("Secret sh.helm.release.v1.a.v1: expected the Secret's base64"), "{message}");
}

#[test]
fn what_cannot_be_read_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("written");
    write("broken.yaml", "apiVersion: v1\nkind: [\n");
    write("template.yaml", "{{ if .x }}\napiVersion: extensions/v1beta1\n{{ end }}\n");
    write("old.yaml", "apiVersion: batch/v1beta1\nkind: CronJob\nmetadata: {name: a}\n");
    let (code, report) = json(&[folder.path().to_str().expect("text")], "");
    assert_eq!((code, findings(&report, &["rule"]).len()), (1, 1));
    let told: Vec<_> = report["diagnostics"].as_array().expect("a list").iter().collect();
    assert_eq!(told.len(), 2);
    assert_eq!((&told[0]["severity"], &told[0]["line"]), (&json!("error"), &json!(3)));
    assert_eq!(told[1]["severity"], "warning");
    assert!(told[1]["help"].as_str().expect("help").contains("seems to be a template"));
}

#[cfg(unix)]
mod charts {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    const TEMPLATE: &str = "{{ if true }}\n{{ end }}\napiVersion: batch/v1beta1\nkind: CronJob\nmetadata: {name: {{ .Release.Name }}}\n";

    /// A chart, and a program in the place of helm that writes down how it is called.
    fn chart(folder: &Path, helm: &str) -> [String; 2] {
        let chart = folder.join("all/web");
        fs::create_dir_all(chart.join("templates")).expect("made");
        fs::write(chart.join("Chart.yaml"), "apiVersion: v2\nname: web\nversion: 0.1.0\n").expect("written");
        fs::write(chart.join("templates/nightly.yaml"), TEMPLATE).expect("written");
        let program = folder.join("helm");
        fs::write(&program, format!("#!/bin/sh\n{helm}\n")).expect("written");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("set");
        [folder.join("all"), program].map(|path| path.to_str().expect("text").to_owned())
    }

    #[test]
    fn helm_renders_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let called = folder.path().join("called");
        let rendered = "\
---
# Source: web/templates/nightly.yaml
apiVersion: batch/v1beta1
kind: CronJob
metadata: {name: release}
";
        let helm = format!("echo \"$@\" > {}\ncat <<'YAML'\n{rendered}YAML", called.display());
        let [all, helm] = chart(folder.path(), &helm);
        let (code, report) = json(&["--helm", &helm, "--values", "v.yaml", &all], "");
        assert_eq!(code, 1, "{report}");
        let file = format!("{all}/web/templates/nightly.yaml");
        assert_eq!(
            findings(&report, &["rule", "file", "line", "name"]),
            [json!(["removed-version", file, 3, "release"])]
        );
        let called = fs::read_to_string(called).expect("it was called");
        assert_eq!(
            called.trim(),
            format!("template release {all}/web --include-crds --kube-version 1.37.0 --values v.yaml")
        );
    }

    #[test]
    fn what_helm_cannot_render_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let [all, helm] = chart(folder.path(), "echo 'Error: no values' >&2; exit 1");
        let (code, report) = json(&["--helm", &helm, &all], "");
        assert_eq!((code, &report["findings"]), (1, &json!([])));
        assert_eq!(report["diagnostics"][0]["message"], "helm cannot render this chart: Error: no values");
        let (code, report) = json(&["--helm", "/does/not/exist", &all], "");
        assert_eq!(code, 1);
        let message = report["diagnostics"][0]["message"].as_str().expect("a message");
        assert!(message.starts_with("this chart is not read: cannot start /does/not/exist"), "{message}");
    }
}

#[test]
fn deprecations_are_listed() {
    let list = |arguments: &[&str]| input::run(hubgen().arg("deprecations").args(arguments), "");
    let (code, out, err) = list(&[]);
    assert_eq!((code, &*err), (0, ""));
    insta::assert_snapshot!("deprecations", out);
    let (.., out, _) = list(&["--target", "1.24", "policy", "--json"]);
    let report: Value = serde_json::from_str(&out).expect("JSON");
    let expected = json!({
        "apiVersion": "policy/v1beta1", "kind": "PodDisruptionBudget", "since": "1.7", "deprecated": "1.21",
        "last": "1.24", "removed": "1.25", "to": {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget"},
    });
    assert_eq!((&report["versions"][0], report["versions"].as_array().map(Vec::len)), (&expected, Some(2)));
    // Nothing of the group was deprecated then.
    assert_eq!(list(&["--target", "1.20", "policy"]), (0, String::new(), String::new()));
    let (code, _, err) = list(&["storage"]);
    assert!(code == 1 && err.contains("write storage.k8s.io"), "{err}");
}
