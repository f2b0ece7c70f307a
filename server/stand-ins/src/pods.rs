//! Pods: they are scheduled, and a kubelet runs all of their containers.

use std::hash::{DefaultHasher, Hash, Hasher};

use hubgen_server::loops::Resource;
use serde_json::{Map, Value, json};

use crate::conditions::{Holds, hold};
use crate::marks::{Marks, status_of};

pub(crate) const PODS: Marks =
    Marks { of: &[Resource { group: "", version: "v1", plural: "pods" }], status: pod };

/// The node that there is not.
const HOST_IP: &str = "192.0.2.1";

fn pod(object: &Value, now: &str) -> Value {
    let mut status = status_of(object);
    let phase = status["phase"].as_str().unwrap_or("Pending");
    // Somebody else has written what has become of it.
    if phase != "Pending" && phase != "Running" {
        return status;
    }
    status["phase"] = "Running".into();
    if !status["startTime"].is_string() {
        status["startTime"] = now.into();
    }
    let ip = match &status["podIP"] {
        Value::String(ip) => ip.clone(),
        _ => ip_of(object["metadata"]["uid"].as_str().unwrap_or_default()),
    };
    status["hostIP"] = HOST_IP.into();
    status["hostIPs"] = json!([{"ip": HOST_IP}]);
    status["podIPs"] = json!([{"ip": ip}]);
    status["podIP"] = ip.into();
    for (of, member) in [("initContainers", "initContainerStatuses"), ("containers", "containerStatuses")] {
        let containers = object["spec"][of].as_array().cloned().unwrap_or_default();
        if !containers.is_empty() && !status[member].is_array() {
            let is_init = of == "initContainers";
            status[member] = containers.iter().map(|container| ran(container, is_init, now)).collect();
        }
    }
    let types = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"];
    let holds = types.map(|ty| Holds { ty, reason: "", message: String::new() });
    hold(&mut status, holds.into(), &["lastTransitionTime"], now);
    status
}

/// The status of a container: it has ended if it had to before the others, and runs otherwise.
fn ran(container: &Value, is_init: bool, now: &str) -> Value {
    // It runs beside the others.
    let has_ended = is_init && container["restartPolicy"] != "Always";
    let mut state = Map::new();
    if has_ended {
        let ended = json!({"exitCode": 0, "reason": "Completed", "startedAt": now, "finishedAt": now});
        state.insert("terminated".to_owned(), ended);
    } else {
        state.insert("running".to_owned(), json!({"startedAt": now}));
    }
    json!({
        "name": container["name"], "image": container["image"], "imageID": "", "ready": true, "restartCount": 0,
        "started": !has_ended, "state": state, "lastState": {},
    })
}

/// An address of its own, out of those for documentation and tests.
fn ip_of(uid: &str) -> String {
    let mut hasher = DefaultHasher::new();
    uid.hash(&mut hasher);
    let bytes = hasher.finish().to_be_bytes();
    format!("198.{}.{}.{}", 18 + bytes[0] % 2, bytes[1], bytes[2])
}
