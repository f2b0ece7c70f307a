//! Workloads that run for good: all of their pods are ready. The statuses and texts are those that kube-controller-manager writes
//! in the end.

use std::hash::{DefaultHasher, Hash, Hasher};

use hubgen_server::loops::Resource;
use serde_json::Value;

use crate::conditions::{Holds, hold};
use crate::marks::{Marks, number, set, status_of};

const fn apps(plural: &'static str) -> Resource {
    Resource { group: "apps", version: "v1", plural }
}

pub(crate) const DEPLOYMENTS: Marks = Marks { of: &[apps("deployments")], status: deployment };
pub(crate) const REPLICA_SETS: Marks = Marks { of: &[apps("replicasets")], status: replica_set };
pub(crate) const STATEFUL_SETS: Marks = Marks { of: &[apps("statefulsets")], status: stateful_set };
pub(crate) const DAEMON_SETS: Marks = Marks { of: &[apps("daemonsets")], status: daemon_set };
pub(crate) const REPLICATION_CONTROLLERS: Marks = Marks {
    of: &[Resource { group: "", version: "v1", plural: "replicationcontrollers" }],
    status: replica_set,
};

fn generation(object: &Value, status: &mut Value) {
    set(status, "observedGeneration", number(object, "/metadata/generation", 0));
}

fn replicas(object: &Value) -> i64 {
    number(object, "/spec/replicas", 1)
}

fn deployment(object: &Value, now: &str) -> Value {
    let mut status = status_of(object);
    generation(object, &mut status);
    for name in ["replicas", "updatedReplicas", "readyReplicas", "availableReplicas"] {
        set(&mut status, name, replicas(object));
    }
    set(&mut status, "unavailableReplicas", 0);
    let name = object["metadata"]["name"].as_str().unwrap_or_default();
    let conditions = vec![
        Holds {
            ty: "Available",
            reason: "MinimumReplicasAvailable",
            message: "Deployment has minimum availability.".to_owned(),
        },
        Holds {
            ty: "Progressing",
            reason: "NewReplicaSetAvailable",
            message: format!("Deployment {name:?} has successfully progressed."),
        },
    ];
    hold(&mut status, conditions, &["lastUpdateTime", "lastTransitionTime"], now);
    status
}

fn replica_set(object: &Value, _: &str) -> Value {
    let mut status = status_of(object);
    generation(object, &mut status);
    // It is there even if it is 0.
    status["replicas"] = replicas(object).into();
    for name in ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"] {
        set(&mut status, name, replicas(object));
    }
    status
}

fn stateful_set(object: &Value, _: &str) -> Value {
    let mut status = status_of(object);
    generation(object, &mut status);
    status["replicas"] = replicas(object).into();
    // It is there even if it is 0.
    status["availableReplicas"] = replicas(object).into();
    for name in ["readyReplicas", "currentReplicas", "updatedReplicas"] {
        set(&mut status, name, replicas(object));
    }
    let revision = revision(object);
    for name in ["currentRevision", "updateRevision"] {
        status[name] = revision.as_str().into();
    }
    status
}

/// As if there were one node.
fn daemon_set(object: &Value, _: &str) -> Value {
    let mut status = status_of(object);
    generation(object, &mut status);
    for name in ["currentNumberScheduled", "desiredNumberScheduled", "numberReady"] {
        status[name] = 1.into();
    }
    status["numberMisscheduled"] = 0.into();
    for name in ["updatedNumberScheduled", "numberAvailable"] {
        set(&mut status, name, 1);
    }
    set(&mut status, "numberUnavailable", 0);
    status
}

/// The name of a revision of its pods, which is another one for another template.
fn revision(object: &Value) -> String {
    let mut hasher = DefaultHasher::new();
    object["spec"]["template"].to_string().hash(&mut hasher);
    let name = object["metadata"]["name"].as_str().unwrap_or_default();
    format!("{name}-{:010x}", hasher.finish() & 0xff_ffff_ffff)
}
