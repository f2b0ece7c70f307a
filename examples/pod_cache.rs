//! A cache of Pods, as operators and schedulers have it: filled from lists in JSON and in protobuf,
//! kept current by the events of a watch, with lookups by label, by owner and by node.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::env;
use std::error::Error;

use hubgen_kubernetes::core::v1::{Pod, PodList};
use hubgen_kubernetes::machinery::{Str, json, protobuf};
use hubgen_kubernetes::meta::v1::WatchEvent;

/// A Pod as an API server sends it. The lists of this example contain variations of it.
const POD: &[u8] = include_bytes!("../benches/codec/pods/as-served.json");

const APP: &str = "app.kubernetes.io/name";

/// The uids of Pods, by a text that they have in common.
#[derive(Default)]
struct Index(HashMap<Str, BTreeSet<Str>>);

impl Index {
    fn insert(&mut self, key: Str, uid: &Str) {
        self.0.entry(key).or_default().insert(uid.clone());
    }

    fn remove(&mut self, key: &str, uid: &str) {
        let Some(uids) = self.0.get_mut(key) else { return };
        uids.remove(uid);
        if uids.is_empty() {
            self.0.remove(key);
        }
    }
}

/// Pods by uid, with indexes.
#[derive(Default)]
struct Cache {
    pods: HashMap<Str, Pod>,
    /// By `key=value` of each label.
    by_label: Index,
    /// By the uid of each owner.
    by_owner: Index,
    by_node: Index,
}

impl Cache {
    fn insert(&mut self, pod: Pod) {
        self.remove(&pod.metadata.uid);
        let uid = &pod.metadata.uid;
        for (key, value) in &pod.metadata.labels {
            self.by_label.insert(format!("{key}={value}").into(), uid);
        }
        for owner in &pod.metadata.owner_references {
            self.by_owner.insert(owner.uid.clone(), uid);
        }
        if !pod.spec.node_name.is_empty() {
            self.by_node.insert(pod.spec.node_name.clone(), uid);
        }
        self.pods.insert(uid.clone(), pod);
    }

    fn remove(&mut self, uid: &str) -> Option<Pod> {
        let pod = self.pods.remove(uid)?;
        for (key, value) in &pod.metadata.labels {
            self.by_label.remove(&format!("{key}={value}"), uid);
        }
        for owner in &pod.metadata.owner_references {
            self.by_owner.remove(&owner.uid, uid);
        }
        self.by_node.remove(&pod.spec.node_name, uid);
        Some(pod)
    }

    /// Follows an event of a watch.
    fn follow(&mut self, event: &WatchEvent) -> Result<(), Box<dyn Error>> {
        let pod: Pod = json::decode(event.object.as_str().as_bytes())?;
        match event.type_.as_str() {
            "ADDED" | "MODIFIED" => self.insert(pod),
            "DELETED" => drop(self.remove(&pod.metadata.uid)),
            other => return Err(format!("an event of an unknown type: {other}").into()),
        }
        Ok(())
    }

    fn with_label(&self, key: &str, value: &str) -> Vec<&Pod> {
        self.find(&self.by_label, &format!("{key}={value}"))
    }

    fn of_owner(&self, uid: &str) -> Vec<&Pod> {
        self.find(&self.by_owner, uid)
    }

    fn on_node(&self, node: &str) -> Vec<&Pod> {
        self.find(&self.by_node, node)
    }

    fn find(&self, index: &Index, key: &str) -> Vec<&Pod> {
        index.0.get(key).into_iter().flatten().map(|uid| &self.pods[uid]).collect()
    }
}

/// Whether a Pod has the condition `Ready`.
fn is_ready(pod: &Pod) -> bool {
    pod.status.conditions.iter().any(|condition| condition.type_ == "Ready" && condition.status == "True")
}

/// The number of Pods that use each image.
fn images<'a>(pods: &[&'a Pod]) -> BTreeMap<&'a str, usize> {
    let mut images = BTreeMap::new();
    for container in pods.iter().flat_map(|pod| &pod.spec.containers) {
        *images.entry(container.image.as_str()).or_default() += 1;
    }
    images
}

/// A list of 100 Pods of five apps on eight nodes.
fn list(namespace: &str) -> Result<PodList, Box<dyn Error>> {
    let template: Pod = json::decode(POD)?;
    let mut list = PodList::default();
    for number in 0..100 {
        let app = ["cart", "checkout", "payment", "search", "stock"][number % 5];
        let replica_set = format!("{app}-7c9f5d6b84");
        let mut pod = template.clone();
        pod.metadata.namespace = namespace.into();
        pod.metadata.name = format!("{replica_set}-{number:05}").into();
        pod.metadata.uid = format!("3f0a6a52-5b0e-4b0c-{}-{number:012}", &namespace[..4]).into();
        pod.metadata.labels.insert(APP, app.into());
        pod.metadata.owner_references[0].uid = format!("b6c1d0fe-7f26-4f4c-{}-{app}", &namespace[..4]).into();
        pod.metadata.owner_references[0].name = replica_set.into();
        pod.spec.node_name = format!("node-{}.eu-west.example.com", number % 8).into();
        pod.spec.containers[0].image = format!("registry.example.com/shop/{app}:v2.0.1").into();
        list.items.push(pod);
    }
    Ok(list)
}

/// The events of a watch: a Pod is deleted, another is not ready any more.
fn events(list: &PodList) -> Result<Vec<WatchEvent>, Box<dyn Error>> {
    let deleted = json::Raw::new(&json::encode(&list.items[0])?)?;
    let mut pod = list.items[1].clone();
    for condition in &mut pod.status.conditions {
        if condition.type_ == "Ready" {
            condition.status = "False".into();
        }
    }
    let modified = json::Raw::new(&json::encode(&pod)?)?;
    Ok(vec![
        WatchEvent { type_: "DELETED".into(), object: deleted },
        WatchEvent { type_: "MODIFIED".into(), object: modified },
    ])
}

/// Fills a cache from a list in JSON and one in protobuf, and follows the events.
fn fill(json: &[u8], message: &[u8], events: &[WatchEvent]) -> Result<Cache, Box<dyn Error>> {
    let mut cache = Cache::default();
    let lists: [PodList; 2] = [json::decode(json)?, protobuf::decode(message)?];
    for pod in lists.into_iter().flat_map(|list| list.items) {
        cache.insert(pod);
    }
    for event in events {
        cache.follow(event)?;
    }
    Ok(cache)
}

/// Looks up what an operator would want to know, a line each.
fn look_up(cache: &Cache) -> Vec<String> {
    let checkout = cache.with_label(APP, "checkout");
    let ready = checkout.iter().filter(|pod| is_ready(pod)).count();
    let mut lines = vec![
        format!("{} Pods on {} nodes", cache.pods.len(), cache.by_node.0.len()),
        format!("{APP}=checkout: {} Pods, {ready} of them ready", checkout.len()),
    ];
    let Some(owner) = checkout.first().and_then(|pod| pod.metadata.owner_references.first()) else {
        return lines;
    };
    lines.push(format!("{} {}: {} Pods", owner.kind, owner.name, cache.of_owner(&owner.uid).len()));
    for (image, count) in images(&cache.on_node("node-0.eu-west.example.com")) {
        lines.push(format!("node-0 runs {image} {count} times"));
    }
    lines
}

fn main() -> Result<(), Box<dyn Error>> {
    let (blue, green) = (list("blue")?, list("green")?);
    let (json, message, events) = (json::encode(&blue)?, protobuf::encode(&green), events(&blue)?);
    drop((blue, green));

    // `pod_cache 100` does the work 100 times, so that its cost can be measured.
    let rounds: usize = env::args().nth(1).map_or(Ok(1), |rounds| rounds.parse())?;
    for _ in 1..rounds {
        look_up(&fill(&json, &message, &events)?);
    }
    println!("{}", look_up(&fill(&json, &message, &events)?).join("\n"));
    Ok(())
}
