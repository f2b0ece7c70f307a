//! Tests the command `hubgen validate`.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::input;
use crate::process::{Process, hubgen};

const DEFINITION: &str = r#"# What widgets are.
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.shop.example.com}
spec:
  group: shop.example.com
  scope: Namespaced
  names: {kind: Widget, listKind: WidgetList, plural: widgets, singular: widget}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            required: [size]
            properties:
              size: {type: integer, minimum: 1, maximum: 10}
              colour: {type: string, enum: [red, green], default: red}
              name:
                type: string
                maxLength: 20
                x-kubernetes-validations: [{rule: self == oldSelf, message: must not change}]
              tags: {type: array, maxItems: 5, x-kubernetes-list-type: set, items: {type: string}}
              labels: {type: object, additionalProperties: {type: string, maxLength: 5}}
            x-kubernetes-validations:
            - {rule: "self.size < 5 || self.colour == 'green'", messageExpression: "'large and ' + self.colour"}
          status: {type: object, properties: {phase: {type: string, enum: [Ready]}}}
  - name: v0
    served: false
    storage: false
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
"#;

const WRONG: &str = "\
apiVersion: shop.example.com/v1
kind: Widget
metadata: {name: wrong} # the name
spec:
  size: 7
  # A colour that nobody sells.
  tags: [a, b, a]
  labels:
    a.b/c: too long
  sise: 1
";

/// Runs the command in a folder. Returns its exit code, its standard output and its standard error.
fn validate(folder: &Path, args: &[&str], input: &str) -> (i32, String, String) {
    input::run(hubgen().arg("validate").args(args).current_dir(folder), input)
}

/// What is found, in JSON.
fn found(folder: &Path, args: &[&str], input: &str) -> Value {
    let (_, out, err) = validate(folder, &[&["--json"], args].concat(), input);
    assert_eq!(err, "");
    serde_json::from_str(&out).expect("JSON")
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (file, text) in files {
        fs::write(folder.path().join(file), text).expect("written");
    }
    folder
}

#[test]
fn mistakes_are_shown_where_they_are() {
    let folder = folder(&[("crd.yaml", DEFINITION), ("widget.yaml", WRONG)]);
    let (code, out, err) = validate(folder.path(), &["crd.yaml", "widget.yaml"], "");
    assert_eq!((code, &*out), (1, ""));
    insta::assert_snapshot!("validate-pictures", err);
}

#[test]
fn what_is_right_is_counted() {
    let right = WRONG.replace("size: 7", "size: 3").replace("[a, b, a]", "[a]").replace("too long", "b");
    let right = right.replace("  sise: 1\n", "");
    let folder = folder(&[("crd.yaml", DEFINITION), ("widget.yaml", &right)]);
    let (code, out, err) = validate(folder.path(), &["."], "");
    assert_eq!((code, &*out, &*err), (0, "", "2 objects in 2 files, 0 invalid; 0 errors\n"));
    let (code, _, err) = validate(folder.path(), &["--definition", "crd.yaml", "--quiet"], &right);
    assert_eq!((code, &*err), (0, ""));
}

#[test]
fn programs_get_places_and_counts() {
    let folder = folder(&[("crd.yaml", DEFINITION)]);
    let list = json!({"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "shop.example.com/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": {"size": "huge"}},
        {"apiVersion": "shop.example.com/v0", "kind": "Widget", "metadata": {"name": "b"}},
        {"apiVersion": "shop.example.com/v2", "kind": "Widget", "metadata": {"name": "c"}},
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "D"}, "spec": {"replicas": "3"}},
    ]});
    let found = found(folder.path(), &["-", "--definition", "crd.yaml"], &list.to_string());
    let all: Vec<String> = found["diagnostics"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|found| {
            format!("{} {}: {}", found["line"], found["path"].as_str().unwrap_or_default(), found["message"])
        })
        .collect();
    insta::assert_snapshot!("validate-json", all.join("\n"));
    assert_eq!(found["ok"], false);
    assert_eq!(
        (&found["objects"], &found["invalid_objects"], &found["unknown_objects"]),
        (&5.into(), &4.into(), &1.into())
    );
}

#[test]
fn a_change_may_keep_what_was_wrong() {
    let widget = |size: u8, name: &str| {
        format!(
            "{{apiVersion: shop.example.com/v1, kind: Widget, metadata: {{name: a}}, spec: {{size: {size}, name: {name}}}}}"
        )
    };
    let folder = folder(&[
        ("crd.yaml", DEFINITION),
        ("old.yaml", &widget(20, "one")),
        ("new.yaml", &widget(20, "two")),
    ]);
    let messages = |args: &[&str]| -> Vec<String> {
        let found = found(folder.path(), args, "");
        let all = found["diagnostics"].as_array().expect("a list").clone();
        all.iter()
            .map(|found| format!("{} {}", found["path"], found["message"].as_str().unwrap_or_default()))
            .collect()
    };
    let of_new = messages(&["--definition", "crd.yaml", "new.yaml"]);
    assert!(of_new[0].contains("spec.size in body should be less than or equal to 10"), "{of_new:?}");
    let of_change = messages(&["--definition", "crd.yaml", "--old", "old.yaml", "new.yaml"]);
    assert!(
        of_change.contains(&r#""spec.name" Invalid value: "two": must not change"#.to_owned()),
        "{of_change:?}"
    );
    assert!(!of_change.iter().any(|message| message.contains("less than or equal")), "{of_change:?}");
    assert_eq!(messages(&["--definition", "crd.yaml", "--old", "old.yaml", "old.yaml"]).len(), 1);
}

#[test]
fn unknown_kinds_and_fields_can_be_let_through() {
    let folder = folder(&[]);
    let input = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, dato: {}}\n---\n{apiVersion: a.b/v1, kind: C}\n";
    let (code, _, err) = validate(folder.path(), &[], input);
    assert_eq!(code, 1);
    assert!(err.contains("unknown field \"dato\""), "{err}");
    assert!(err.contains("no kind \"C\" is known for version \"a.b/v1\""), "{err}");
    let (code, _, err) =
        validate(folder.path(), &["--allow-unknown-fields", "--ignore-unknown-kinds"], input);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("warning: <stdin>:1:56: dato: unknown field \"dato\""), "{err}");
}

#[test]
fn kinds_of_a_repository_are_known() {
    let config = Path::new("../../examples/demo/hubgen.toml").canonicalize().expect("it exists");
    let config = config.to_str().expect("text");
    let folder = folder(&[]);
    let right = "{apiVersion: example.com/v1, kind: Demo, metadata: {name: a}, spec: {image: b}}";
    let (_, _, err) = validate(folder.path(), &["--config", config], right);
    assert!(!err.contains("no kind"), "{err}");
    let (code, _, err) =
        validate(folder.path(), &["--config", config], &right.replace("image: b", "image: 1"));
    assert_eq!(code, 1);
    assert!(err.contains("spec.image"), "{err}");
}

/// Whatever is found without a server, a server of ours answers, too.
#[test]
fn a_server_gives_the_same_causes() {
    let folder = folder(&[("crd.yaml", DEFINITION)]);
    let server = Process::start_with(folder.path(), &[]);
    let yaml = |text: &str| -> Value {
        let json = hubgen_kubernetes::machinery::yaml::to_json(text).expect("YAML");
        serde_json::from_slice(&json).expect("JSON")
    };
    let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    server.client.post(definitions, &yaml(DEFINITION)).expect(201);
    let widgets = "/apis/shop.example.com/v1/namespaces/default/widgets";
    let start = std::time::Instant::now();
    while server.client.get(widgets).code == 404 {
        assert!(start.elapsed() < std::time::Duration::from_secs(60), "the kind is not served");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let widget = |spec: &str| {
        format!("{{apiVersion: shop.example.com/v1, kind: Widget, metadata: {{name: a}}, spec: {spec}}}")
    };
    let metadata = |metadata: &str| format!("{{apiVersion: v1, kind: ConfigMap, metadata: {metadata}}}");
    let (maps, roles) =
        ("/api/v1/namespaces/default/configmaps", "/apis/rbac.authorization.k8s.io/v1/clusterroles");
    let cases = [
        (widgets, WRONG.replace("  sise: 1\n", "")),
        (widgets, widget("{size: 5}")),
        (widgets, widget("{size: a, tags: b, labels: {c: 1}}")),
        (widgets, widget("{colour: blue, size: 0}")),
        (widgets, widget("{size: 1, tags: [a, b, c, d, e, f, a]}")),
        (widgets, widget("{size: 1}").replace("name: a", "name: A_b, labels: {'a b': c}")),
        (widgets, widget("{size: 1}").replace("name: a", "generateName: A_b")),
        (widgets, widget("{size: 1}").replace("name: a", "")),
        (maps, metadata("{name: a, labels: {a: 'b c'}, annotations: {'d e': f}}")),
        (maps, metadata("{name: a, ownerReferences: [{name: b}], finalizers: ['a b']}")),
        (maps, metadata("{}")),
        (
            roles,
            "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: a}, rules: [{}]}"
                .to_owned(),
        ),
        (
            definitions,
            DEFINITION
                .replace("widgets", "gadgets")
                .replace("type: integer", "type: int")
                .replace("self == oldSelf", "self =="),
        ),
        (
            definitions,
            DEFINITION
                .replace("scope: Namespaced", "scope: Global")
                .replace("storage: true", "storage: false"),
        ),
    ];
    for (path, text) in cases {
        let answer = server.client.post(path, &yaml(&text)).expect(422);
        let causes = answer["details"]["causes"].as_array().expect("causes").clone();
        let mut expected: Vec<(String, String)> = causes
            .iter()
            .map(|cause| {
                let text = |key: &str| cause[key].as_str().unwrap_or_default().to_owned();
                (text("field").replace("<nil>", ""), text("message"))
            })
            .collect();
        let files: &[&str] = if path == definitions { &[] } else { &["--definition", "crd.yaml"] };
        let found = found(folder.path(), files, &text);
        let mut ours: Vec<(String, String)> = found["diagnostics"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|found| {
                let text = |key: &str| found[key].as_str().unwrap_or_default().to_owned();
                (text("path"), text("message"))
            })
            .collect();
        expected.sort();
        ours.sort();
        assert_eq!(ours, expected, "{text}");
    }
}
