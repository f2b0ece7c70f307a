//! The webhook's answers for the kind.

use cache_operator::api;
use hubgen_machinery::convert::STASH;
use hubgen_webhook::Webhook;
use serde_json::{Value, json};

/// Asks the webhook for one object at a version.
fn converted(object: &Value, version: &str) -> Value {
    let review = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
        "request": {
            "uid": "a", "desiredAPIVersion": format!("cache.example.com/{version}"), "objects": [object],
        },
    });
    let answer = Webhook::new(api::scheme()).review(review.to_string().as_bytes()).unwrap();
    let mut answer: Value = serde_json::from_slice(answer.as_ref()).unwrap();
    assert_eq!(answer["response"]["result"]["status"], "Success", "{answer}");
    answer["response"]["convertedObjects"][0].take()
}

#[test]
fn an_object_is_converted_and_comes_back() {
    let new = json!({
        "apiVersion": "cache.example.com/v1", "kind": "Cache", "metadata": {"name": "web"},
        "spec": {"image": "memcached:1.6", "replicas": 2, "limits": {"memory": "64Mi", "connections": 100}},
        "status": {"readyReplicas": 1, "observedGeneration": 3},
    });
    let mut old = converted(&new, "v1alpha1");
    assert_eq!(old["spec"], json!({"image": "memcached:1.6", "size": 2, "memory": "64Mi"}));
    assert_eq!(old["status"], json!({"ready": 1}));
    assert!(old["metadata"]["annotations"][STASH].is_string());
    assert_eq!(converted(&old, "v1"), new);

    // A change at the old version.
    old["spec"]["memory"] = "128Mi".into();
    let changed = converted(&old, "v1");
    assert_eq!(changed["spec"]["limits"], json!({"memory": "128Mi", "connections": 100}));
}

/// What one manager has applied stays as it is.
#[test]
fn a_partial_object_stays_partial() {
    let applied = json!({"apiVersion": "cache.example.com/v1alpha1", "kind": "Cache", "spec": {"size": 2}});
    let expected = json!({"apiVersion": "cache.example.com/v1", "kind": "Cache", "spec": {"replicas": 2}});
    assert_eq!(converted(&applied, "v1"), expected);
}
