//! Services: they have the endpoints that follow from the pods that there are.

use std::hash::{DefaultHasher, Hash, Hasher};

use hubgen_machinery::scalar::Time;
use hubgen_server::loops::{Changed, Done, Resource, StandIn, World};
use serde_json::{Value, json};

use crate::marks::is_being_deleted;

const SERVICES: Resource = Resource { group: "", version: "v1", plural: "services" };
const PODS: Resource = Resource { group: "", version: "v1", plural: "pods" };
const ENDPOINTS: Resource = Resource { group: "", version: "v1", plural: "endpoints" };
const SLICES: Resource = Resource { group: "discovery.k8s.io", version: "v1", plural: "endpointslices" };

/// Writes Endpoints and an EndpointSlice for each service with a selector.
pub(crate) struct Services;

impl StandIn for Services {
    fn name(&self) -> &'static str {
        "services"
    }

    fn follows(&self) -> &'static [Resource] {
        &[SERVICES, PODS]
    }

    fn act<'a>(&'a self, changed: &'a Changed, world: &'a World) -> Done<'a, Option<Time>> {
        Box::pin(async move {
            if changed.resource == PODS {
                // A pod may have had other labels before, or be gone.
                for service in world.list(SERVICES, &changed.namespace).await? {
                    furnish(&service, world).await?;
                }
                return Ok(None);
            }
            match &changed.object {
                Some(service) => furnish(service, world).await?,
                // The slice goes with its owner.
                None => world.delete(ENDPOINTS, &changed.namespace, &changed.name).await?,
            }
            Ok(None)
        })
    }
}

/// Writes the endpoints of a service.
async fn furnish(service: &Value, world: &World) -> Result<(), String> {
    let text = |pointer: &str| service.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let Some(selector) = service["spec"]["selector"].as_object().filter(|selector| !selector.is_empty())
    else {
        return Ok(());
    };
    if is_being_deleted(service) || text("/spec/type") == "ExternalName" {
        return Ok(());
    }
    let mut pods = world.list(PODS, text("/metadata/namespace")).await?;
    let is_meant =
        |pod: &Value| selector.iter().all(|(key, value)| pod["metadata"]["labels"].get(key) == Some(value));
    pods.retain(|pod| is_meant(pod) && pod["status"]["podIP"].is_string());
    let all = Endpoints { service, pods: &pods };
    let slice = all.slice();
    let set_slice = keep(&slice, &["endpoints", "ports"]);
    world.ensure(SLICES, slice, set_slice).await?;
    let endpoints = all.endpoints();
    let set_endpoints = keep(&endpoints, &["subsets"]);
    world.ensure(ENDPOINTS, endpoints, set_endpoints).await
}

/// Sets members of an object as they are in another one.
fn keep(wanted: &Value, members: &'static [&'static str]) -> impl FnMut(&mut Value) -> bool + Send + use<> {
    let wanted = wanted.clone();
    move |object: &mut Value| {
        let differs = members.iter().any(|member| object[*member] != wanted[*member]);
        members.iter().for_each(|member| object[*member] = wanted[*member].clone());
        differs
    }
}

/// A service and its pods.
struct Endpoints<'a> {
    service: &'a Value,
    pods: &'a [Value],
}

impl Endpoints<'_> {
    fn name(&self) -> &str {
        self.service["metadata"]["name"].as_str().unwrap_or_default()
    }

    /// Name, number and protocol of the ports: by name, the port of the first pod that has it.
    fn ports(&self) -> Vec<Value> {
        let ports = self.service["spec"]["ports"].as_array().into_iter().flatten();
        let found = ports.filter_map(|port| {
            let number = match &port["targetPort"] {
                Value::String(name) => self.pods.iter().find_map(|pod| port_of(pod, name))?,
                Value::Null => port["port"].clone(),
                number => number.clone(),
            };
            let protocol = port["protocol"].as_str().unwrap_or("TCP");
            Some(json!({"name": port["name"].as_str().unwrap_or_default(), "port": number, "protocol": protocol}))
        });
        found.collect()
    }

    fn slice(&self) -> Value {
        let metadata = &self.service["metadata"];
        let mut hasher = DefaultHasher::new();
        metadata["uid"].as_str().hash(&mut hasher);
        let name = format!("{}-{:05x}", self.name(), hasher.finish() & 0xf_ffff);
        let endpoints = self.pods.iter().map(|pod| {
            let is_ready = is_ready(pod);
            let is_going = is_being_deleted(pod);
            json!({
                "addresses": [pod["status"]["podIP"]],
                "conditions": {"ready": is_ready && !is_going, "serving": is_ready, "terminating": is_going},
                "targetRef": target(pod),
            })
        });
        json!({
            "apiVersion": "discovery.k8s.io/v1",
            "kind": "EndpointSlice",
            "metadata": {
                "name": name,
                "namespace": metadata["namespace"],
                "labels": {
                    "kubernetes.io/service-name": self.name(),
                    "endpointslice.kubernetes.io/managed-by": "hubgen-stand-ins",
                },
                "ownerReferences": [{
                    "apiVersion": "v1", "kind": "Service", "name": self.name(), "uid": metadata["uid"],
                    "controller": true, "blockOwnerDeletion": true,
                }],
            },
            "addressType": "IPv4",
            "endpoints": endpoints.collect::<Vec<_>>(),
            "ports": self.ports(),
        })
    }

    fn endpoints(&self) -> Value {
        let metadata = &self.service["metadata"];
        let addresses = |ready: bool| -> Vec<Value> {
            let pods = self.pods.iter().filter(|pod| !is_being_deleted(pod) && is_ready(pod) == ready);
            pods.map(|pod| json!({"ip": pod["status"]["podIP"], "targetRef": target(pod)})).collect()
        };
        let mut subset = json!({});
        for (member, addresses) in [("addresses", addresses(true)), ("notReadyAddresses", addresses(false))] {
            if !addresses.is_empty() {
                subset[member] = addresses.into();
            }
        }
        let mut document = json!({
            "apiVersion": "v1",
            "kind": "Endpoints",
            "metadata": {"name": self.name(), "namespace": metadata["namespace"]},
        });
        if subset.as_object().is_some_and(|subset| !subset.is_empty()) {
            let ports = self.ports();
            let named = |mut port: Value| {
                if let Some(port) = port.as_object_mut().filter(|port| port["name"] == "") {
                    port.remove("name");
                }
                port
            };
            subset["ports"] = ports.into_iter().map(named).collect();
            document["subsets"] = json!([subset]);
        }
        document
    }
}

fn target(pod: &Value) -> Value {
    let metadata = &pod["metadata"];
    json!({"kind": "Pod", "name": metadata["name"], "namespace": metadata["namespace"], "uid": metadata["uid"]})
}

fn is_ready(pod: &Value) -> bool {
    let conditions = pod["status"]["conditions"].as_array().into_iter().flatten();
    conditions.into_iter().any(|condition| condition["type"] == "Ready" && condition["status"] == "True")
}

/// The number of a port that a container of a pod has named.
fn port_of(pod: &Value, name: &str) -> Option<Value> {
    let containers = pod["spec"]["containers"].as_array().into_iter().flatten();
    let mut ports = containers.filter_map(|container| container["ports"].as_array()).flatten();
    ports.find(|port| port["name"] == name).map(|port| port["containerPort"].clone())
}
