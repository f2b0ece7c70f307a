//! Tests the canonical forms of every kind that has them.

use std::collections::BTreeSet;
use std::sync::Arc;

use hubgen_kubernetes::machinery::scheme::{KindEntry, Object, Scheme};
use hubgen_kubernetes::scheme;
use hubgen_laws::objects::{self, Source, fill};
use serde_json::{Value, json};

fn read(scheme: &Scheme, object: &Value) -> Object {
    scheme.decode(object.to_string().as_bytes()).unwrap().0
}

/// The object after a conversion to its own version.
fn canonical(object: &Value) -> Value {
    let scheme = scheme();
    let object = read(&scheme, object);
    let entry = Arc::clone(&object.entry);
    serde_json::from_slice(&scheme.convert(object, &entry).unwrap().encode().unwrap()).unwrap()
}

#[test]
fn canonicalizing_twice_changes_nothing() {
    let scheme = scheme();
    let mut changed = BTreeSet::new();
    for entry in scheme.kinds().filter(|entry| !entry.canonical.is_empty()) {
        for seed in 0..100 {
            let mut value = entry.object();
            fill(&mut *value, &mut Source::new(&objects::bytes(seed), &[("key", "a")]));
            let generated = Object { entry: Arc::clone(entry), value };
            let mut once = generated.clone();
            once.canonicalize();
            if once != generated {
                changed.insert(entry.to_string());
            }
            let mut twice = once.clone();
            twice.canonicalize();
            assert_eq!(twice, once);
        }
    }
    let kinds: BTreeSet<String> =
        scheme.kinds().filter(|entry| !entry.canonical.is_empty()).map(ToString::to_string).collect();
    assert_eq!(changed, kinds, "some objects of each kind must not be canonical");
}

#[test]
fn the_range_of_a_node_is_the_first_of_its_ranges() {
    let node = canonical(&json!({
        "apiVersion": "v1", "kind": "Node", "spec": {"podCIDR": "10.1.0.0/24", "podCIDRs": ["10.2.0.0/24", "fd::/64"]},
    }));
    assert_eq!(node["spec"], json!({"podCIDR": "10.1.0.0/24", "podCIDRs": ["10.1.0.0/24"]}));
}

#[test]
fn string_data_of_a_secret_becomes_data() {
    let secret = canonical(&json!({
        "apiVersion": "v1", "kind": "Secret", "data": {"a": "b2xk", "b": "a2VwdA=="}, "stringData": {"a": "new"},
    }));
    assert_eq!(secret["data"], json!({"a": "bmV3", "b": "a2VwdA=="}));
    assert_eq!(secret.get("stringData"), None);
}

#[test]
fn claims_of_stateful_sets_have_their_kind() {
    for version in ["apps/v1", "apps/v1beta1", "apps/v1beta2"] {
        let set = canonical(&json!({
            "apiVersion": version, "kind": "StatefulSet",
            "spec": {"volumeClaimTemplates": [{"metadata": {"name": "a"}}, {"kind": "Else", "metadata": {"name": "b"}}]},
        }));
        for claim in set["spec"]["volumeClaimTemplates"].as_array().unwrap() {
            assert_eq!(
                (&claim["apiVersion"], &claim["kind"]),
                (&json!("v1"), &json!("PersistentVolumeClaim"))
            );
        }
    }
}

/// The Scales of all groups are one kind. Older versions have the selector in two fields.
#[test]
fn scales_of_all_groups_convert() {
    let scheme = scheme();
    let to = |object: Value, entry: &Arc<KindEntry>| -> Value {
        serde_json::from_slice(&scheme.convert(read(&scheme, &object), entry).unwrap().encode().unwrap())
            .unwrap()
    };
    let v1 = scheme.named("autoscaling/v1", "Scale").unwrap();
    for version in ["extensions/v1beta1", "apps/v1beta1", "apps/v1beta2"] {
        let old = scheme.named(version, "Scale").unwrap();
        let scale =
            |version: &str, status: Value| json!({"apiVersion": version, "kind": "Scale", "status": status});
        for (input, expected) in [
            (json!({"replicas": 1, "selector": {"b": "2", "a": "1"}}), "a=1,b=2"),
            (json!({"replicas": 1, "selector": {"a": "1"}, "targetSelector": "c in (3)"}), "c in (3)"),
        ] {
            assert_eq!(to(scale(version, input), v1)["status"]["selector"], expected);
        }
        for (selector, labels) in [("a=1", json!({"a": "1"})), ("a=1,b in (2)", Value::Null)] {
            let shown = to(scale("autoscaling/v1", json!({"replicas": 1, "selector": selector})), old);
            assert_eq!(
                (&shown["status"]["targetSelector"], &shown["status"]["selector"]),
                (&json!(selector), &labels)
            );
        }
    }
}
