//! Cells of Nodes.

use std::collections::BTreeSet;

use hubgen_machinery::columns::{Cell, Value};
use hubgen_machinery::scalar::Time;

/// Whether the Node is ready, and takes new Pods.
pub fn status(node: Value<'_>, _: Time) -> Cell {
    // Of several conditions of one type, the last one counts.
    let mut conditions = node.get("status.conditions").items().rev();
    let ready = conditions.find(|condition| condition.get("type").text() == "Ready");
    let mut status = match ready.map(|condition| condition.get("status").text()) {
        Some("True") => "Ready",
        Some(_) => "NotReady",
        None => "Unknown",
    }
    .to_owned();
    if node.get("spec.unschedulable").is_true() {
        status.push_str(",SchedulingDisabled");
    }
    Cell::Text(status)
}

/// The roles that its labels name.
pub fn roles(labels: Value<'_>, _: Time) -> Cell {
    let role = |(key, value): (&'_ str, Value<'_>)| match key.strip_prefix("node-role.kubernetes.io/") {
        Some(role) => role.to_owned(),
        None if key == "kubernetes.io/role" => value.text().to_owned(),
        None => String::new(),
    };
    let roles: BTreeSet<String> =
        labels.entries().into_iter().map(role).filter(|role| !role.is_empty()).collect();
    Cell::Text(if roles.is_empty() { "<none>".to_owned() } else { Vec::from_iter(roles).join(",") })
}

/// The version of the kernel, and for which architecture it is.
pub fn kernel(info: Value<'_>, _: Time) -> Cell {
    let (version, architecture) = (info.get("kernelVersion").text(), info.get("architecture").text());
    let version = if version.is_empty() { "<unknown>" } else { version };
    Cell::Text(if architecture.is_empty() {
        version.to_owned()
    } else {
        format!("{version} ({architecture})")
    })
}
