//! How the owners of another server differ from ours, and why. docs/server.md explains each reason.

use std::collections::BTreeSet;

use serde_json::Value;

const BY_SCHEMA: &str = "Validation follows the schema only";
const KEPT: &str = "Fields that strategies keep or fill are as the patch leaves them";
const ALLOCATED: &str = "Addresses and ports of Services are not allocated";
const NO_TEMPLATE_GENERATION: &str = "A DaemonSet has no template generation";
const ANY_JSON: &str = "A patch leaves any JSON as it is";
const NO_ADMISSION: &str = "No admission changes objects";
pub const TWICE: &str = "Owner references that are there twice stay";
pub const NO_DEFAULTS: &str = "Reading sets no defaults";

/// Fields that differ: by kind, the field with what is inside, and why. Their names are those of `fieldsV1`.
pub const FIELDS: [(&str, &str, &str); 25] = [
    ("CertificateSigningRequest", "f:spec", KEPT),
    ("CertificateSigningRequest", "f:status/f:conditions", KEPT),
    ("Job", "f:metadata/f:labels", KEPT),
    ("Job", "f:spec/f:template/f:metadata/f:labels", KEPT),
    ("Namespace", "f:spec/f:finalizers", KEPT),
    ("Pod", "f:metadata/f:annotations/f:pod.beta.kubernetes.io/init-containers", KEPT),
    ("Pod", "f:spec/f:tolerations", KEPT),
    ("Pod", "f:status/f:conditions", KEPT),
    ("Pod", "f:status/f:qosClass", KEPT),
    ("DeviceTaintRule", "f:spec/f:taint/f:timeAdded", KEPT),
    ("PersistentVolume", "f:status/f:lastPhaseTransitionTime", KEPT),
    ("Service", "f:spec/f:clusterIP", ALLOCATED),
    ("Service", "f:spec/f:clusterIPs", ALLOCATED),
    ("Service", "f:spec/f:externalTrafficPolicy", ALLOCATED),
    ("Service", "f:spec/f:allocateLoadBalancerNodePorts", ALLOCATED),
    ("Service", "f:spec/f:ipFamilies", ALLOCATED),
    ("Service", "f:spec/f:ipFamilyPolicy", ALLOCATED),
    ("Service", "f:spec/f:ports", ALLOCATED),
    (
        "DaemonSet",
        "f:metadata/f:annotations/f:deprecated.daemonset.template.generation",
        NO_TEMPLATE_GENERATION,
    ),
    ("DeviceClass", "f:spec/f:config", ANY_JSON),
    ("Node", "f:spec/f:taints", NO_ADMISSION),
    ("PersistentVolume", "f:metadata/f:finalizers", NO_ADMISSION),
    ("PersistentVolumeClaim", "f:metadata/f:finalizers", NO_ADMISSION),
    ("VolumeAttributesClass", "f:metadata/f:finalizers", NO_ADMISSION),
    ("HorizontalPodAutoscaler", "f:spec/f:behavior", NO_DEFAULTS),
];

/// An annotation in which a version has what is in a field of [`FIELDS`] at others.
pub const BEHAVIOR: &str = "f:metadata/f:annotations/f:autoscaling.alpha.kubernetes.io/behavior";

/// Why the answers to the last of these steps differ.
pub fn why(kind: &Value, steps: &[Value], theirs: &Value, ours: &Value) -> Option<&'static str> {
    let step = steps.last()?;
    if steps.iter().any(adds_owner_reference) {
        return Some(TWICE);
    }
    if theirs["code"] != ours["code"] {
        return of_codes(kind, step, theirs, ours);
    }
    let listed = |place: &String| {
        FIELDS
            .iter()
            .filter(|(of, ..)| kind == of)
            .find(|(_, field, _)| is_inside(place, field))
            .map(|(.., why)| *why)
            .or((kind == "HorizontalPodAutoscaler" && is_inside(place, BEHAVIOR)).then_some(NO_DEFAULTS))
    };
    let places = places(theirs, ours)?;
    let whys: Option<Vec<&str>> = places.iter().map(listed).collect();
    whys?.first().copied()
}

/// Whether a step adds an item to the owner references, which may be one that is there.
pub fn adds_owner_reference(step: &Value) -> bool {
    let mut operations = step["change"].as_array().into_iter().flatten();
    operations.any(|operation| {
        operation["op"] == "add"
            && operation["path"].as_str().is_some_and(|path| path.starts_with("/metadata/ownerReferences/"))
    })
}

/// Why they accept a write that we refuse.
pub fn of_codes(kind: &Value, step: &Value, theirs: &Value, ours: &Value) -> Option<&'static str> {
    // 0: the client cannot make the change.
    if theirs["code"] != 200 || !(ours["code"] == 422 || ours["code"] == 0) {
        return None;
    }
    let message = ours["message"].as_str().unwrap_or_default();
    if ours["reason"] == "Invalid"
        && [": Required value", ": Duplicate value"].iter().any(|what| message.contains(what))
    {
        return Some(BY_SCHEMA);
    }
    // A patch of a field that is not there, or has another value.
    let change = step["change"].to_string();
    let names = |field: &str| {
        field.split('/').map(|part| part.trim_start_matches("f:")).collect::<Vec<_>>().join("/")
    };
    let mut fields = FIELDS.iter().filter(|(of, ..)| kind == of);
    let found = fields.find(|(_, field, _)| change.contains(&format!("\"/{}", names(field))));
    found.map(|(.., why)| *why).filter(|_| step["media"] == "application/json-patch+json")
}

pub fn is_inside(place: &str, field: &str) -> bool {
    place.strip_prefix(field).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The fields that an owner has in one answer and not in the other. `None` if there are none: then something else differs.
pub fn places(theirs: &Value, ours: &Value) -> Option<BTreeSet<String>> {
    let theirs = owned(theirs);
    let ours = owned(ours);
    let differing: BTreeSet<String> =
        theirs.symmetric_difference(&ours).map(|(_, place)| place.clone()).collect();
    (!differing.is_empty()).then_some(differing)
}

/// Each owner with each field.
pub fn owned(answer: &Value) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    for owner in answer["owners"].as_array().into_iter().flatten() {
        let name = ["manager", "operation", "apiVersion", "subresource"].map(|name| owner[name].to_string());
        let mut places = Vec::new();
        collect(&owner["fieldsV1"], "", &mut places);
        found.extend(places.into_iter().map(|place| (name.concat(), place)));
    }
    found
}

fn collect(fields: &Value, path: &str, found: &mut Vec<String>) {
    for (name, inner) in fields.as_object().into_iter().flatten() {
        let place = match (path, name.as_str()) {
            (path, ".") => path.to_owned(),
            ("", name) => name.to_owned(),
            (path, name) => format!("{path}/{name}"),
        };
        if inner.as_object().is_some_and(|inner| inner.is_empty()) {
            found.push(place);
        } else {
            collect(inner, &place, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answer(fields: Value) -> Value {
        json!({"code": 200, "owners": [{"manager": "a", "fieldsV1": fields}]})
    }

    #[test]
    fn each_reason_is_explained() {
        let docs = include_str!("../../../../../docs/server.md");
        for why in [BY_SCHEMA, NO_DEFAULTS, TWICE].into_iter().chain(FIELDS.iter().map(|(.., why)| *why)) {
            assert!(docs.contains(&format!("\n| {why} |")), "{why}");
        }
    }

    #[test]
    fn a_difference_beyond_a_listed_one_is_refused() {
        let taints = json!({"f:spec": {"f:taints": {}}});
        let none = answer(json!({}));
        let judged = |kind: &str, theirs: &Value, ours: &Value| why(&kind.into(), &[json!({})], theirs, ours);
        assert_eq!(judged("Node", &answer(taints.clone()), &none), Some(NO_ADMISSION));
        assert_eq!(judged("Node", &none, &answer(taints.clone())), Some(NO_ADMISSION));
        let both = json!({"f:spec": {"f:taints": {}, "f:podCIDR": {}}});
        for (kind, theirs, ours) in [
            ("Pod", answer(taints.clone()), none.clone()),
            ("Node", answer(both), none.clone()),
            ("Node", answer(json!({"f:spec": {"f:taintsToo": {}}})), none.clone()),
            ("Node", json!({"code": 200, "owners": [{"manager": "a", "time": "now"}]}), none.clone()),
            ("Node", json!({"code": 409}), none.clone()),
            ("HorizontalPodAutoscaler", answer(json!({"f:spec": {"f:maxReplicas": {}}})), none.clone()),
        ] {
            assert_eq!(judged(kind, &theirs, &ours), None, "{kind} {theirs}");
        }
        let add = |path: &str| json!({"change": [{"op": "add", "path": path}]});
        let after = |path: &str| why(&"Pod".into(), &[add(path), json!({})], &answer(taints.clone()), &none);
        assert_eq!(after("/metadata/ownerReferences/-"), Some(TWICE));
        assert_eq!(after("/metadata/ownerReferences"), None);
    }

    #[test]
    fn a_refusal_beyond_a_listed_one_is_none() {
        let accepted = answer(json!({}));
        let refused =
            |reason: &str, message: &str| json!({"code": 422, "reason": reason, "message": message});
        let required = refused("Invalid", "Pod \"a\" is invalid: status.x: Required value");
        let missing = refused("Invalid", "the server rejected our request");
        let patch = |path: &str| json!({"media": "application/json-patch+json", "change": [{"op": "remove", "path": path}]});
        let judged = |kind: &str, step: &Value, theirs: &Value, ours: &Value| {
            why(&kind.into(), std::slice::from_ref(step), theirs, ours)
        };
        assert_eq!(judged("Pod", &json!({}), &accepted, &required), Some(BY_SCHEMA));
        assert_eq!(judged("Node", &patch("/spec/taints/0"), &accepted, &missing), Some(NO_ADMISSION));
        for (kind, step, theirs, ours) in [
            ("Pod", patch("/spec/taints/0"), &accepted, &missing),
            ("Node", patch("/spec/podCIDR"), &accepted, &missing),
            ("Node", json!({"change": {"spec": {"taints": null}}}), &accepted, &missing),
            ("Pod", json!({}), &required, &accepted),
            ("Pod", json!({}), &accepted, &json!({"code": 500, "message": ": Required value"})),
        ] {
            assert_eq!(judged(kind, &step, theirs, ours), None, "{kind} {step}");
        }
    }
}
