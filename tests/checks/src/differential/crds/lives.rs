//! Lives of definitions: what becomes of several that are created, replaced and deleted one after the other.

use serde_json::{Value, json};

use super::kept;
use super::side::{PATH, Side};

const GROUP: &str = "crds.example.com";

/// A definition of the group, with these names.
fn definition(plural: &str, kind: &str) -> Value {
    let schema = json!({"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.{GROUP}")},
        "spec": {
            "group": GROUP, "scope": "Cluster", "names": {"plural": plural, "kind": kind},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": schema}],
        },
    })
}

/// A definition with changes, which are a merge patch.
fn with(mut definition: Value, changes: Value) -> Value {
    merge(&mut definition, &changes);
    definition
}

fn merge(value: &mut Value, patch: &Value) {
    match (value, patch) {
        (Value::Object(value), Value::Object(patch)) => {
            for (name, patch) in patch {
                merge(value.entry(name.clone()).or_insert(Value::Null), patch);
            }
        }
        (value, patch) => *value = patch.clone(),
    }
}

fn create(definition: &Value) -> Value {
    json!({"do": "POST", "path": PATH, "body": definition})
}

fn patch(plural: &str, part: &str, body: Value) -> Value {
    json!({"do": "PATCH", "path": format!("{PATH}/{plural}.{GROUP}{part}"), "body": body})
}

fn delete(plural: &str) -> Value {
    json!({"do": "DELETE", "path": format!("{PATH}/{plural}.{GROUP}")})
}

/// What a definition becomes.
fn see(plural: &str) -> Value {
    json!({"see": format!("{plural}.{GROUP}")})
}

/// All lives, without answers.
pub fn all() -> Vec<Value> {
    let lives = [
        ("one definition", vec![create(&definition("as", "A")), see("as"), delete("as"), see("as")]),
        ("the same names twice", {
            let names = json!({"spec": {"names": {"singular": "b", "shortNames": ["sb", "tb"]}}});
            let first = with(definition("bs", "B"), names.clone());
            let second = with(definition("cs", "B"), names);
            vec![create(&first), see("bs"), create(&second), see("cs"), delete("bs"), see("bs"), see("cs")]
        }),
        ("a short name that is the plural of another", {
            let second = with(definition("es", "E"), json!({"spec": {"names": {"shortNames": ["ds", "e"]}}}));
            vec![
                create(&definition("ds", "D")),
                see("ds"),
                create(&second),
                see("es"),
                patch("es", "", json!({"spec": {"names": {"shortNames": ["e"]}}})),
                see("es"),
            ]
        }),
        ("a list of kinds that is a kind", {
            let second = with(definition("gs", "G"), json!({"spec": {"names": {"listKind": "F"}}}));
            vec![create(&definition("fs", "F")), see("fs"), create(&second), see("gs")]
        }),
        ("names that change", {
            let names = |names: Value| patch("hs", "", json!({"spec": {"names": names}}));
            vec![
                create(&definition("hs", "H")),
                see("hs"),
                names(
                    json!({"singular": "eitch", "shortNames": ["hh"], "categories": ["all"], "listKind": "ManyH"}),
                ),
                see("hs"),
                names(json!({"kind": "Other"})),
                names(json!({"plural": "others"})),
                names(json!({"shortNames": null, "singular": "h"})),
                see("hs"),
            ]
        }),
        ("what cannot change", {
            let spec = |spec: Value| patch("is", "", json!({"spec": spec}));
            vec![
                create(&definition("is", "I")),
                see("is"),
                spec(json!({"scope": "Namespaced"})),
                spec(json!({"group": "crds.k8s.io"})),
                spec(json!({"preserveUnknownFields": true})),
                see("is"),
            ]
        }),
        ("versions at which objects are stored", stored_versions()),
        ("a status that clients write", {
            let accepted = json!({"plural": "ks", "singular": "k", "kind": "Mine", "listKind": "KList"});
            vec![
                create(&definition("ks", "K")),
                see("ks"),
                patch("ks", "/status", json!({"status": {"acceptedNames": accepted}})),
                see("ks"),
                patch("ks", "/status", json!({"status": {"conditions": []}})),
                see("ks"),
                patch("ks", "", json!({"status": {"storedVersions": ["v9"]}})),
                see("ks"),
            ]
        }),
        ("finalizers of others", {
            let kept = with(definition("ls", "L"), json!({"metadata": {"finalizers": ["example.com/stay"]}}));
            vec![
                create(&kept),
                see("ls"),
                delete("ls"),
                see("ls"),
                delete("ls"),
                see("ls"),
                patch("ls", "", json!({"metadata": {"finalizers": null}})),
                see("ls"),
            ]
        }),
        ("a deletion before a kind is served", {
            let second = with(definition("ns", "N"), json!({"spec": {"names": {"kind": "M"}}}));
            vec![
                create(&definition("ms", "M")),
                see("ms"),
                create(&second),
                see("ns"),
                delete("ns"),
                see("ns"),
            ]
        }),
        ("an approval", {
            let thing = |annotations: Value| {
                let mut thing = definition("things", "Thing");
                merge(
                    &mut thing,
                    &json!({
                        "metadata": {"name": "things.crds.k8s.io", "annotations": annotations},
                        "spec": {"group": "crds.k8s.io"},
                    }),
                );
                thing
            };
            let annotate = |value: Value| {
                json!({"do": "PATCH", "path": format!("{PATH}/things.crds.k8s.io"),
                       "body": {"metadata": {"annotations": {"api-approved.kubernetes.io": value}}}})
            };
            let see = || json!({"see": "things.crds.k8s.io"});
            vec![
                create(&thing(json!({"api-approved.kubernetes.io": "unapproved, a test"}))),
                see(),
                annotate("https://a.example/b".into()),
                see(),
                annotate("nothing".into()),
                annotate(Value::Null),
                see(),
                json!({"do": "DELETE", "path": format!("{PATH}/things.crds.k8s.io")}),
                see(),
            ]
        }),
        ("wrong certificates of a webhook", {
            let client = json!({"url": "https://a.example/convert", "caBundle": "YWJj"});
            let conversion = json!({"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": client}});
            let of_webhook = with(definition("os", "O"), json!({"spec": {"conversion": conversion}}));
            vec![
                create(&of_webhook),
                see("os"),
                patch(
                    "os",
                    "",
                    json!({"spec": {"conversion": {"webhook": {"clientConfig": {"caBundle": null}}}}}),
                ),
                see("os"),
                patch(
                    "os",
                    "",
                    json!({"spec": {"conversion": {"webhook": {"clientConfig": {"caBundle": "YWJj"}}}}}),
                ),
                see("os"),
            ]
        }),
        (
            "objects that go with their definition",
            vec![
                create(&definition("ps", "P")),
                see("ps"),
                object("POST", "ps", "P", json!({"metadata": {"name": "a"}})),
                object("POST", "ps", "P", json!({"metadata": {"name": "b"}})),
                delete("ps"),
                see("ps"),
            ],
        ),
        (
            "objects that stay for a while",
            vec![
                create(&definition("qs", "Q")),
                see("qs"),
                object(
                    "POST",
                    "qs",
                    "Q",
                    json!({"metadata": {"name": "a", "finalizers": ["example.com/stay"]}}),
                ),
                object("POST", "qs", "Q", json!({"metadata": {"name": "b"}})),
                delete("qs"),
                see("qs"),
                object("PATCH", "qs/a", "Q", json!({"metadata": {"finalizers": null}})),
                json!({"gone": format!("qs.{GROUP}")}),
            ],
        ),
    ];
    let line = |(name, steps): (&str, Vec<Value>)| json!({"part": "life", "name": name, "by": "hand", "steps": steps});
    lives.into_iter().map(line).collect()
}

fn stored_versions() -> Vec<Value> {
    let versions = |names: &[(&str, bool)]| {
        let schema = json!({"openAPIV3Schema": {"type": "object"}});
        let version = |(name, storage): &(&str, bool)| json!({"name": name, "served": true, "storage": storage, "schema": schema});
        json!({"spec": {"versions": names.iter().map(version).collect::<Vec<_>>()}})
    };
    vec![
        create(&with(definition("js", "J"), versions(&[("v1", true)]))),
        see("js"),
        patch("js", "", versions(&[("v1", false), ("v2", true)])),
        see("js"),
        patch("js", "", versions(&[("v2", true)])),
        patch("js", "/status", json!({"status": {"storedVersions": ["v2"]}})),
        patch("js", "", versions(&[("v2", true)])),
        see("js"),
        patch("js", "/status", json!({"status": {"storedVersions": ["v1", "v3"]}})),
        patch("js", "", json!({"metadata": {"labels": {"a": "b"}}})),
        patch("js", "/status", json!({"status": {"storedVersions": []}})),
        see("js"),
    ]
}

/// A write of an object of a kind that a definition defines.
fn object(method: &str, place: &str, kind: &str, mut body: Value) -> Value {
    if method == "POST" {
        body["apiVersion"] = format!("{GROUP}/v1").into();
        body["kind"] = kind.into();
    }
    json!({"do": method, "path": format!("/apis/{GROUP}/v1/{place}"), "body": body, "of": "object"})
}

/// Takes each step. What a server does not serve is left out, with the rest of that life.
///
/// # Errors
/// If the server does not answer.
pub fn live(side: &Side, line: &Value, expected: Option<&Value>) -> Result<Value, String> {
    let mut answers: Vec<Value> = Vec::new();
    for (at, step) in line["steps"].as_array().into_iter().flatten().enumerate() {
        if answers.last().is_some_and(|last| last == "left out") {
            answers.push("left out".into());
            continue;
        }
        if let Some(name) = step["gone"].as_str() {
            answers.push(json!({"gone": side.is_gone(name)?}));
            continue;
        }
        if let Some(name) = step["see"].as_str() {
            answers.push(side.settled(name, expected.map(|expected| &expected[at]))?);
            continue;
        }
        let text = |key: &str| step[key].as_str().unwrap_or_default();
        let (code, body) = side.send(text("do"), text("path"), step.get("body"))?;
        let is_of_object = step["of"] == "object";
        answers.push(match (is_of_object, code) {
            // Discovery knows the kind, or it is not served at all.
            (true, 404)
                if expected.is_some() && expected.is_some_and(|expected| expected[at]["code"] != 404) =>
            {
                "left out".into()
            }
            (true, code) => json!({"code": code}),
            (false, code) if code < 400 => json!({"code": code}),
            (false, code) => kept(code, &body),
        });
    }
    Ok(answers.into())
}
