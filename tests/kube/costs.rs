//! What `Kube<T>` costs: allocations and memory of a list as kube decodes it, beside the bare object and k8s-openapi's.
//!
//! `cargo test --manifest-path tests/kube/Cargo.toml --test costs -- --nocapture` prints the figures of
//! [docs/kube.md](../../docs/kube.md).

use allocation_counter::{AllocationInfo, measure};
use hubgen_apps::v1::Deployment;
use hubgen_kube::v5::Kube;
use kube::core::ObjectList;
use kube::{Resource, ResourceExt};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Objects in the list.
const COUNT: u64 = 1000;

/// A list of Deployments as an API server writes it: without the `apiVersion` and `kind` of its items.
fn list() -> Vec<u8> {
    let mut object: Value = serde_json::from_str(include_str!("deployment.json")).unwrap();
    object.as_object_mut().unwrap().retain(|key, _| key != "apiVersion" && key != "kind");
    let items = (0..COUNT).map(|index| {
        let mut object = object.clone();
        object["metadata"]["name"] = format!("web-{index}").into();
        object
    });
    let items: Vec<Value> = items.collect();
    let list = json!({"kind": "DeploymentList", "apiVersion": "apps/v1", "metadata": {"resourceVersion": "1"}, "items": items});
    serde_json::to_vec(&list).unwrap()
}

/// What decoding a list and then doing something with each object costs, for each object.
struct Cost {
    allocations: u64,
    /// Bytes.
    kept: i64,
}

fn cost<K: DeserializeOwned + Clone>(name: &str, json: &[u8], then: impl Fn(&mut K)) -> Cost {
    let decode = || {
        let mut list: ObjectList<K> = serde_json::from_slice(json).unwrap();
        list.items.iter_mut().for_each(&then);
        list
    };
    // What is made once is not part of it.
    drop(decode());
    let mut kept = None;
    let AllocationInfo { count_total, bytes_current, .. } = measure(|| kept = Some(decode()));
    drop(kept);
    let cost = Cost { allocations: count_total / COUNT, kept: bytes_current / COUNT as i64 };
    println!("{name}: {} allocations, {} bytes", cost.allocations, cost.kept);
    cost
}

fn ask<K: Resource>(object: &mut K) {
    assert!(object.meta().resource_version.is_some());
}

#[test]
fn an_object_costs_its_metadata_once_more() {
    type Theirs = k8s_openapi::api::apps::v1::Deployment;
    let json = list();
    println!("an object has {} bytes of JSON", json.len() as u64 / COUNT);
    let theirs = cost::<Theirs>("k8s-openapi", &json, ask);
    let bare = cost::<Deployment>("the bare object", &json, |_| {});
    let decoded = cost::<Kube<Deployment>>("Kube<T>, decoded", &json, |_| {});
    let asked = cost::<Kube<Deployment>>("Kube<T>, and kube asked for its metadata", &json, ask);
    let theirs_trimmed = cost::<Theirs>("k8s-openapi, without managedFields", &json, |object| {
        object.metadata.managed_fields = None;
        ask(object);
    });
    let trimmed = cost::<Kube<Deployment>>("Kube<T>, asked without managedFields", &json, |object| {
        object.metadata.managed_fields = Vec::new();
        ask(object);
    });
    // As somebody does who knows kube's way only: the whole is made before a part of it is removed.
    let kubes_way =
        cost::<Kube<Deployment>>("Kube<T>, managedFields removed from kube's metadata", &json, |object| {
            object.managed_fields_mut().clear();
            assert!(object.metadata.managed_fields.is_empty());
        });
    assert!(bare.allocations < theirs.allocations / 4 && bare.kept < theirs.kept / 2);
    // The box of the object.
    assert_eq!(decoded.allocations, bare.allocations + 1);
    assert!(decoded.kept < bare.kept + 100, "{} and {}", decoded.kept, bare.kept);
    assert!(asked.kept < theirs.kept, "{} and {}", asked.kept, theirs.kept);
    assert!(trimmed.allocations < theirs_trimmed.allocations / 3 && trimmed.kept < theirs_trimmed.kept);
    assert!(kubes_way.kept < theirs_trimmed.kept);
}
