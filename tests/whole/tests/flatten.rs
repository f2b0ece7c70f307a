//! Flattened objects: types in Rust whose fields are those of the object around them in JSON.

#[path = "flatten/api.rs"]
#[allow(missing_docs, unreachable_pub, dead_code)]
#[rustfmt::skip]
mod api;

use hubgen_laws::Definitions;
use hubgen_machinery::json;
use hubgen_machinery::scheme::Scheme;
use serde_json::{Value, json};

/// With objects that the generated definitions allow.
#[test]
fn conversions_lose_nothing() {
    let mut definitions = Definitions::default();
    for crd in api::generated::crds() {
        definitions.add(&crd.value()).unwrap();
    }
    let checked = hubgen_laws::check_with(&api::generated::scheme(), &definitions, 100).unwrap();
    assert_eq!((checked.kinds, checked.versions), (2, 4));
}

fn convert(scheme: &Scheme, object: &Value, version: &str) -> Value {
    let to = scheme.named(&format!("example.com/{version}"), "Job").unwrap();
    let json = scheme.convert_json(object.to_string().as_bytes(), to).unwrap();
    serde_json::from_slice(&json).unwrap()
}

#[test]
fn fields_convert_by_their_paths_in_json() {
    let scheme = api::generated::scheme();
    let old = json!({
        "apiVersion": "example.com/v1beta1", "kind": "Job", "metadata": {"name": "a"},
        "spec": {"width": 3, "image": "i", "deadline": "5s"},
    });
    let new = json!({
        "apiVersion": "example.com/v1", "kind": "Job", "metadata": {"name": "a"},
        "spec": {"width": 3, "image": "i", "timeout": "5s"},
    });
    assert_eq!(convert(&scheme, &old, "v1"), new);
    assert_eq!(convert(&scheme, &new, "v1beta1"), old);
    let job: api::v1::Job = json::decode(new.to_string().as_bytes()).unwrap();
    let spec = job.spec.unwrap();
    assert_eq!((spec.limits.timeout.as_deref(), spec.limits.size.width), (Some("5s"), Some(3)));
}
