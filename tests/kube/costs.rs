//! What `Kube<T>` and views cost: allocations and memory of a list as kube decodes it, beside the bare object and k8s-openapi's.
//!
//! `cargo test --manifest-path tests/kube/Cargo.toml --test costs -- --nocapture` prints the figures of
//! [docs/performance.md](../../docs/performance.md).

use std::time::Instant;

use allocation_counter::{AllocationInfo, measure};
use hubgen_apps::v1::Deployment;
use hubgen_kube::v5::Kube;
use hubgen_machinery::{ApiType, Str, StrMap};
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

/// Pods in a list.
const PODS: u64 = 10_000;

#[derive(ApiType)]
#[view(hubgen_core::v1::Pod)]
struct PodView {
    metadata: MetadataView,
    spec: PodSpecView,
    status: PodStatusView,
}

#[derive(ApiType)]
#[view(hubgen_meta::v1::ObjectMeta)]
struct MetadataView {
    name: Str,
    namespace: Str,
    labels: StrMap<Str>,
    resource_version: Str,
}

#[derive(ApiType)]
#[view(hubgen_core::v1::PodSpec)]
struct PodSpecView {
    node_name: Str,
}

#[derive(ApiType)]
#[view(hubgen_core::v1::PodStatus)]
struct PodStatusView {
    phase: Str,
}

/// What decoding a list and then trimming its objects costs, in bytes: at most at once, and kept. Prints the time as well, for
/// builds with optimisations.
fn memory<K: DeserializeOwned + Clone>(name: &str, json: &[u8], trim: impl Fn(&mut K)) -> (u64, i64) {
    let decode = || {
        let mut list: ObjectList<K> = serde_json::from_slice(json).unwrap();
        list.items.iter_mut().for_each(&trim);
        list.items.shrink_to_fit();
        list
    };
    let start = Instant::now();
    drop(decode());
    let time = start.elapsed();
    let mut kept = None;
    let AllocationInfo { bytes_current, bytes_max, .. } = measure(|| kept = Some(decode()));
    drop(kept);
    println!(
        "{name}: {} bytes of each object's {} kept, {} at most, {time:?}",
        bytes_current / PODS as i64,
        json.len() as u64 / PODS,
        bytes_max / PODS
    );
    (bytes_max, bytes_current)
}

/// As operators keep Pods: name, namespace, labels, node and phase.
#[test]
fn a_view_keeps_a_tenth_and_decodes_nothing_else() {
    type Theirs = k8s_openapi::api::core::v1::Pod;
    let mut pod: Value =
        serde_json::from_str(include_str!("../../benches/codec/pods/as-served.json")).unwrap();
    pod.as_object_mut().unwrap().retain(|key, _| key != "apiVersion" && key != "kind");
    pod["metadata"]["name"] = "NAME".into();
    let pod = pod.to_string();
    let items: Vec<String> =
        (0..PODS).map(|index| pod.replace("NAME", &format!("web-7c5ddbdf54-{index:05}"))).collect();
    let json = format!(
        r#"{{"kind":"PodList","apiVersion":"v1","metadata":{{"resourceVersion":"1"}},"items":[{}]}}"#,
        items.join(",")
    );
    drop(items);
    let json = json.as_bytes();

    let trimmed = memory::<Theirs>("k8s-openapi, trimmed", json, |pod| {
        let metadata = std::mem::take(&mut pod.metadata);
        pod.metadata.name = metadata.name;
        pod.metadata.namespace = metadata.namespace;
        pod.metadata.labels = metadata.labels;
        pod.metadata.resource_version = metadata.resource_version;
        let node_name = pod.spec.take().and_then(|spec| spec.node_name);
        pod.spec = Some(k8s_openapi::api::core::v1::PodSpec { node_name, ..Default::default() });
        let phase = pod.status.take().and_then(|status| status.phase);
        pod.status = Some(k8s_openapi::api::core::v1::PodStatus { phase, ..Default::default() });
    });
    let whole = memory::<Kube<hubgen_core::v1::Pod>>("Kube<Pod>", json, |_| {});
    let view = memory::<Kube<PodView>>("Kube<PodView>", json, |pod| {
        assert!(
            !pod.metadata.labels.is_empty() && !pod.spec.node_name.is_empty() && !pod.status.phase.is_empty()
        );
    });
    let bare = memory::<PodView>("PodView", json, |_| {});
    println!(
        "kept, beside k8s-openapi: {:.3}, bare {:.3}; at most, beside the list's bytes: {:.3}, bare {:.3}; whole objects {:.3} and {:.3}",
        view.1 as f64 / trimmed.1 as f64,
        bare.1 as f64 / trimmed.1 as f64,
        view.0 as f64 / json.len() as f64,
        bare.0 as f64 / json.len() as f64,
        whole.1 as f64 / trimmed.1 as f64,
        whole.0 as f64 / json.len() as f64,
    );
    assert!(view.1 * 10 <= trimmed.1, "{view:?} {trimmed:?}");
    assert!(view.0 * 10 <= json.len() as u64, "{view:?} {}", json.len());
}
