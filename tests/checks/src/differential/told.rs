//! What a server tells of its groups and resources, as one fact for each of them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// What a server tells, by what it is about.
pub type Facts = BTreeMap<String, Value>;

/// What clients ask with to get all resources in one answer.
const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// Asks for everything that discovery tells. `get` asks for a path, with what the client accepts.
///
/// # Errors
/// If the server does not answer.
pub fn collect(get: &mut dyn FnMut(&str, &str) -> Result<Value, String>) -> Result<Facts, String> {
    let mut facts = Facts::new();
    let plain = "application/json";
    let core = get("/api", plain)?;
    facts.insert("/api".to_owned(), core["versions"].clone());
    let mut paths: Vec<String> = texts(&core["versions"]).map(|version| format!("/api/{version}")).collect();
    let groups = get("/apis", plain)?;
    let mut order = Vec::new();
    for group in items(&groups["groups"]) {
        let versions = items(&group["versions"]).map(|version| version["groupVersion"].clone());
        let versions: Vec<Value> = versions.collect();
        paths.extend(versions.iter().filter_map(Value::as_str).map(|version| format!("/apis/{version}")));
        let name = group["name"].as_str().unwrap_or_default().to_owned();
        let preferred = &group["preferredVersion"]["groupVersion"];
        let path = format!("/apis/{name}");
        let alone = get(&path, plain)?;
        facts.insert(
            path,
            json!({"versions": versions, "preferred": preferred, "alone": alone["preferredVersion"]["groupVersion"]}),
        );
        order.push(name);
    }
    facts.insert("/apis".to_owned(), json!(order));
    for path in paths {
        let list = get(&path, plain)?;
        let version = list["groupVersion"].as_str().unwrap_or_default().to_owned();
        for resource in items(&list["resources"]) {
            let mut resource = resource.clone();
            let name = resource["name"].as_str().unwrap_or_default().to_owned();
            // It tells how an object is stored, and depends on the server's code.
            if let Some(resource) = resource.as_object_mut() {
                resource.remove("storageVersionHash");
            }
            facts.insert(format!("{version} {name}"), resource);
        }
    }
    for path in ["/api", "/apis"] {
        aggregated(path, &get(path, AGGREGATED)?, &mut facts);
    }
    Ok(facts)
}

/// The facts of an answer with all resources.
fn aggregated(path: &str, list: &Value, facts: &mut Facts) {
    let mut order = Vec::new();
    for group in items(&list["items"]) {
        let name = group["metadata"]["name"].as_str().unwrap_or_default();
        for version in items(&group["versions"]) {
            let at = format!("{name}/{}", version["version"].as_str().unwrap_or_default());
            for resource in items(&version["resources"]) {
                let mut resource = resource.clone();
                let parts = resource.as_object_mut().and_then(|resource| resource.remove("subresources"));
                let name = resource["resource"].as_str().unwrap_or_default().to_owned();
                for part in parts.iter().flat_map(items) {
                    let part_name = part["subresource"].as_str().unwrap_or_default();
                    facts.insert(format!("aggregated {at} {name}/{part_name}"), part.clone());
                }
                facts.insert(format!("aggregated {at} {name}"), resource);
            }
            order.push(at);
        }
    }
    facts.insert(format!("aggregated {path}"), json!(order));
}

/// Reads recorded facts.
///
/// # Errors
/// If a line is none.
pub fn read(text: &str) -> Result<Facts, String> {
    let mut facts = Facts::new();
    for (number, line) in text.lines().enumerate() {
        let wrong = |why: String| format!("line {}: {why}", number + 1);
        let line: Value = serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
        let about = line["about"].as_str().ok_or_else(|| wrong("expected a text in `about`".to_owned()))?;
        facts.insert(about.to_owned(), line["told"].clone());
    }
    if facts.is_empty() { Err("expected answers, found none".to_owned()) } else { Ok(facts) }
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn texts(list: &Value) -> impl Iterator<Item = &str> {
    items(list).filter_map(Value::as_str)
}
