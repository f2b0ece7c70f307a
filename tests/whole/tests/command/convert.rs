//! Tests the command `hubgen convert`.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use hubgen_kubernetes::machinery::defaults::Context;
use hubgen_kubernetes::machinery::scalar::Time;
use hubgen_kubernetes::machinery::scheme::{Object, Scheme};
use hubgen_kubernetes::machinery::yaml;
use serde_json::{Value, json};

use crate::input;
use crate::process::hubgen;

struct Answer {
    code: i32,
    out: String,
    err: String,
}

fn convert(args: &[&str], paths: &[&Path], stdin: &str) -> Answer {
    let (code, out, err) = input::run(hubgen().arg("convert").args(args).args(paths), stdin);
    Answer { code, out, err }
}

/// Converts standard input, which must succeed without a message.
fn quietly(args: &[&str], text: &str) -> String {
    let answer = convert(args, &[], text);
    assert_eq!((answer.code, answer.err.as_str()), (0, ""), "{}", answer.out);
    answer.out
}

/// Creates a temporary folder with files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }
    dir
}

fn read(dir: &tempfile::TempDir, name: &str) -> String {
    fs::read_to_string(dir.path().join(name)).expect("read")
}

const SET: &str = "\
# Who wrote this, and why.
apiVersion: apps/v1beta2  # since 1.8
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      containers:
      # The only one.
      - name: db
        image: \"db:1\"
        resources: {limits: {cpu: 1000m}}
";

const SERVICE: &str = "kind: Service\napiVersion: v1\nmetadata: {name:   odd}   # as it is\n";

fn newer_set() -> String {
    SET.replace("apps/v1beta2", "apps/v1")
}

#[test]
fn only_what_the_conversion_changes_is_changed() {
    assert_eq!(quietly(&["--newest"], SET), newer_set());
    assert_eq!(quietly(&["--newest", "-"], SET), newer_set());
    // The conversion back restores the input.
    assert_eq!(quietly(&["--to", "apps/v1beta2"], &newer_set()), SET);
}

#[test]
fn moved_fields_keep_their_place() {
    let old = "\
apiVersion: extensions/v1beta1
kind: Ingress
metadata:
  name: web # the name
spec:
  rules:
  # The first rule.
  - host: a.example
    http:
      paths:
      - path: /a
        pathType: Prefix
        # The backend.
        backend:
          serviceName: web
          servicePort: 80
      - pathType: Exact
        backend: {serviceName: web, servicePort: http}
  backend:
    serviceName: other
    servicePort: 81
# The end.
";
    let new = "\
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: web # the name
spec:
  rules:
  # The first rule.
  - host: a.example
    http:
      paths:
      - path: /a
        pathType: Prefix
        # The backend.
        backend:
          service:
            name: web
            port:
              number: 80
      - pathType: Exact
        backend: {service: {name: web, port: {name: http}}}
  defaultBackend:
    service:
      name: other
      port:
        number: 81
# The end.
";
    assert_eq!(quietly(&["--newest"], old), new);
}

#[test]
fn defaults_of_the_old_version_become_explicit() {
    let old = "\
apiVersion: apps/v1beta1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  template:
    metadata: {labels: {app: db}}
";
    // The old version copied the labels of the template, and never replaced a pod by itself.
    let new = "\
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, labels: {app: db}}
spec:
  serviceName: db
  template:
    metadata: {labels: {app: db}}
  selector:
    matchLabels:
      app: db
  updateStrategy:
    type: OnDelete
";
    assert_eq!(quietly(&["--newest"], old), new);
}

#[test]
fn windows_line_breaks_are_preserved() {
    let windows = |text: &str| text.replace('\n', "\r\n");
    assert_eq!(quietly(&["--newest"], &windows(SET)), windows(&newer_set()));
}

/// Above the field and behind it, as the field of another name and depth.
#[test]
fn comments_go_with_their_fields() {
    let autoscaler = "\
apiVersion: autoscaling/v1
kind: HorizontalPodAutoscaler
metadata:
  name: web # the name
spec:
  # who is scaled
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: web
  # we saw 80% in the spring
  # and 90% in the summer
  targetCPUUtilizationPercentage: 70 # tuned in May
  maxReplicas: 10 # at most
";
    let expected = "\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: web # the name
spec:
  # who is scaled
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: web
  maxReplicas: 10 # at most
  metrics:
  - resource:
      name: cpu
      target:
        # we saw 80% in the spring
        # and 90% in the summer
        averageUtilization: 70 # tuned in May
        type: Utilization
    type: Resource
";
    assert_eq!(quietly(&["--to", "autoscaling/v2"], autoscaler), expected);
    let windows = |text: &str| text.replace('\n', "\r\n");
    assert_eq!(quietly(&["--to", "autoscaling/v2"], &windows(autoscaler)), windows(expected));
    // As an item of a list.
    let list = |version: &str, text: &str| {
        let item = text.trim_end().replace('\n', "\n  ");
        format!("apiVersion: {version}\nkind: HorizontalPodAutoscalerList\nitems:\n- {item}\n")
    };
    let found = quietly(&["--to", "autoscaling/v2"], &list("autoscaling/v1", autoscaler));
    assert_eq!(found, list("autoscaling/v2", expected));
}

/// What the version has no field for is kept in an annotation, and nobody reads comments there.
#[test]
fn lost_comments_are_reported() {
    let text = "\
apiVersion: apps/v1beta1
kind: Deployment
metadata: {name: a}
spec:
  rollbackTo: {revision: 3} # our own
  selector: {matchLabels: {app: a}}
  template:
    metadata: {labels: {app: a}}
    spec: {containers: [{name: a, image: \"a:1\"}]}
";
    let answer = convert(&["--to", "apps/v1"], &[], text);
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(answer.out.contains("deprecated.deployment.rollback.to") && !answer.out.contains("our own"));
    assert_eq!(
        answer.err,
        "warning: <stdin>:5:29: this comment is lost: its field is gone, or had to be written anew\n"
    );
}

/// The anchor is on a value that is removed, so that all is written anew.
#[test]
fn comments_go_with_their_fields_where_all_is_written_anew() {
    let text = "\
apiVersion: extensions/v1beta1
kind: HorizontalPodAutoscaler
metadata: {name: a}
spec:
  scaleRef: &ref {kind: Deployment, name: web, apiVersion: apps/v1}
  maxReplicas: 3
  cpuUtilization: # our own
    targetPercentage: 70
";
    let new = quietly(&["--to", "autoscaling/v1"], text);
    assert!(new.contains("\n  targetCPUUtilizationPercentage: 70 # our own\n"), "{new}");
}

#[test]
fn a_version_is_requested_by_name() {
    let autoscaler = |version: &str, spec: &str| {
        format!(
            "apiVersion: autoscaling/{version}\nkind: HorizontalPodAutoscaler\nmetadata:\n  name: a\nspec:\n  \
             scaleTargetRef:\n    kind: Deployment\n    name: web\n  maxReplicas: 3\n{spec}"
        )
    };
    let v1 = autoscaler("v1", "  targetCPUUtilizationPercentage: 70\n");
    let metrics = "  metrics:\n  - resource:\n      name: cpu\n      target:\n        averageUtilization: 70\n        \
                   type: Utilization\n    type: Resource\n";
    let v2 = autoscaler("v2", metrics);
    assert_eq!(quietly(&["--to", "autoscaling/v2"], &v1), v2);
    assert_eq!(quietly(&["--newest"], &v1), v2);
    assert_eq!(quietly(&["--storage"], &v1), v2);
    assert_eq!(quietly(&["--to", "autoscaling/v1"], &v2), v1);
    // The first version that the kind has is used; other kinds pass through without a message.
    let several = format!("{SERVICE}---\n{SET}---\n{v2}");
    let expected = format!("{SERVICE}---\n{}---\n{v1}", newer_set());
    assert_eq!(quietly(&["--to", "apps/v1,autoscaling/v1,apps/v1beta1"], &several), expected);
    assert_eq!(quietly(&["--to", "apps/v1", "--to", "autoscaling/v1"], &several), expected);
}

#[test]
fn a_release_is_the_target() {
    let text = |version: &str| {
        format!(
            "apiVersion: autoscaling/{version}\nkind: HorizontalPodAutoscaler\nmetadata:\n  name: a\nspec:\n  \
             scaleTargetRef: {{kind: Deployment, name: web}}\n  maxReplicas: 3\n"
        )
    };
    for (release, version) in [("1.25", "v2beta2"), ("1.26", "v2"), ("v1.37.1", "v2")] {
        assert_eq!(quietly(&["--to", release], &text("v2beta2")), text(version));
    }
    let old = "apiVersion: policy/v1beta1\nkind: PodSecurityPolicy\nmetadata: {name: p}\n";
    assert_eq!(quietly(&["--to", "1.24"], old), old);
    let answer = convert(&["--to", "1.25"], &[], old);
    assert_eq!((answer.code, answer.out.as_str()), (0, old));
    let line = "release 1.25 serves no version of policy/v1beta1 PodSecurityPolicy; it stays as it is";
    assert!(answer.err.contains(line), "{}", answer.err);
    let answer = convert(&["--to", "2.0"], &[], old);
    assert!(
        answer.code == 2
            && answer.err.contains("2.0: this release is not known; expected one from 1.5 to 1.37"),
        "{}",
        answer.err
    );
}

#[test]
fn moved_kinds_convert_to_their_new_group() {
    let text = SET.replace("StatefulSet", "Deployment").replace("  serviceName: db\n", "");
    let old = text.replace("apps/v1beta2", "extensions/v1beta1");
    for wanted in ["--newest", "--storage"] {
        let new: Value = serde_json::from_str(&quietly(&[wanted, "-o", "json"], &old)).expect("JSON");
        assert_eq!(new["apiVersion"], "apps/v1");
        assert_eq!(new["spec"]["selector"]["matchLabels"]["app"], "db");
    }
    // Both groups are served, and both versions are equally new.
    for event in ["v1", "events.k8s.io/v1"] {
        let text = format!("apiVersion: {event}\nkind: Event\nmetadata: {{name: a}}\n");
        assert_eq!(quietly(&["--newest"], &text), text);
    }
}

#[test]
fn unknown_versions_are_refused() {
    for (to, hint) in [
        (
            "apps/v3",
            "--to apps/v3: no kind has this version; expected one of apps/v1, apps/v1beta1, apps/v1beta2",
        ),
        ("networking/v1", "expected one of networking.k8s.io/v1, "),
        ("nonsense", "write it as in `apiVersion`: apps/v1"),
    ] {
        let answer = convert(&["--to", to], &[], SET);
        assert_eq!((answer.code, answer.out.as_str()), (2, ""));
        assert!(answer.err.contains(hint), "{}", answer.err);
    }
    // No target, and two targets.
    for args in [&[][..], &["--newest", "--storage"]] {
        assert_eq!(convert(args, &[], SET).code, 2);
    }
}

#[test]
fn the_output_format_follows_the_input_or_an_option() {
    let object =
        json!({"apiVersion": "apps/v1beta2", "kind": "ControllerRevision", "metadata": {"name": "<a>"}});
    let compact = object.to_string();
    assert_eq!(
        quietly(&["--newest"], &compact),
        "{\"apiVersion\":\"apps/v1\",\"kind\":\"ControllerRevision\",\"metadata\":{\"name\":\"\\u003ca\\u003e\"},\
         \"revision\":0}\n"
            .replace(",\"revision\":0", "")
    );
    for indent in ["  ", "    ", "\t"] {
        let text = format!(
            "{{\n{indent}\"apiVersion\": \"apps/v1beta2\",\n{indent}\"kind\": \"ControllerRevision\",\n\
             {indent}\"metadata\": {{\n{indent}{indent}\"name\": \"a\"\n{indent}}}\n}}\n"
        );
        assert_eq!(quietly(&["--newest"], &text), text.replace("v1beta2", "v1"));
    }
    // Several JSON objects, one of which is not changed.
    let two = format!("{compact}\n{{\"apiVersion\": \"v1\",  \"kind\": \"Service\"}}\n");
    let answer = quietly(&["--newest"], &two);
    assert_eq!(answer.lines().nth(1), Some("{\"apiVersion\": \"v1\",  \"kind\": \"Service\"}"));
    assert_eq!(answer.lines().count(), 2);

    let yaml = quietly(&["--newest", "-o", "yaml"], &two);
    assert_eq!(
        yaml,
        "apiVersion: apps/v1\nkind: ControllerRevision\nmetadata:\n  name: <a>\n---\napiVersion: v1\nkind: Service\n"
    );
    let json =
        quietly(&["--newest", "-o", "json"], &format!("# nothing\n---\n{SERVICE}---\n# empty\n---\n{SET}"));
    let all: Vec<Value> =
        serde_json::Deserializer::from_str(&json).into_iter().map(|v| v.expect("JSON")).collect();
    assert_eq!(all.len(), 2);
    assert_eq!((&all[0]["kind"], &all[1]["apiVersion"]), (&json!("Service"), &json!("apps/v1")));
    assert!(json.starts_with("{\n    \"kind\": \"Service\","), "{json}");
}

#[test]
fn files_become_one_stream() {
    let dir = folder(&[
        ("b/2.yml", SERVICE.trim_end()),
        ("b/1.yaml", SET),
        ("c.json", "{\"apiVersion\": \"v1\", \"kind\": \"Secret\"}"),
        ("d.yaml", &format!("---\n{SERVICE}")),
        ("README.md", "no manifest"),
    ]);
    let answer = convert(&["--newest"], &[dir.path()], "");
    assert_eq!((answer.code, answer.err.as_str()), (0, ""));
    let secret = "{\"apiVersion\": \"v1\", \"kind\": \"Secret\"}\n";
    assert_eq!(answer.out, format!("{}---\n{SERVICE}---\n{secret}---\n{SERVICE}", newer_set()));
    // A file that is given by name is read regardless of its extension.
    let answer = convert(&["--newest"], &[&dir.path().join("README.md")], "");
    assert_eq!(answer.out, "no manifest\n");
    assert!(
        answer.err.contains("README.md:1:1: expected an object with `apiVersion` and `kind`"),
        "{}",
        answer.err
    );
}

#[test]
fn unreadable_files_are_reported() {
    let dir = folder(&[("empty/README.md", "")]);
    for (name, hint) in [("empty", "expected .yaml, .yml or .json files"), ("missing.yaml", "cannot be read")]
    {
        let answer = convert(&["--newest"], &[&dir.path().join(name)], "");
        assert_eq!(answer.code, 1);
        assert!(answer.err.contains(name) && answer.err.contains(hint), "{}", answer.err);
    }
    fs::write(dir.path().join("latin.yaml"), b"kind: \xe9").expect("written");
    let answer = convert(&["--newest"], &[&dir.path().join("latin.yaml")], "");
    assert!(answer.code == 1 && answer.err.contains("help: save the file as UTF-8"), "{}", answer.err);
}

#[test]
fn files_are_written_back_whole() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

    let around = |set: &str| {
        format!("# Licence\n---\n{SERVICE}# Between\n---\n{set}# After\n---\n# Nothing\n---\n{SERVICE}")
    };
    let dir = folder(&[
        ("real.yaml", &around(SET)),
        ("same.yaml", SERVICE),
        (
            "one.json",
            &json!(
                {"apiVersion": "apps/v1beta2", "kind": "ReplicaSet", "metadata": {"name": "a"}}
            )
            .to_string(),
        ),
    ]);
    let (real, same, link) =
        (dir.path().join("real.yaml"), dir.path().join("same.yaml"), dir.path().join("z.yaml"));
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("set");
    std::os::unix::fs::symlink(&real, &link).expect("linked");
    let before = fs::metadata(&same).expect("there").ino();

    let answer = convert(&["--newest", "--in-place"], &[&link, &same, &dir.path().join("one.json")], "");
    assert_eq!((answer.code, answer.out.as_str()), (0, ""), "{}", answer.err);
    assert_eq!(answer.err, "2 objects changed, in 2 of 3 files; 0 errors\n");
    assert_eq!(read(&dir, "real.yaml"), around(&newer_set()));
    assert_eq!(fs::metadata(&real).expect("there").permissions().mode() & 0o777, 0o640);
    assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
    assert_eq!(fs::metadata(&same).expect("there").ino(), before, "not written at all");
    assert!(read(&dir, "one.json").starts_with("{\"apiVersion\":\"apps/v1\""));
    let names: Vec<_> =
        fs::read_dir(dir.path()).expect("read").map(|entry| entry.expect("read").file_name()).collect();
    assert_eq!(names.len(), 4, "{names:?}");

    let answer = convert(&["--newest", "--in-place"], &[], SET);
    assert_eq!((answer.code, answer.out.as_str()), (2, ""));
    assert!(answer.err.contains("--in-place and --pre-commit need files"), "{}", answer.err);
}

#[test]
fn files_with_errors_are_not_changed() {
    let broken = format!("{SET}---\n{}", SET.replace("serviceName: db", "serviceName: [db]"));
    let typo = SET.replace("image:", "imaeg:");
    let template = "kind: Service\nmetadata: {name: {{ .Values.name }}}\nspec: [\n";
    let dir = folder(&[
        ("a.yaml", &broken),
        ("b.yaml", &typo),
        ("c.yaml", SET),
        ("d.yaml", template),
        ("e.json", "{\n"),
    ]);
    let answer = convert(&["--newest", "--in-place"], &[dir.path()], "");
    assert_eq!(answer.code, 1);
    for (name, text) in
        [("a.yaml", broken.as_str()), ("b.yaml", &typo), ("c.yaml", &newer_set()), ("d.yaml", template)]
    {
        assert_eq!(read(&dir, name), text);
    }
    // One run reports all errors, each with an excerpt of its file.
    let name = |name: &str| dir.path().join(name).display().to_string();
    let serving = format!(
        "\
error: expected a string, found an array (in apps/v1beta2 StatefulSet)
    ,-[{}:22:3]
 21 | spec:
 22 |   serviceName: [db]
    :   ^^^^^^^^|^^^^^^^^
    :           `-- spec.serviceName
 23 |   selector: {{matchLabels: {{app: db}}}}
    `----
",
        name("a.yaml")
    );
    let typed = format!(
        "\
error: apps/v1beta2 StatefulSet has no such field
    ,-[{}:14:9]
 13 |       - name: db
 14 |         imaeg: \"db:1\"
    :         ^^^^^^|^^^^^^
    :               `-- spec.template.spec.containers[0].imaeg
 15 |         resources: {{limits: {{cpu: 1000m}}}}
    `----
  help: correct its name, or drop such fields with --drop-unknown
",
        name("b.yaml")
    );
    let templated = format!("[{}:2:19]\n", name("d.yaml"));
    let ended = format!("[{}:2:1]\n", name("e.json"));
    for expected in [&serving, &typed, &templated, &ended, "if it is a template, render it first"] {
        assert!(answer.err.contains(expected), "{expected} is not in\n{}", answer.err);
    }
    let stays = format!(
        "{} stays as it is, because of errors; its other objects are not changed either\n",
        name("a.yaml")
    );
    // No object of b.yaml would have changed.
    assert_eq!(answer.err.matches("stays as it is").count(), 1, "{}", answer.err);
    for expected in [&stays, "1 object changed, in 1 of 5 files; 4 errors\n"] {
        assert!(answer.err.contains(expected), "{expected} is not in\n{}", answer.err);
    }
    let answer = convert(&["--newest", "--in-place", "--json"], &[&dir.path().join("a.yaml")], "");
    let report: Value = serde_json::from_str(&answer.out).expect("JSON");
    let counts = (&report["changed_files"], &report["changed_objects"], &report["changes"]);
    assert_eq!(counts, (&json!(0), &json!(0), &json!([])), "{report}");
    assert_eq!(report["kept_files"], json!([name("a.yaml")]), "{report}");
    // In a stream, objects with errors are omitted.
    let answer = convert(&["--newest"], &[&dir.path().join("a.yaml")], "");
    assert_eq!((answer.code, answer.out), (1, newer_set()));
}

#[test]
fn a_check_writes_nothing() {
    let dir = folder(&[("a.yaml", &format!("{SERVICE}---\n{SET}")), ("b.yaml", SERVICE)]);
    let answer = convert(&["--newest", "--check"], &[dir.path()], "");
    let name = dir.path().join("a.yaml");
    assert_eq!(answer.code, 1);
    assert_eq!(
        answer.out,
        format!("{}:6: apps/v1beta2 StatefulSet db → apps/v1 StatefulSet\n", name.display())
    );
    assert_eq!(answer.err, "1 object would change, in 1 of 2 files; 0 errors\n");
    assert_eq!(read(&dir, "a.yaml"), format!("{SERVICE}---\n{SET}"));
    let answer = convert(&["--newest", "--check"], &[&dir.path().join("b.yaml")], "");
    assert_eq!((answer.code, answer.out.as_str()), (0, ""));
    let answer = convert(&["--newest", "--check", "--quiet"], &[dir.path()], "");
    assert_eq!((answer.code, answer.err.as_str()), (1, ""));
}

#[test]
fn programs_read_the_report_as_json() {
    let typo = SET.replace("image:", "imaeg:").replace("name: db}", "name: db, namespace: prod}");
    let dir = folder(&[("a.yaml", &format!("{SERVICE}---\n{SET}---\n{typo}")), ("b.yaml", SERVICE)]);
    let file = dir.path().join("a.yaml").display().to_string();
    let from = json!({"apiVersion": "apps/v1beta2", "kind": "StatefulSet"});
    let to = json!({"apiVersion": "apps/v1", "kind": "StatefulSet"});
    let expected = json!({
        "ok": false, "files": 2, "changed_files": 1, "changed_objects": 1, "errors": 1, "warnings": 0,
        "kept_files": [],
        "changes": [{"file": file, "line": 6, "from": from, "to": to, "name": "db"}],
        "diagnostics": [{
            "severity": "error", "file": file, "line": 34, "column": 9,
            "path": "spec.template.spec.containers[0].imaeg",
            "message": "apps/v1beta2 StatefulSet has no such field",
            "help": "correct its name, or drop such fields with --drop-unknown",
        }],
    });
    let answer = convert(&["--newest", "--check", "--json"], &[dir.path()], "");
    assert_eq!((answer.code, answer.err.as_str()), (1, ""));
    assert_eq!(serde_json::from_str::<Value>(&answer.out).expect("JSON"), expected);
    // Standard output contains only the manifests.
    let list = format!("apiVersion: v1\nkind: List\nitems:\n- {}", SET.replace('\n', "\n  ").trim_end());
    let answer = convert(&["--newest", "--json"], &[], &list);
    assert_eq!((answer.code, answer.out.contains("apiVersion: apps/v1 ")), (0, true), "{}", answer.err);
    let report: Value = serde_json::from_str(&answer.err).expect("JSON");
    assert_eq!((&report["ok"], &report["changes"][0]["path"]), (&json!(true), &json!("items[0]")));
    let broken = convert(&["--newest", "--in-place", "--json"], &[&dir.path().join("missing.yaml")], "");
    let report: Value = serde_json::from_str(&broken.out).expect("JSON");
    assert_eq!((broken.code, &report["diagnostics"][0]["help"]), (1, &json!("check the path")));
}

/// A JSON list can be on one line.
#[test]
fn excerpts_of_long_lines_are_narrow() {
    let item = r#"{"apiVersion":"apps/v1beta2","kind":"Deployment","metadata":{"name":"a"}}"#;
    let wrong = item.replace("metadata", "metadat");
    let list = format!(
        r#"{{"apiVersion":"v1","kind":"List","items":[{},{wrong},{}]}}"#,
        [item; 50].join(","),
        [item; 50].join(",")
    );
    let answer = convert(&["--newest"], &[], &list);
    let column = list.find(r#""metadat""#).expect("the field") + 1;
    assert!(answer.err.contains(&format!("[<stdin>:1:{column}]")), "{}", answer.err);
    assert!(answer.err.contains("`-- items[50].metadat"), "{}", answer.err);
    assert!(answer.err.lines().all(|line| line.chars().count() < 200), "{}", answer.err);
}

#[test]
fn unknown_kinds_pass_through_with_a_warning() {
    let text = "\
# A resource of our own.
apiVersion: example.com/v1
kind: Gadget
spec: [1,   2]
---
just: values
---
apiVersion: policy/v1beta1
kind: PodSecurityPolicy
metadata: {name:   p}
";
    let answer = convert(&["--newest"], &[], text);
    assert_eq!((answer.code, answer.out.as_str()), (0, text));
    let lines: Vec<&str> = answer.err.lines().collect();
    assert_eq!(
        lines,
        [
            "warning: <stdin>:2:1: example.com/v1 Gadget is not a known kind; it stays as it is",
            "warning: <stdin>:6:1: expected an object with `apiVersion` and `kind`; this document stays as it is",
            "warning: <stdin>:8:1: no version of policy/v1beta1 PodSecurityPolicy is served after release 1.24; it stays \
             as it is",
            "  help: use instead: Pod Security admission: the labels pod-security.kubernetes.io/* of namespaces",
        ]
    );
}

#[test]
fn unknown_fields_are_never_lost_silently() {
    let text =
        SET.replace("image:", "imaeg:").replace("metadata: {name: db}", "metadata: {name: db, nmae: x}");
    let answer = convert(&["--newest"], &[], &text);
    assert_eq!((answer.code, answer.out.as_str()), (1, ""));
    assert_eq!(
        answer.err.matches("help: correct its name, or drop such fields with --drop-unknown").count(),
        2
    );

    let answer = convert(&["--newest", "--drop-unknown"], &[], &text);
    assert_eq!(answer.code, 0);
    let first = "warning: <stdin>:4:22: metadata.nmae: dropped this field: apps/v1beta2 StatefulSet has no such field";
    assert!(answer.err.starts_with(first), "{}", answer.err);
    let value: Value = serde_json::from_slice(&yaml::to_json(&answer.out).expect("YAML")).expect("JSON");
    assert_eq!(value["metadata"], json!({"name": "db"}));
    let container = &value["spec"]["template"]["spec"]["containers"][0];
    assert_eq!(*container, json!({"name": "db", "resources": {"limits": {"cpu": "1000m"}}}));
    // Objects that are not converted lose nothing.
    let newer = text.replace("apps/v1beta2", "apps/v1");
    assert_eq!(quietly(&["--newest"], &newer), newer);
}

#[test]
fn duplicate_keys_are_reported() {
    let text = SET.replace("  serviceName: db\n", "  serviceName: a\n  serviceName: db\n");
    let answer = convert(&["--newest"], &[], &text);
    assert_eq!(answer.code, 0);
    assert!(
        answer.err.contains("<stdin>:7:3: spec.serviceName: duplicate key; the last value counts"),
        "{}",
        answer.err
    );
    let value: Value = serde_json::from_slice(&yaml::to_json(&answer.out).expect("YAML")).expect("JSON");
    assert_eq!(value["spec"]["serviceName"], "db");
    let json =
        r#"{"apiVersion": "apps/v1beta2", "kind": "ReplicaSet", "metadata": {"name": "a", "name": "b"}}"#;
    let answer = convert(&["--newest"], &[], json);
    assert!(answer.err.contains("<stdin>:1:80: metadata.name: duplicate key"), "{}", answer.err);
    assert!(answer.out.contains(r#""name":"b""#), "{}", answer.out);
}

#[test]
fn lists_are_converted_item_by_item() {
    let list = "\
apiVersion: v1
kind: List
metadata: {resourceVersion: \"7\"}
items:
- apiVersion: apps/v1beta1   # old
  kind: ControllerRevision
  metadata: {name: a}
- kind: Service
  apiVersion: v1   # not touched
- apiVersion: example.com/v1
  kind: Gadget
- apiVersion: v1
  kind: List
  items:
  - {apiVersion: apps/v1beta2, kind: ControllerRevision}
";
    let answer = convert(&["--newest"], &[], list);
    let expected = list.replace("apps/v1beta1", "apps/v1").replace("apps/v1beta2", "apps/v1");
    assert_eq!((answer.code, answer.out), (0, expected));
    assert_eq!(
        answer.err,
        "warning: <stdin>:10:3: items[2]: example.com/v1 Gadget is not a known kind; it stays as it is\n"
    );
    let broken = list.replace("  metadata: {name: a}\n", "  metadata: {name: a}\n  typo: 1\n");
    let answer = convert(&["--newest"], &[], &broken);
    assert_eq!((answer.code, answer.out.as_str()), (1, ""));
    assert!(
        answer
            .err
            .starts_with("error: apps/v1beta1 ControllerRevision has no such field\n   ,-[<stdin>:8:3]\n")
            && answer.err.contains("`-- items[0].typo\n"),
        "{}",
        answer.err
    );
}

/// The text between and around the items of a list is preserved, whatever its layout.
#[test]
fn lists_keep_their_layout() {
    let lists = [
        // Indented, with other line breaks, comments and blank lines.
        "apiVersion: v1\r\nitems:\r\n  - apiVersion: apps/v1beta1 # x\r\n    kind: ControllerRevision\r\n  # two\r\n  -   kind: ControllerRevision\r\n      apiVersion: apps/v1beta1\r\n\r\n# end\r\nkind: List\r\n",
        // Dashes on separate lines, values that end with the item, a second document.
        "items:\n- \n  apiVersion: apps/v1beta1\n  kind: ControllerRevision\n  data: |+\n    x\n\n\n- # z\n  apiVersion: apps/v1beta1\n  kind: ControllerRevision\n  revision:\nkind: List\napiVersion: v1\n---\napiVersion: v1\nkind: ConfigMap\nitems: [1]\n",
        // A list that is indented completely, and one on a single line.
        "  apiVersion: v1\n  kind: List\n  items:\n  - apiVersion: apps/v1beta1\n    kind: ControllerRevision\n",
        "{items: [ {apiVersion: apps/v1beta1, kind: ControllerRevision}, {apiVersion: apps/v1beta1, kind: ControllerRevision, metadata: {name: \"é\"}} ], kind: List, apiVersion: v1}\n",
        // Directives apply to the whole document.
        "%YAML 1.2\n---\napiVersion: v1\nkind: List\nitems:\n- apiVersion: apps/v1beta1\n  kind: ControllerRevision\n",
        // JSON, with a different layout of each item.
        "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[\n  {\n    \"apiVersion\": \"apps/v1beta1\",\n    \"kind\": \"ControllerRevision\"\n  }, {\"apiVersion\":\"apps/v1beta1\",\"kind\":\"ControllerRevision\"}\n]}\n",
    ];
    for list in lists {
        assert_eq!(quietly(&["--newest"], list), list.replace("apps/v1beta1", "apps/v1"));
    }
    // Items that share an anchor are read together.
    let shared = "apiVersion: v1\nkind: List\nitems:\n- &a {apiVersion: apps/v1beta1, kind: ControllerRevision}\n- *a\n";
    assert_eq!(quietly(&["--newest"], shared).matches("apiVersion: apps/v1\n").count(), 2);
}

#[test]
fn errors_in_items_have_their_position() {
    let list = "\
apiVersion: v1
kind: List
items:
- apiVersion: apps/v1beta1
  kind: ControllerRevision
  revision: .inf
- apiVersion: apps/v1beta2
  kind: Deployment

  spoc: 1
";
    let answer = convert(&["--newest"], &[], list);
    assert_eq!((answer.code, answer.out.as_str()), (1, ""));
    let pictures: Vec<&str> = answer.err.split("\n\n").collect();
    for (picture, parts) in pictures.iter().zip([
        ["error: expected a finite number", "[<stdin>:6:13]", "6 |   revision: .inf", "`-- items[0]"],
        ["error: apps/v1beta2 Deployment has no", "[<stdin>:10:3]", "10 |   spoc: 1", "`-- items[1].spoc"],
    ]) {
        assert!(parts.iter().all(|part| picture.contains(part)), "{parts:?} are not in\n{}", answer.err);
    }
    // Lists with errors are neither counted nor written.
    let dir = folder(&[("a.yaml", list)]);
    let answer = convert(&["--newest", "--in-place"], &[dir.path()], "");
    assert!(answer.err.ends_with("0 objects changed, in 0 of 1 file; 2 errors\n"), "{}", answer.err);
    assert_eq!(read(&dir, "a.yaml"), list);
}

#[test]
fn typed_lists_are_converted_with_their_items() {
    let list = "\
apiVersion: extensions/v1beta1
kind: NetworkPolicyList
metadata: {continue: abc}
items:
- metadata: {name: a}   # kind is implied
  spec: {podSelector: {}, policyTypes: [Ingress]}
- apiVersion: extensions/v1beta1
  kind: NetworkPolicy
  metadata: {name: b}
  spec: {podSelector: {}, policyTypes: [Ingress]}
";
    let expected = list.replace("extensions/v1beta1", "networking.k8s.io/v1");
    assert_eq!(quietly(&["--newest"], list), expected);
    // The same for an empty list.
    let empty = "apiVersion: extensions/v1beta1\nkind: NetworkPolicyList\nitems: []\n";
    assert_eq!(quietly(&["--newest"], empty), empty.replace("extensions/v1beta1", "networking.k8s.io/v1"));
    let mixed = list.replace("  kind: NetworkPolicy\n", "  kind: Ingress\n");
    let answer = convert(&["--newest"], &[], &mixed);
    assert_eq!(answer.code, 1);
    assert!(
        answer.err.contains("error: expected extensions/v1beta1 NetworkPolicy")
            && answer.err.contains("[<stdin>:7:3]"),
        "{}",
        answer.err
    );
}

#[test]
fn many_files_show_no_progress_to_a_file() {
    let files: Vec<(String, &str)> = (0..200).map(|index| (format!("{index}.yaml"), SET)).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    let dir = folder(&files);
    let answer = convert(&["--newest", "--in-place"], &[dir.path()], "");
    assert_eq!(answer.err, "200 objects changed, in 200 of 200 files; 0 errors\n");
    assert_eq!(read(&dir, "199.yaml"), newer_set());
}

/// The folder of hand-written manifests, which is not part of the repository.
fn examples() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/manifests/examples");
    if !path.exists() {
        // The test harness captures `println!`, but not this.
        let _ = writeln!(std::io::stderr(), "left out: no manifests at {}", path.display());
        return None;
    }
    Some(path)
}

fn documents(text: &str) -> Vec<Vec<u8>> {
    let all = yaml::documents(text).map(|document| document.expect("YAML").json);
    all.filter(|json| json != b"null").collect()
}

fn context() -> Context {
    Context { now: Time::default() }
}

fn defaulted(scheme: &Scheme, json: &[u8]) -> Object {
    let (mut object, decoded) = scheme.decode(json).expect("an object");
    assert_eq!(decoded.unknown, Vec::<String>::new());
    object.set_defaults(&context());
    object
}

#[test]
fn real_manifests_survive_a_round_trip_through_the_newest_version() {
    let Some(dir) = examples() else { return };
    let scheme = hubgen_kubernetes::scheme();
    let copy = tempfile::tempdir().expect("a folder");
    let mut names: Vec<_> =
        fs::read_dir(&dir).expect("read").map(|entry| entry.expect("read").file_name()).collect();
    names.sort();
    for name in &names {
        fs::copy(dir.join(name), copy.path().join(name)).expect("copied");
    }
    let answer = convert(&["--newest", "--in-place"], &[copy.path()], "");
    let errors: Vec<&str> = answer.err.lines().filter(|line| line.starts_with("error: ")).collect();
    assert!(errors.is_empty(), "{}", answer.err);
    let (mut objects, mut converted) = (0, 0);
    for name in &names {
        let original = fs::read_to_string(dir.join(name)).expect("read");
        let newest = fs::read_to_string(copy.path().join(name)).expect("read");
        let (before, after) = (documents(&original), documents(&newest));
        assert_eq!(before.len(), after.len(), "{name:?}");
        for (before, after) in before.iter().zip(&after) {
            objects += 1;
            if before == after {
                continue;
            }
            converted += 1;
            let original = defaulted(&scheme, before);
            let (newest, decoded) = scheme.decode(after).expect("an object");
            assert_eq!(decoded.unknown, Vec::<String>::new(), "{name:?}");
            assert_eq!(
                (newest.entry.until.as_deref(), newest.entry.is_family_of(&original.entry)),
                (None, true),
                "{name:?}"
            );
            let mut back = scheme.convert(newest, &original.entry).expect("converted");
            back.set_defaults(&context());
            assert_eq!(back, original, "{name:?}");
        }
    }
    assert!(
        names.len() >= 116 && objects > names.len() && converted >= 3,
        "{objects} objects, {converted} converted"
    );
}

#[test]
fn a_diff_is_a_patch_of_the_files() {
    let dir = folder(&[("a.yaml", SET), ("b/c.yaml", SERVICE), ("end.yaml", SET.trim_end())]);
    let run = |args: &[&str]| {
        let (code, out, err) = input::run(
            hubgen().current_dir(dir.path()).arg("convert").args(args).args(["--newest", "."]),
            "",
        );
        Answer { code, out, err }
    };
    let answer = run(&["--diff"]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let hunk = "\
--- a/a.yaml
+++ b/a.yaml
@@ -1,5 +1,5 @@
 # Who wrote this, and why.
-apiVersion: apps/v1beta2  # since 1.8
+apiVersion: apps/v1  # since 1.8
 kind: StatefulSet
 metadata: {name: db}
 spec:
--- a/end.yaml
";
    assert!(answer.out.starts_with(hunk), "{}", answer.out);
    assert!(answer.err.contains("2 objects would change, in 2 of 3 files"), "{}", answer.err);
    assert_eq!(read(&dir, "a.yaml"), SET, "nothing is written");
    // It can fail, as --check does.
    assert_eq!(run(&["--diff", "--check"]).code, 1);
    let patched = std::process::Command::new("git")
        .current_dir(dir.path())
        .args(["apply", "-"])
        .stdin(std::process::Stdio::piped())
        .spawn()
        .and_then(|mut git| {
            git.stdin.take().expect("piped").write_all(answer.out.as_bytes())?;
            git.wait()
        });
    assert!(patched.expect("git").success());
    assert_eq!(
        (read(&dir, "a.yaml"), read(&dir, "end.yaml")),
        (newer_set(), newer_set().trim_end().to_owned())
    );
    let answer = run(&["--diff", "--check"]);
    assert_eq!((answer.code, &*answer.out), (0, ""));
}

#[test]
fn a_file_with_errors_has_no_diff() {
    let wrong = SET.replace("serviceName", "servceName");
    let dir = folder(&[("a.yaml", &format!("{SET}---\n{wrong}")), ("b.yaml", SET)]);
    let answer = convert(&["--newest", "--diff"], &[dir.path()], "");
    assert_eq!(answer.code, 1);
    assert!(!answer.out.contains("a.yaml") && answer.out.contains("b.yaml"), "{}", answer.out);
    assert!(answer.err.contains("a.yaml stays as it is"), "{}", answer.err);
}

#[test]
fn a_hook_before_a_commit_fails_if_it_changes_something() {
    let template = "apiVersion: apps/v1beta2\n{{- if .Values.on }}\nkind: StatefulSet\n{{- end }}\n";
    let files = [("a.yaml", SET), ("values.yaml", "on: [true"), ("template.yaml", template)];
    let dir = folder(&files);
    let run = || {
        let paths = files.map(|(name, _)| dir.path().join(name));
        convert(&["--newest", "--pre-commit"], &paths.each_ref().map(PathBuf::as_path), "")
    };
    let answer = run();
    assert_eq!(answer.code, 1, "{}", answer.err);
    assert!(answer.err.contains("1 object changed, in 1 of 2 files; 0 errors"), "{}", answer.err);
    assert!(answer.err.contains("it seems to be a template"), "{}", answer.err);
    assert_eq!(read(&dir, "a.yaml"), newer_set());
    assert_eq!(
        (read(&dir, "values.yaml"), read(&dir, "template.yaml")),
        ("on: [true".to_owned(), template.to_owned())
    );
    assert_eq!(run().code, 0);
    // What is no template has to be right.
    fs::write(dir.path().join("a.yaml"), "apiVersion: [").expect("written");
    let answer = run();
    assert!(answer.code == 1 && answer.err.contains("1 error"), "{}", answer.err);
}

#[test]
fn patches_of_kustomize_are_no_objects() {
    let patch =
        "apiVersion: extensions/v1beta1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 5}\n";
    let kustomization = "\
resources: [web.yaml]
patches:
- path: patches/more.yaml
- target: {group: extensions, version: v1beta1, kind: Deployment}
  patch: |-
    - {op: replace, path: /spec/replicas, value: 4}
";
    let dir =
        folder(&[("kustomization.yaml", kustomization), ("patches/more.yaml", patch), ("other.yaml", patch)]);
    let answer = convert(&["--newest", "--in-place"], &[dir.path()], "");
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert_eq!(read(&dir, "patches/more.yaml"), patch.replace("extensions/v1beta1", "apps/v1"));
    // As an object, it has what the old version has by default.
    assert!(read(&dir, "other.yaml").contains("progressDeadlineSeconds"), "{}", read(&dir, "other.yaml"));
    assert_eq!(read(&dir, "kustomization.yaml"), kustomization);
    assert!(answer.err.contains("patches[1].target"), "{}", answer.err);
    assert!(answer.err.contains("refers to extensions/v1beta1 Deployment"), "{}", answer.err);
}
