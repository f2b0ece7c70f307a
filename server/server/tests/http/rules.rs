//! Objects of definitions that bring their rules with them: what one version cannot say is not lost, whoever writes it where.

use std::time::{Duration, Instant};

use hubgen_definitions::{RULES, SchemeConversions};
use hubgen_machinery::convert::STASH;
use hubgen_machinery::scheme::Scheme;
use hubgen_rules::DefinitionRules;
use serde_json::{Value, json};

use crate::client::Answer;
use crate::harness::{Harness, Setup};
use crate::watch::Watch;

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const NAME: &str = "lamps.light.example.com";

/// `v1alpha1` has another name and other words for what `v1` has, lacks its colours, and has a field of its own.
const LAMPS: &str = r#"hub = "light.example.com/v1"
add = [{ path = "spec.wire", from = "light.example.com/v1alpha1" }]

["light.example.com/v1"]
keep = ["spec.wire"]

["light.example.com/v1alpha1"]
move = [["spec.power", "spec.brightness.watts"]]
words = [{ from = "spec.mode", to = "spec.mode", words = { on = "On", off = "Off" } }]
keep = ["spec.colours", "spec.brightness.lumen"]
"#;

fn scheme() -> Scheme {
    let mut scheme = crate::scheme::scheme();
    hubgen_apiextensions::register(&mut scheme);
    scheme
}

fn setup() -> Setup {
    Setup::new().scheme(scheme()).conversions(DefinitionRules::default())
}

/// A definition that stores objects at a version.
fn lamps(stored: &str, rules: &str) -> Value {
    let texts = |words: &[&str]| json!({"type": "string", "enum": words});
    let v1 = json!({
        "mode": texts(&["On", "Off"]),
        "brightness": {"type": "object", "properties": {"watts": {"type": "integer"}, "lumen": {"type": "integer"}}},
        "colours": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
    });
    let v1alpha1 =
        json!({"mode": texts(&["on", "off"]), "power": {"type": "integer"}, "wire": {"type": "string"}});
    let version = |name: &str, spec: Value| {
        let spec = json!({"type": "object", "properties": spec});
        let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}});
        json!({"name": name, "served": true, "storage": name == stored, "schema": schema})
    };
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": NAME, "annotations": {RULES: rules}},
        "spec": {
            "group": "light.example.com",
            "names": {"kind": "Lamp", "listKind": "LampList", "plural": "lamps", "singular": "lamp"},
            "scope": "Namespaced",
            "versions": [version("v1", v1), version("v1alpha1", v1alpha1)],
        },
    })
}

fn path(version: &str) -> String {
    format!("/apis/light.example.com/{version}/namespaces/a/lamps")
}

fn lamp(version: &str, name: &str, spec: Value) -> Value {
    json!({
        "apiVersion": format!("light.example.com/{version}"), "kind": "Lamp", "metadata": {"name": name}, "spec": spec
    })
}

/// The answer of a path, once it is that of a kind which is served as wanted.
fn eventually(server: &Harness, path: &str, is_it: impl Fn(&Answer) -> bool) -> Answer {
    let start = Instant::now();
    loop {
        let answer = server.client.get(path);
        if is_it(&answer) {
            return answer;
        }
        assert!(start.elapsed() < Duration::from_secs(30), "{path}: {} {}", answer.code, answer.json());
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn with_lamps(stored: &str) -> Harness {
    let server = setup().start();
    server.client.post(DEFINITIONS, &lamps(stored, LAMPS)).expect(201);
    eventually(&server, &path("v1"), |answer| answer.code == 200);
    server
}

fn merge(server: &Harness, path: &str, patch: &Value) -> Answer {
    let headers = [("Content-Type", "application/merge-patch+json")];
    server.client.send("PATCH", path, &headers, patch.to_string().as_bytes())
}

/// Objects that differ in more than what a write always changes.
fn without_marks(mut object: Value) -> Value {
    let metadata = object["metadata"].as_object_mut().unwrap();
    for mark in ["resourceVersion", "generation", "managedFields"] {
        metadata.remove(mark);
    }
    // When it was last looked at is no content.
    if let Some(stash) = metadata.get_mut("annotations").and_then(|annotations| annotations.get_mut(STASH)) {
        let mut kept: Value = serde_json::from_str(stash.as_str().unwrap()).unwrap();
        kept["seen"] = Value::Null;
        *stash = kept;
    }
    object
}

#[test]
fn nothing_is_lost_whatever_version_is_stored() {
    for stored in ["v1", "v1alpha1"] {
        let server = with_lamps(stored);
        let old = json!({"mode": "on", "power": 40, "wire": "red"});
        let made = server.client.post(&path("v1alpha1"), &lamp("v1alpha1", "a", old.clone())).expect(201);
        assert_eq!(made["spec"], old);

        // Read at the other version, changed there, and read again.
        let one = format!("{}/a", path("v1"));
        let mut new = server.client.get(&one).expect(200);
        assert_eq!(new["spec"], json!({"mode": "On", "brightness": {"watts": 40}}));
        assert!(new["metadata"]["annotations"][STASH].is_string(), "{new}");
        new["spec"]["colours"] = json!(["warm", "cold"]);
        new["spec"]["mode"] = "Off".into();
        let new = server.client.put(&one, &new).expect(200);
        assert_eq!(new["metadata"]["generation"], 2);
        let back = server.client.get(&format!("{}/a", path("v1alpha1"))).expect(200);
        assert_eq!(back["spec"], json!({"mode": "off", "power": 40, "wire": "red"}), "stored at {stored}");
        // Written as it was read, it is the same everywhere.
        server.client.put(&format!("{}/a", path("v1alpha1")), &back).expect(200);
        assert_eq!(without_marks(server.client.get(&one).expect(200)), without_marks(new));

        // From now on, the other version is stored.
        let other = if stored == "v1" { "v1alpha1" } else { "v1" };
        let mut definition = server.client.get(&format!("{DEFINITIONS}/{NAME}")).expect(200);
        for version in definition["spec"]["versions"].as_array_mut().unwrap() {
            version["storage"] = (version["name"] == *other).into();
        }
        server.client.put(&format!("{DEFINITIONS}/{NAME}"), &definition).expect(200);
        let before: Vec<Value> = ["v1", "v1alpha1"]
            .map(|version| server.client.get(&format!("{}/a", path(version))).expect(200))
            .into();
        let key = "/registry/light.example.com/lamps/a/a";
        let start = Instant::now();
        let mut label = 0;
        while server.stored_at(key)["apiVersion"] != format!("light.example.com/{other}") {
            assert!(start.elapsed() < Duration::from_secs(30), "it is stored at the other version");
            label += 1;
            merge(&server, &one, &json!({"metadata": {"labels": {"n": label.to_string()}}})).expect(200);
        }
        merge(&server, &one, &json!({"metadata": {"labels": null}})).expect(200);
        let after: Vec<Value> = ["v1", "v1alpha1"]
            .map(|version| server.client.get(&format!("{}/a", path(version))).expect(200))
            .into();
        for (before, after) in before.into_iter().zip(after) {
            assert_eq!(without_marks(after), without_marks(before), "stored at {stored} first");
        }
    }
}

#[test]
fn watches_and_lists_see_their_own_version() {
    let server = with_lamps("v1");
    let mut watches = ["v1", "v1alpha1"]
        .map(|version| Watch::open(server.client, &format!("{}?watch=true", path(version)), &[]));
    server.client.post(&path("v1alpha1"), &lamp("v1alpha1", "a", json!({"power": 7}))).expect(201);
    merge(&server, &format!("{}/a", path("v1")), &json!({"spec": {"brightness": {"watts": 8, "lumen": 90}}}))
        .expect(200);
    let expected = [
        [json!({"brightness": {"watts": 7}}), json!({"brightness": {"watts": 8, "lumen": 90}})],
        [json!({"power": 7}), json!({"power": 8})],
    ];
    for (watch, expected) in watches.iter_mut().zip(&expected) {
        for spec in expected {
            assert_eq!(watch.next().expect("an event").1["spec"], *spec);
        }
    }
    for (version, [_, spec]) in ["v1", "v1alpha1"].into_iter().zip(&expected) {
        assert_eq!(server.client.get(&path(version)).expect(200)["items"][0]["spec"], *spec);
    }
}

#[test]
fn managers_apply_at_both_versions() {
    let server = with_lamps("v1");
    let apply = |version: &str, manager: &str, spec: Value| {
        let path = format!("{}/a?fieldManager={manager}", path(version));
        let headers = [("Content-Type", "application/apply-patch+yaml")];
        let body = lamp(version, "a", spec).to_string();
        server.client.send("PATCH", &path, &headers, body.as_bytes())
    };
    apply("v1alpha1", "old", json!({"power": 7, "wire": "red"})).expect(201);
    let merged = apply("v1", "new", json!({"colours": ["warm"], "mode": "On"})).expect(200);
    assert_eq!(merged["spec"], json!({"brightness": {"watts": 7}, "colours": ["warm"], "mode": "On"}));
    // Who owns a field owns it at the other version, by its name there.
    let refused = apply("v1", "new", json!({"brightness": {"watts": 9}})).expect(409);
    let why = refused["message"].as_str().unwrap();
    assert!(why.contains("conflict with \"old\"") && why.contains(".spec.power"), "{why}");
    // What a manager no longer applies goes, and nothing else does.
    let merged = apply("v1alpha1", "old", json!({"wire": "blue"})).expect(200);
    assert_eq!(merged["spec"], json!({"mode": "on", "wire": "blue"}));
    let merged = apply("v1", "new", json!({"colours": ["cold"]})).expect(200);
    assert_eq!(merged["spec"], json!({"colours": ["cold"]}));
    let old = server.client.get(&format!("{}/a", path("v1alpha1"))).expect(200);
    assert_eq!(old["spec"], json!({"wire": "blue"}));
}

#[test]
fn values_without_a_counterpart_are_refused() {
    let server = with_lamps("v1");
    // Another program has stored what the schema of no version allows.
    let stored = lamp("v1", "odd", json!({"mode": "Dim"}))
        .to_string()
        .replace(r#""name":"odd""#, r#""name":"odd","namespace":"a""#);
    server.put("/registry/light.example.com/lamps/a/odd", &stored);
    server.client.get(&format!("{}/odd", path("v1"))).expect(200);
    let refused = server.client.get(&format!("{}/odd", path("v1alpha1")));
    assert!(refused.code >= 400, "{}", refused.json());
    assert!(refused.json()["message"].as_str().unwrap().contains("spec.mode"), "{}", refused.json());
}

#[test]
fn rules_that_do_not_fit_are_refused() {
    let server = setup().start();
    let refused = |rules: &str| {
        let answer = server.client.post(DEFINITIONS, &lamps("v1", rules)).expect(422);
        let cause = answer["details"]["causes"][0].clone();
        assert_eq!(cause["field"], "metadata.annotations[conversion.hubgen.dev/rules]");
        assert_eq!(cause["reason"], "FieldValueInvalid");
        let causes = answer["details"]["causes"].as_array().unwrap();
        causes
            .iter()
            .map(|cause| cause["message"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
            .join("\n")
    };
    for (rules, expected) in [
        ("hub = ", "line 1, column 7: "),
        ("hub = 'light.example.com/v9'", "lamps.light.example.com has no version"),
        (&LAMPS.replace("spec.power", "spec.force"), "line 8, column 9: "),
        (&LAMPS.replace("move =", "shift ="), "line 8, column 1: light.example.com/v1alpha1.shift: `shift` is not an operator"),
        (&LAMPS.replace("keep = [\"spec.wire\"]", ""), "spec.wire"),
        (&LAMPS.replace("off = \"Off\"", "off = \"Of\""), "line 9, "),
        (&format!("{LAMPS}\n#: more.toml\n"), "the part `more.toml` is unknown"),
        (
            &LAMPS.replace(
                "move = [[\"spec.power\", \"spec.brightness.watts\"]]",
                "function = [{ module = 'crate::power', version = ['spec.power: Option<i64>'], hub = ['spec.brightness.watts: Option<i64>'] }]",
            ),
            "hubgen_server::Server::with_scheme",
        ),
    ] {
        let message = refused(rules);
        assert!(message.contains(expected) || rules.contains("v9"), "{rules}\n{message}");
    }
    // Schemas that change need other rules.
    server.client.post(DEFINITIONS, &lamps("v1", LAMPS)).expect(201);
    let path = format!("{DEFINITIONS}/{NAME}");
    let renamed = json!([{"op": "move", "from": "/spec/versions/1/schema/openAPIV3Schema/properties/spec/properties/power",
        "path": "/spec/versions/1/schema/openAPIV3Schema/properties/spec/properties/force"}]);
    let patch = |patch: &Value| {
        let headers = [("Content-Type", "application/json-patch+json")];
        server.client.send("PATCH", &path, &headers, patch.to_string().as_bytes())
    };
    patch(&renamed).expect(422);
    let both = json!([renamed[0], {"op": "replace", "path": "/metadata/annotations/conversion.hubgen.dev~1rules",
        "value": LAMPS.replace("spec.power", "spec.force")}]);
    patch(&both).expect(200);
}

/// A server that read no rules has stored them. This one serves what it can.
#[test]
fn stored_rules_that_do_not_fit_convert_nothing() {
    let server = Setup::new().scheme(scheme()).start();
    let wrong = LAMPS.replace("spec.power", "spec.force");
    server.client.post(DEFINITIONS, &lamps("v1", &wrong)).expect(201);
    eventually(&server, &path("v1"), |answer| answer.code == 200);
    server.client.post(&path("v1"), &lamp("v1", "a", json!({"colours": ["warm"]}))).expect(201);
    let server = setup().restart(server);
    let made = server.client.get(&format!("{}/a", path("v1"))).expect(200);
    assert_eq!(made["spec"], json!({"colours": ["warm"]}));
    let refused = server.client.get(&format!("{}/a", path("v1alpha1"))).expect(500);
    let message = refused["message"].as_str().unwrap();
    assert!(
        message.contains("conversion.hubgen.dev/rules of lamps.light.example.com has mistakes"),
        "{message}"
    );
    server.client.get(&path("v1alpha1")).expect(500);
    // What is wrong before and after a write is no reason to refuse it.
    let path_of = format!("{DEFINITIONS}/{NAME}");
    merge(&server, &path_of, &json!({"metadata": {"labels": {"a": "b"}}})).expect(200);
    merge(&server, &path_of, &json!({"metadata": {"annotations": {RULES: LAMPS}}})).expect(200);
    let old = format!("{}/a", path("v1alpha1"));
    let read = eventually(&server, &old, |answer| answer.code == 200).json();
    assert!(read["metadata"]["annotations"][STASH].as_str().unwrap().contains("warm"), "{read}");
}

#[test]
fn rules_count_whatever_the_strategy_is() {
    let server = setup().start();
    let mut definition = lamps("v1", LAMPS);
    definition["spec"]["conversion"] = json!({"strategy": "Webhook", "webhook": {
        "clientConfig": {"url": "https://127.0.0.1:1/convert"}, "conversionReviewVersions": ["v1"]
    }});
    server.client.post(DEFINITIONS, &definition).expect(201);
    eventually(&server, &path("v1"), |answer| answer.code == 200);
    server.client.post(&path("v1alpha1"), &lamp("v1alpha1", "a", json!({"power": 7}))).expect(201);
    let read = server.client.get(&format!("{}/a", path("v1"))).expect(200);
    assert_eq!(read["spec"], json!({"brightness": {"watts": 7}}));
}

#[test]
fn applied_definitions_are_served_and_written_only_if_they_change() {
    let applied = |definition: Value| setup().applied(vec![definition]);
    let server = applied(lamps("v1", LAMPS)).start();
    // From the first request on.
    server.client.post(&path("v1alpha1"), &lamp("v1alpha1", "a", json!({"power": 7}))).expect(201);
    let get = |server: &Harness| server.client.get(&format!("{DEFINITIONS}/{NAME}")).expect(200);
    let conditions = |definition: &Value| definition["status"]["conditions"].to_string();
    eventually(&server, &format!("{DEFINITIONS}/{NAME}"), |answer| {
        conditions(&answer.json()).contains("InitialNamesAccepted")
    });
    let first = get(&server);
    let server = applied(lamps("v1", LAMPS)).restart(server);
    assert_eq!(get(&server)["metadata"]["resourceVersion"], first["metadata"]["resourceVersion"]);
    let changed = LAMPS.replace("spec.wire\"]", "spec.wire\"]  # kept");
    let server = applied(lamps("v1", &changed)).restart(server);
    assert_eq!(get(&server)["metadata"]["annotations"][RULES], *changed);
    let read = server.client.get(&format!("{}/a", path("v1"))).expect(200);
    assert_eq!(read["spec"], json!({"brightness": {"watts": 7}}));
}

/// A program's own Scheme converts its kinds, whatever the definitions say, and nobody else's.
#[test]
fn a_scheme_converts_its_own_kinds() {
    let conversions = SchemeConversions::new(std::sync::Arc::new(crate::scheme::scheme()), None);
    let server = Setup::new().scheme(scheme()).conversions(conversions).start();
    let mut definition = lamps("v1", "anything");
    server.client.post(DEFINITIONS, &definition).expect(201);
    definition["metadata"] = json!({"name": "widgets.example.com"});
    definition["spec"]["group"] = "example.com".into();
    definition["spec"]["names"] = json!({"kind": "Widget", "plural": "widgets"});
    definition["spec"]["versions"][1]["name"] = "v7".into();
    let refused = server.client.post(DEFINITIONS, &definition).expect(422);
    assert_eq!(refused["details"]["causes"][0]["field"], "spec.versions[1].name", "{refused}");
}
