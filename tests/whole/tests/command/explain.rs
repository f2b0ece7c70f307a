//! `hubgen explain`: what it prints for kinds of Kubernetes and of a repository.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::process::hubgen;

/// The exit code, standard output and standard error.
fn explain(arguments: &[&str], folder: &Path) -> (Option<i32>, String, String) {
    let output = hubgen().arg("explain").args(arguments).current_dir(folder).output().expect("hubgen runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn kinds(arguments: &[&str], folder: &Path) -> Vec<Value> {
    let (code, out, error) = explain(&[arguments, &["--json"]].concat(), folder);
    assert_eq!((code, &*error), (Some(0), ""), "{arguments:?}");
    let report: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(report["ok"], true);
    report["kinds"].as_array().expect("kinds").clone()
}

#[test]
fn a_kind_is_shown_with_its_versions_and_its_behaviour() {
    let (code, out, error) = explain(&["deploy"], Path::new("."));
    assert_eq!((code, &*error), (Some(0), ""));
    insta::assert_snapshot!("explain-deployment", out);
    let (.., out, _) = explain(&["Event"], Path::new("."));
    insta::assert_snapshot!("explain-event", out);
    let (.., out, _) = explain(&["TokenReview"], Path::new("."));
    insta::assert_snapshot!("explain-review", out);
    let (.., out, _) = explain(&["DeleteOptions.core"], Path::new("."));
    insta::assert_snapshot!("explain-options", out);
}

#[test]
fn json_has_the_same_facts() {
    let nodes = kinds(&["nodes"], Path::new("."));
    let node = &nodes[0];
    assert_eq!(nodes.len(), 1);
    assert_eq!((&node["kind"], &node["keys"]), (&json!("Node"), &json!("/registry/minions/")));
    assert_eq!((&node["generation"], &node["names"]), (&json!("none"), &json!("subdomain")));
    assert_eq!(node["keeps_status_on_creation"], true);
    assert_eq!(node["versions"][0]["selectable_fields"][0]["name"], "spec.unschedulable");
    assert_eq!(node["file"], "schemas/kubernetes/behaviour/core.toml");
    let column = json!({"name": "Internal-IP", "type": "string", "format": "", "priority": 1});
    assert_eq!(node["versions"][0]["columns"][5], column);
    let endpoints = kinds(&["endpoints"], Path::new("."));
    assert_eq!(
        endpoints[0]["versions"][0]["deprecation_warning"],
        "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"
    );
    let events = kinds(&["events.events.k8s.io"], Path::new("."));
    assert_eq!(events[0]["time_to_live_seconds"], 3600);
    let versions = events[0]["versions"].as_array().expect("versions");
    let never: Vec<&Value> = versions
        .iter()
        .filter(|version| version["never_owner"] == true)
        .map(|version| &version["version"])
        .collect();
    assert_eq!(never, ["v1"]);
    // What is usual needs no file.
    assert_eq!(kinds(&["ConfigMap"], Path::new("."))[0]["file"], Value::Null);
}

#[test]
fn an_unknown_kind_is_an_error_with_similar_names() {
    let (code, out, error) = explain(&["Deploymnet"], Path::new("."));
    assert_eq!((code, &*out), (Some(1), ""));
    assert!(
        error.contains("no kind is called `Deploymnet`")
            && error.contains("similar names are Deployment.apps"),
        "{error}"
    );
    let (code, out, error) = explain(&["Deploymnet", "--json"], Path::new("."));
    assert_eq!((code, &*error), (Some(1), ""));
    let report: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((&report["ok"], &report["diagnostics"][0]["severity"]), (&json!(false), &json!("error")));
}

/// A repository says what is special about its kinds as Kubernetes' schemas do.
#[test]
fn kinds_of_a_repository_have_behaviour_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    fs::create_dir_all(path.join("definitions")).expect("made");
    fs::create_dir_all(path.join("schemas/behaviour")).expect("made");
    let definition = include_str!("repository/widgets.yaml");
    fs::write(path.join("definitions/widgets.yaml"), definition).expect("written");
    fs::write(path.join("hubgen.toml"), "").expect("written");
    let imported = hubgen().args(["import", "definitions"]).current_dir(path).output().expect("hubgen runs");
    assert!(imported.status.success(), "{}", String::from_utf8_lossy(&imported.stderr));
    let widget = || kinds(&["Widget", "--config", "hubgen.toml"], path).remove(0);
    assert_eq!(widget()["names"], "subdomain");
    let group = widget()["group"].as_str().expect("a group").to_owned();
    let file = path.join(format!("schemas/behaviour/{group}.toml"));
    fs::write(&file, "[group]\npriority = 7\n\n[Widget]\nnames = \"label\"\n").expect("written");
    assert_eq!((&widget()["names"], &widget()["priority"]), (&json!("label"), &json!(7)));
    fs::write(&file, "[Widget]\nnames = \"long\"\n").expect("written");
    let (code, _, error) = explain(&["Widget", "--config", "hubgen.toml"], path);
    assert_eq!(code, Some(1));
    assert!(error.contains("unknown word `long`") && error.contains(&format!("{group}.toml:2:9")), "{error}");
}

/// The newest version is the hub, whichever is stored.
#[test]
fn the_definition_tells_which_version_is_stored() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let (old, new) =
        include_str!("repository/widgets.yaml").split_once("  - name: v1\n").expect("two versions");
    let old = old.replacen("storage: false", "storage: true", 1);
    let new = new.replacen("storage: true", "storage: false", 1);
    fs::write(path.join("widgets.yaml"), format!("{old}  - name: v1\n{new}")).expect("written");
    fs::write(path.join("hubgen.toml"), "").expect("written");
    let imported = hubgen().args(["import", "widgets.yaml"]).current_dir(path).output().expect("hubgen runs");
    assert!(imported.status.success(), "{}", String::from_utf8_lossy(&imported.stderr));
    let arguments = ["Widget", "--config", "hubgen.toml"];
    let (.., out, _) = explain(&arguments, path);
    assert!(out.contains("/v1beta1  the storage version\n") && out.contains("/v1       the hub\n"), "{out}");
    let widget = kinds(&arguments, path).remove(0);
    let versions = widget["versions"].as_array().expect("versions");
    let roles: Vec<_> = versions.iter().map(|version| (&version["hub"], &version["stored"])).collect();
    assert_eq!(roles, [(&json!(false), &json!(true)), (&json!(true), &json!(false))]);
    let group = widget["group"].as_str().expect("a group");
    let manifest = format!("apiVersion: {group}/v1\nkind: Widget\nmetadata: {{name: a}}\n");
    fs::write(path.join("a.yaml"), &manifest).expect("written");
    let convert = ["convert", "--storage", "--config", "hubgen.toml", "a.yaml"];
    let converted = hubgen().args(convert).current_dir(path).output().expect("hubgen runs");
    assert_eq!(String::from_utf8_lossy(&converted.stdout), manifest.replace("/v1\n", "/v1beta1\n"));
}

#[test]
fn a_field_is_shown_with_its_history_and_its_conversion() {
    let here = Path::new(".");
    for (name, arguments) in [
        ("strategy", &["apps/v1", "Deployment.spec.strategy", "--release", "1.20"][..]),
        ("ports", &["v1", "Pod.spec.containers.ports"]),
        ("scale", &["apps/v1beta1", "Deployment"]),
        ("backend", &["extensions/v1beta1", "Ingress.spec.backend"]),
        ("hook", &["v1", "Pod.spec.containers[].lifecycle.postStart", "--release", "1.20"]),
    ] {
        let (code, out, error) = explain(arguments, here);
        assert_eq!((code, &*error), (Some(0), ""), "{arguments:?}");
        insta::assert_snapshot!(format!("explain-field-{name}"), out);
    }
}

#[test]
fn json_has_the_same_about_a_field() {
    let (code, out, error) =
        explain(&["v1", "Pod.spec.containers.ports", "--release", "1.12", "--json"], Path::new("."));
    assert_eq!((code, &*error), (Some(0), ""));
    let report: Value = serde_json::from_str(&out).expect("JSON");
    let field = &report["field"];
    assert_eq!((&report["ok"], &field["path"]), (&json!(true), &json!("spec.containers[].ports")));
    assert_eq!(
        (&field["since"], &field["until"], &field["release"]),
        (&json!("1.7"), &json!(null), &json!("1.12"))
    );
    let facts = field["facts"].as_array().expect("facts");
    let list = facts.iter().find(|fact| fact["fact"] == "list-type").expect("a list type");
    let newest = "map(containerPort, protocol)";
    let expected = json!({
        "subresource": null, "fact": "list-type", "value": "",
        "earlier": [{"until": "1.12", "value": ""}], "newest": newest,
    });
    assert_eq!(*list, expected);
    assert_eq!(field["defaults"], json!([{"path": "protocol", "value": "TCP", "when": ""}]));
    assert_eq!(field["conversion"], json!(null));
}

#[test]
fn fields_and_releases_that_are_not_there_are_refused() {
    for (arguments, expected) in [
        (&["apps/v1", "Deployment.spec.x"][..], "apps/v1 Deployment.spec has no field x"),
        (&["apps/v1", "Deployment.spec.x"], "its fields are replicas, selector"),
        (&["apps/v1", "Deployment.spec.replicas.x"], "apps/v1 Deployment.spec.replicas has no field x"),
        (
            &["apps/v9", "Deployment"],
            "its versions are apps/v1beta1, apps/v1beta2, apps/v1, extensions/v1beta1",
        ),
        (&["apps/v1", "Deploymnet"], "apps/v1 has no kind Deploymnet"),
        (&["no.such.group/v1", "Thing"], "no release had the version no.such.group/v1"),
        (&["v1", "Pod.spec.hostUsers", "--release", "1.20"], "it is there since 1.25"),
        (&["v1", "Pod.spec", "--release", "1.6"], "the archive has 1.7 to 1."),
    ] {
        let (code, out, error) = explain(arguments, Path::new("."));
        assert_eq!((code, &*out), (Some(1), ""), "{arguments:?}");
        assert!(error.contains(expected), "{arguments:?}: {error}");
    }
    assert_eq!(explain(&["Deployment", "--release", "1.20"], Path::new(".")).0, Some(2));
}
