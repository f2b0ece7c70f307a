//! Where our discovery differs from that of a Kubernetes server, and why. docs/server.md explains each reason.

use serde_json::Value;

/// Subresources that need a component beside the server.
const CONNECTIONS: [&str; 5] = ["attach", "exec", "log", "portforward", "proxy"];

const NOT_SERVED: &str =
    "`log`, `exec`, `attach`, `portforward`, `proxy` and `rollback` are not in discovery, and answer 501";
const ONE_GROUP: &str =
    "Short names and categories are in the discovery of one group only, the one in which the kind lives";

/// Why two answers differ; `None` if they should not.
pub fn why(key: &str, theirs: &Value, ours: &Value) -> Option<&'static str> {
    let resource = key.rsplit(' ').next().unwrap_or_default();
    let is_connection = resource.split_once('/').is_some_and(|(_, part)| CONNECTIONS.contains(&part));
    if is_connection && ours.is_null() && theirs.is_object() {
        return Some(NOT_SERVED);
    }
    let is_event = matches!(key, "events.k8s.io/v1 events" | "aggregated events.k8s.io/v1 events");
    if is_event && theirs["shortNames"] == serde_json::json!(["ev"]) && ours.get("shortNames").is_none() {
        let mut without = theirs.clone();
        without.as_object_mut()?.remove("shortNames");
        return (without == *ours).then_some(ONE_GROUP);
    }
    None
}
