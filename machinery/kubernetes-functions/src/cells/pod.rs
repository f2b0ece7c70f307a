//! Cells of Pods.
//!
//! What a Pod does is told by its containers: those that initialize it, one after the other, and then all others.

use hubgen_machinery::columns::{Cell, Value, age};
use hubgen_machinery::scalar::Time;

/// What the containers tell together.
struct Told {
    reason: String,
    ready: usize,
    restarts: i64,
    /// When a container ended last, before it was started again.
    restarted: Option<Time>,
}

/// How many containers are ready, of how many.
pub fn ready(pod: Value<'_>, _: Time) -> Cell {
    let sidecars = pod.get("spec.initContainers").items().filter(|container| is_sidecar(*container)).count();
    let all = pod.get("spec.containers").len() + sidecars;
    Cell::Text(format!("{}/{all}", told(pod).ready))
}

/// Why the Pod is in the state in which it is.
pub fn status(pod: Value<'_>, _: Time) -> Cell {
    let is_being_deleted = pod.get("metadata.deletionTimestamp").is_present();
    let has_ended = matches!(pod.get("status.phase").text(), "Failed" | "Succeeded");
    Cell::Text(match pod.get("status.reason").text() {
        "NodeLost" if is_being_deleted => "Unknown".to_owned(),
        _ if is_being_deleted && !has_ended => "Terminating".to_owned(),
        _ => told(pod).reason,
    })
}

/// How often its containers were started again, and when for the last time.
pub fn restarts(pod: Value<'_>, now: Time) -> Cell {
    let Told { restarts, restarted, .. } = told(pod);
    Cell::Text(match restarted.filter(|_| restarts != 0) {
        Some(last) => format!("{restarts} ({} ago)", age(last, now)),
        None => restarts.to_string(),
    })
}

/// How many conditions of its readiness gates are true, of how many.
pub fn readiness_gates(pod: Value<'_>, _: Time) -> Cell {
    let gates = pod.get("spec.readinessGates");
    if gates.is_empty() {
        return Cell::text("<none>");
    }
    let is_true = |gate: &Value<'_>| condition(pod, gate.get("conditionType").text()) == Some("True");
    Cell::Text(format!("{}/{}", gates.items().filter(is_true).count(), gates.len()))
}

/// Whether all its containers have ended, and how.
pub fn completed(pod: Value<'_>, _: Time) -> Cell {
    match pod.get("status.phase").text() {
        phase @ ("Succeeded" | "Failed") => Cell::text(phase),
        _ => Cell::Null,
    }
}

fn told(pod: Value<'_>) -> Told {
    let reason = pod.get("status.reason").text();
    let reason = if reason.is_empty() { pod.get("status.phase").text() } else { reason };
    let is_gated = pod.get("status.conditions").items().any(|condition| {
        condition.get("type").text() == "PodScheduled" && condition.get("reason").text() == "SchedulingGated"
    });
    let reason = if is_gated { "SchedulingGated" } else { reason };
    let mut told = Told { reason: reason.to_owned(), ready: 0, restarts: 0, restarted: None };
    let (is_initializing, sidecars) = initialized(pod, &mut told);
    if !is_initializing || condition(pod, "Initialized") == Some("True") {
        // Restarts while it initialized are over.
        (told.restarts, told.restarted) = sidecars;
        running(pod, &mut told);
    }
    told
}

/// What the containers tell that initialize the Pod. Returns whether one of them still does, and the restarts of those
/// that run beside all others.
fn initialized(pod: Value<'_>, told: &mut Told) -> (bool, (i64, Option<Time>)) {
    let containers = pod.get("spec.initContainers");
    let mut sidecars = (0, None);
    for (index, status) in pod.get("status.initContainerStatuses").items().enumerate() {
        let name = status.get("name").text();
        // If there are several of that name, upstream takes the last one.
        let is_sidecar = containers
            .items()
            .rev()
            .find(|container| container.get("name").text() == name)
            .is_some_and(is_sidecar);
        let (count, ended) = (status.get("restartCount").integer(), last_end(status));
        told.restarts += count;
        told.restarted = told.restarted.max(ended);
        if is_sidecar {
            sidecars = (sidecars.0 + count, sidecars.1.max(ended));
        }
        let (terminated, waiting) = (status.get("state.terminated"), status.get("state.waiting"));
        if terminated.is_present() && terminated.get("exitCode").integer() == 0 {
            continue;
        }
        if is_sidecar && status.get("started").is_true() {
            told.ready += usize::from(status.get("ready").is_true());
            continue;
        }
        let why = waiting.get("reason").text();
        told.reason = if terminated.is_present() {
            format!("Init:{}", end(terminated))
        } else if !why.is_empty() && why != "PodInitializing" {
            format!("Init:{why}")
        } else {
            format!("Init:{index}/{}", containers.len())
        };
        return (true, sidecars);
    }
    (false, sidecars)
}

/// What the containers tell that run when the Pod is initialized. The first one has the last word.
fn running(pod: Value<'_>, told: &mut Told) {
    let (mut some_run, mut failure) = (false, None);
    for status in pod.get("status.containerStatuses").items().rev() {
        told.restarts += status.get("restartCount").integer();
        told.restarted = told.restarted.max(last_end(status));
        let (terminated, why) = (status.get("state.terminated"), status.get("state.waiting.reason").text());
        if !why.is_empty() {
            told.reason = why.to_owned();
        } else if terminated.is_present() {
            told.reason = end(terminated);
            if terminated.get("exitCode").integer() != 0 {
                failure = Some(told.reason.clone());
            }
        } else if status.get("ready").is_true() && status.get("state.running").is_present() {
            some_run = true;
            told.ready += 1;
        }
    }
    if told.reason == "Completed" {
        if some_run && has_true_condition(pod, "Ready") {
            told.reason = "Running".to_owned();
        } else if let Some(failure) = failure {
            told.reason = failure;
        } else if some_run {
            told.reason = "NotReady".to_owned();
        }
    }
}

/// Why a container has ended.
fn end(terminated: Value<'_>) -> String {
    let (reason, signal) = (terminated.get("reason").text(), terminated.get("signal").integer());
    match (reason, signal) {
        ("", 0) => format!("ExitCode:{}", terminated.get("exitCode").integer()),
        ("", signal) => format!("Signal:{signal}"),
        (reason, _) => reason.to_owned(),
    }
}

/// When a container ended before it was started again.
fn last_end(status: Value<'_>) -> Option<Time> {
    status.get("lastState.terminated.finishedAt").time()
}

/// Whether a container initializes the Pod and runs on.
fn is_sidecar(container: Value<'_>) -> bool {
    container.get("restartPolicy").text() == "Always"
}

/// The status of the first condition of a type.
fn condition<'a>(pod: Value<'a>, name: &str) -> Option<&'a str> {
    let mut conditions = pod.get("status.conditions").items();
    Some(conditions.find(|condition| condition.get("type").text() == name)?.get("status").text())
}

fn has_true_condition(pod: Value<'_>, name: &str) -> bool {
    pod.get("status.conditions")
        .items()
        .any(|condition| condition.get("type").text() == name && condition.get("status").text() == "True")
}
