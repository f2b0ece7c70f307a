//! `hubgen explain-conversion`: the rules between two versions, and what becomes of an object.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::process::hubgen;

/// The exit code, standard output and standard error.
fn explain(arguments: &[&str], folder: &Path) -> (Option<i32>, String, String) {
    let output =
        hubgen().arg("explain-conversion").args(arguments).current_dir(folder).output().expect("hubgen runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// What is printed without a message.
fn shown(arguments: &[&str], folder: &Path) -> String {
    let (code, out, error) = explain(arguments, folder);
    assert_eq!((code, &*error), (Some(0), ""), "{arguments:?}");
    out
}

fn json(arguments: &[&str], folder: &Path) -> Value {
    let out = shown(&[arguments, &["--json"]].concat(), folder);
    let report: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((&report["ok"], &report["diagnostics"]), (&json!(true), &json!([])));
    report
}

/// A repository with the kind Lamp at two versions, v2 being the hub.
fn lamps() -> tempfile::TempDir {
    let version = |name: &str, spec: &str| {
        format!(
            "  - name: {name}\n    served: true\n    storage: {}\n    schema: {{openAPIV3Schema: {{type: object, properties: \
             {{spec: {{type: object, properties: {{{spec}}}}}}}}}}}\n",
            name == "v2"
        )
    };
    let old = "power: {type: integer}, colour: {type: string}, fuse: {type: string}, bulbs: {type: array, items: \
               {type: object, properties: {size: {type: string}}}}, note: {type: string}";
    let new = "watts: {type: integer}, colour: {type: string}, dimmed: {type: boolean}, bulbs: {type: array, items: \
               {type: object, properties: {socket: {type: string}}}}, note: {type: string}";
    let definition = format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: lamps.example.com}}\n\
         spec:\n  group: example.com\n  names: {{kind: Lamp, plural: lamps, singular: lamp, listKind: LampList}}\n\
         \x20 scope: Namespaced\n  versions:\n{}{}",
        version("v1", old),
        version("v2", new)
    );
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    fs::create_dir_all(path.join("definitions")).expect("made");
    fs::write(path.join("definitions/lamps.yaml"), definition).expect("written");
    fs::write(path.join("hubgen.toml"), "").expect("written");
    let imported = hubgen().args(["import", "definitions"]).current_dir(path).output().expect("hubgen runs");
    assert!(imported.status.success(), "{}", String::from_utf8_lossy(&imported.stderr));
    fs::create_dir_all(path.join("schemas/rules")).expect("made");
    fs::write(path.join("schemas/rules/example.com.Lamp.toml"), RULES).expect("written");
    fs::write(path.join("old.yaml"), OLD).expect("written");
    fs::write(path.join("new.yaml"), NEW).expect("written");
    folder
}

const RULES: &str = r#"hub = "example.com/v2"

["example.com/v1"]
move = [
    ["spec.power", "spec.watts"],
    ["spec.bulbs.size", "spec.bulbs.socket"],
]
words = [{ from = "spec.colour", to = "spec.colour", words = { warm = "Warm", cold = "Cold" } }]
drop = ["spec.fuse"]
keep = ["spec.dimmed"]
"#;

const OLD: &str = r#"apiVersion: v1
kind: ConfigMap
metadata: {name: other}
---
apiVersion: example.com/v1
kind: Lamp
metadata:
  name: desk
  namespace: home
spec:
  colour: warm
  power: 40
  fuse: slow
  bulbs:
  - size: E14
  - size: E27
"#;

const NEW: &str = r#"apiVersion: v1
kind: List
items:
- apiVersion: example.com/v2
  kind: Lamp
  metadata: {name: desk}
  spec:
    watts: 40
    dimmed: true
"#;

const LAMP: [&str; 5] = ["--config", "hubgen.toml", "Lamp", "v1", "v2"];
const LAMP_BACK: [&str; 5] = ["--config", "hubgen.toml", "lamps", "example.com/v2", "v1"];

#[test]
fn rules_of_kubernetes_are_shown_with_their_fields() {
    let here = Path::new(".");
    insta::assert_snapshot!("explain-conversion-hpa", shown(&["hpa", "v2beta2", "autoscaling/v1"], here));
    insta::assert_snapshot!("explain-conversion-event", shown(&["Event", "events.k8s.io/v1", "v1"], here));
}

#[test]
fn rules_of_a_repository_are_shown_with_their_lines() {
    let folder = lamps();
    insta::assert_snapshot!("explain-conversion-lamp", shown(&LAMP, folder.path()));
    insta::assert_snapshot!("explain-conversion-lamp-back", shown(&LAMP_BACK, folder.path()));
    let report = json(&LAMP, folder.path());
    assert_eq!((&report["from"], &report["to"]), (&json!("example.com/v1"), &json!("example.com/v2")));
    let rules = report["rules"].as_array().expect("rules");
    let dropped = rules.iter().find(|rule| rule["operator"] == "drop").expect("a rule that drops");
    let (file, line) = (&dropped["file"], dropped["line"].as_u64().expect("a line"));
    assert_eq!(*file, "schemas/rules/example.com.Lamp.toml");
    assert!(RULES.lines().nth(line as usize - 1).expect("the line").starts_with("drop"), "{dropped}");
    assert_eq!(dropped["paths"], json!({"from": ["spec.fuse"], "hub": [], "to": []}));
    let bulbs = rules.iter().find(|rule| rule["paths"]["from"] == json!(["spec.bulbs[].size"]));
    assert_eq!(bulbs.expect("a rule of elements")["paths"]["to"], json!(["spec.bulbs[].socket"]));
}

/// Types in Rust have their rules in attributes.
#[test]
fn rules_in_attributes_are_shown_with_their_lines() {
    let report =
        json(&["Demo", "v1", "v1alpha1", "--config", "hubgen.toml"], Path::new("../../examples/demo"));
    let rules = report["rules"].as_array().expect("rules");
    let moved = rules.iter().find(|rule| rule["operator"] == "move").expect("a rule that moves");
    assert_eq!(moved["file"], "src/api/v1.rs");
    let text = fs::read_to_string("../../examples/demo/src/api/v1.rs").expect("read");
    let line = moved["line"].as_u64().expect("a line") as usize;
    assert!(text.lines().nth(line - 1).expect("the line").contains("renamed(v1alpha1"), "{moved}");
}

#[test]
fn fields_of_an_object_are_traced_to_their_lines() {
    let folder = lamps();
    let (code, out, error) = explain(&[&LAMP[..], &["old.yaml"]].concat(), folder.path());
    assert_eq!(code, Some(0), "{error}");
    assert!(
        error.contains("old.yaml:1:1: skipped: this is v1 ConfigMap, not example.com/v1 Lamp"),
        "{error}"
    );
    insta::assert_snapshot!("explain-conversion-old", out);
    insta::assert_snapshot!(
        "explain-conversion-new",
        shown(&[&LAMP_BACK[..], &["new.yaml"]].concat(), folder.path())
    );
    let report = json(&[&LAMP_BACK[..], &["new.yaml"]].concat(), folder.path());
    let object = &report["objects"][0];
    assert_eq!((&object["line"], &object["name"]), (&json!(4), &json!("desk")));
    let kept = json!([{
        "annotation": "conversion.hubgen.dev/kept",
        "hub": "spec.dimmed",
        "source": {"path": "spec.dimmed", "line": 9},
        "kept": "value",
        "value": true,
    }]);
    assert_eq!(object["kept"], kept);
    let written = &object["written"][0];
    assert_eq!((&written["path"], &written["value"]), (&json!("spec.power"), &json!(40)));
    assert_eq!(written["sources"], json!([{"path": "spec.watts", "line": 8}]));
    assert_eq!(object["changed_back"], json!([]));
}

/// What an annotation kept comes back, and no rule has written it.
#[test]
fn fields_from_an_annotation_are_shown_as_such() {
    let folder = lamps();
    let config = ["convert", "--config", "hubgen.toml", "--to", "example.com/v1", "new.yaml"];
    let converted = hubgen().args(config).current_dir(folder.path()).output().expect("hubgen runs");
    fs::write(folder.path().join("kept.yaml"), converted.stdout).expect("written");
    let report = json(&[&LAMP[..], &["kept.yaml"]].concat(), folder.path());
    let written = report["objects"][0]["written"].as_array().expect("fields");
    let dimmed = written.iter().find(|field| field["path"] == "spec.dimmed").expect("it comes back");
    assert_eq!(dimmed["annotation"], "conversion.hubgen.dev/kept");
}

#[test]
fn annotations_of_kubernetes_are_explained() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: web}\nspec:\n  maxReplicas: 3\n\
                \x20 scaleTargetRef: {kind: Deployment, name: web}\n  behavior:\n    scaleUp: {selectPolicy: Max}\n";
    fs::write(folder.path().join("web.yaml"), text).expect("written");
    let out = shown(&["HorizontalPodAutoscaler", "v2", "autoscaling/v1", "web.yaml"], folder.path());
    insta::assert_snapshot!("explain-conversion-annotation", out);
}

/// Items of a list of one kind need not say what they are; a value that no field has comes with its rule.
#[test]
fn items_of_a_list_are_found_in_json_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = r#"{"apiVersion": "autoscaling/v2beta1", "kind": "HorizontalPodAutoscalerList", "items": [
  {"metadata": {"name": "web"}, "spec": {"maxReplicas": 3, "scaleTargetRef": {"kind": "Deployment", "name": "web"},
    "metrics": [{"type": "Resource", "resource": {"name": "cpu",
      "targetAverageUtilization": 50}}]}}]}
"#;
    fs::write(folder.path().join("list.json"), text).expect("written");
    let out = shown(&["hpa", "v2beta1", "v2", "list.json"], folder.path());
    insta::assert_snapshot!("explain-conversion-list", out);
}

/// Of several forms, the one about the field itself counts, not one about an object around it.
#[test]
fn another_form_has_its_own_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("cert.yaml");
    let text = "apiVersion: cert-manager.io/v1alpha2\nkind: Certificate\nmetadata: {name: a}\nspec:\n  secretName: a\n\
                \x20 issuerRef: {name: a}\n  keySize: 4096\n";
    fs::write(&file, text).expect("written");
    let file = file.to_str().expect("text");
    let example = Path::new("../../examples/cert-manager");
    let report = json(&["Certificate", "v1alpha2", "v1", file, "--config", "hubgen.toml"], example);
    let changed = json!([{
        "path": "spec.privateKey",
        "line": 4,
        "was": null,
        "is": {},
        "why": "an absent `spec.privateKey` becomes empty if the hub has this object",
    }]);
    assert_eq!(report["objects"][0]["changed_back"], changed);
}

/// The exit code, and the message.
fn refused(arguments: &[&str], folder: &Path) -> String {
    let (code, out, error) = explain(arguments, folder);
    assert_eq!((code, &*out), (Some(1), ""), "{arguments:?}");
    let (code, out, _) = explain(&[arguments, &["--json"]].concat(), folder);
    let report: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((code, &report["ok"]), (Some(1), &json!(false)));
    let diagnostics = report["diagnostics"].as_array().expect("diagnostics");
    assert!(diagnostics.iter().any(|found| found["severity"] == "error"), "{report}");
    error
}

#[test]
fn errors_say_what_there_is() {
    let here = Path::new(".");
    for (arguments, expected) in [
        (["Deploymnet", "v1", "v1beta1"], ["no kind is called `Deploymnet`", "Deployment.apps"]),
        (["Deployment", "v7", "v1"], ["Deployment has no version `v7`", "extensions/v1beta1, apps/v1beta1"]),
        (
            ["Deployment", "v1beta1", "v1"],
            ["Deployment has several versions `v1beta1`", "write one of extensions/v1beta1, apps/v1beta1"],
        ),
        (["Deployment", "apps/v1", "v1"], ["both versions are apps/v1", "name two of extensions/v1beta1"]),
        (
            ["AdmissionReview", "v1alpha1", "v1"],
            [
                "admission.k8s.io/v1alpha1 AdmissionReview does not convert: requests",
                "admission.k8s.io/v1beta1",
            ],
        ),
    ] {
        let error = refused(&arguments, here);
        assert!(expected.iter().all(|part| error.contains(part)), "{arguments:?}: {error}");
    }
    let folder = lamps();
    let lamp = |file| [&LAMP[..], &[file]].concat();
    let error = refused(&lamp("new.yaml"), folder.path());
    assert!(error.contains("expected an object of example.com/v1 Lamp, found none"), "{error}");
    fs::write(folder.path().join("wrong.yaml"), OLD.replace("fuse:", "fuze:")).expect("written");
    let error = refused(&lamp("wrong.yaml"), folder.path());
    assert!(error.contains("wrong.yaml:13") && error.contains("spec.fuze"), "{error}");
}
