//! Values that nobody set stay absent.

use serde_json::{Value, json};

use super::annotations::ZERO_SHARES;
use super::{Case, Mismatch, at};

/// Fields by struct, with the value in upstream's internal type that replaces an absent one.
fn zeros() -> [(&'static str, &'static str, Value); 8] {
    [
        ("DeploymentSpec", "replicas", json!(0)),
        ("ReplicaSetSpec", "replicas", json!(0)),
        ("StatefulSetSpec", "replicas", json!(0)),
        ("PodSecurityPolicySpec", "allowPrivilegeEscalation", json!(false)),
        ("PodSpec", "securityContext", json!({})),
        ("ServiceAccountTokenProjection", "expirationSeconds", json!(0)),
        ("ServiceReference", "port", json!(0)),
        ("LimitedPriorityLevelConfiguration", "nominalConcurrencyShares", json!(0)),
    ]
}

/// The same for rolling updates, which are defaulted only if the strategy is of that type. The
/// third part is the path to the type of the strategy.
const ROLLING: [(&str, &str, &str); 5] = [
    ("RollingUpdateDeployment", "maxSurge", "/spec/strategy/type"),
    ("RollingUpdateDeployment", "maxUnavailable", "/spec/strategy/type"),
    ("RollingUpdateDaemonSet", "maxSurge", "/spec/updateStrategy/type"),
    ("RollingUpdateDaemonSet", "maxUnavailable", "/spec/updateStrategy/type"),
    ("RollingUpdateStatefulSetStrategy", "partition", "/spec/updateStrategy/type"),
];

/// They have the zero value; we have nothing.
pub fn applies(case: &Case<'_>, place: &Mismatch<'_>) -> bool {
    let is_zero = |of: &str, name: &str, zero: &Value| place.is_field(of, name) && place.theirs == Some(zero);
    // If the request has no type, the default depends on the version.
    let is_other = |path: &str| at(case.read, path).as_str().is_some_and(|text| text != "RollingUpdate");
    case.converts
        && place.ours.is_none_or(Value::is_null)
        && (marked(case, place)
            || (!case.default && zeros().iter().any(|(of, name, zero)| is_zero(of, name, zero)))
            || ROLLING.iter().any(|(of, name, strategy)| {
                is_zero(of, name, &json!(0)) && (!case.default || is_other(strategy))
            }))
}

/// The annotation that marks zero shares of a priority level at v1beta3: they have it, but the
/// request has neither it nor shares.
fn marked(case: &Case<'_>, place: &Mismatch<'_>) -> bool {
    let limited = &case.read["spec"]["limited"];
    // Before v1, zero means absent.
    let nobody = |name: &str| limited[name].is_null() || (case.from.version != "v1" && limited[name] == 0);
    case.kind == "PriorityLevelConfiguration"
        && case.to.version == "v1beta3"
        && !case.default
        && place.annotation() == Some(ZERO_SHARES)
        && place.theirs == Some(&json!(""))
        && limited.is_object()
        && nobody("nominalConcurrencyShares")
        && nobody("assuredConcurrencyShares")
}
