//! How the answers of a Kubernetes server to patches differ from ours, and why. docs/server.md explains each reason.

use serde_json::Value;

/// Members of `metadata` that we validate as they do.
const VALIDATED: [&str; 4] =
    ["metadata.annotations", "metadata.finalizers", "metadata.labels", "metadata.ownerReferences"];

/// Fields that their strategies or their admission keep as they were, or fill again: by kind, with what is inside.
const KEPT: [(&str, &str); 8] = [
    ("CertificateSigningRequest", "spec"),
    ("DeviceTaintRule", "spec.taint.timeAdded"),
    ("PersistentVolume", "status.lastPhaseTransitionTime"),
    ("PersistentVolumeClaim", "spec.dataSource"),
    ("Pod", "spec.preemptionPolicy"),
    ("Pod", "spec.priority"),
    ("Pod", "spec.tolerations"),
    ("Pod", "status.qosClass"),
];

/// Fields of a Service that depend on what is allocated for it.
const ALLOCATED: [&str; 7] = [
    "spec.allocateLoadBalancerNodePorts",
    "spec.clusterIP",
    "spec.clusterIPs",
    "spec.externalTrafficPolicy",
    "spec.ipFamilies",
    "spec.ipFamilyPolicy",
    "spec.ports",
];

const BY_SCHEMA: &str = "Validation follows the schema only";
const KEPT_WHY: &str = "Fields that strategies keep or fill are as the patch leaves them";
const ALLOCATED_WHY: &str = "Addresses and ports of Services are not allocated";
const NO_TEMPLATE_GENERATION: &str = "A DaemonSet has no template generation";
const ANY_JSON: &str = "A patch leaves any JSON as it is";
const DRIVERS: &str = "A CSIDriver has no generation";
const UNPARSED: &str = "A text in an annotation that does not parse is no reason to refuse";
const VALUES: &str = "A `test` compares values, and not how they are written";
const ORDERED: &str = "Items of a list without a merge key can be ordered";

/// Why they refuse a patch that we accept, or the other way round.
pub fn of_codes(line: &Value, ours: &Value) -> Option<&'static str> {
    let theirs = &line["answer"];
    let object = &line["object"];
    let causes = |answer: &Value| answer["body"]["details"]["causes"].as_array().cloned().unwrap_or_default();
    let message = theirs["body"]["message"].as_str().unwrap_or_default();
    let is_service = object["kind"] == "Service";
    match (theirs["code"].as_u64()?, ours["code"].as_u64()?) {
        // Their handler panics, and closes the connection.
        (0, 200) if line["patch"].to_string().contains("\"$setElementOrder/") => Some(ORDERED),
        (422, _) if theirs["body"]["reason"] != "Invalid" => None,
        (422, 200) if is_unparsed(message) => Some(UNPARSED),
        (422, 200) if theirs["body"]["details"]["kind"].is_null() => {
            tests_text_that_is_escaped(&line["patch"]).then_some(VALUES)
        }
        (422, 200) => {
            let of_kind = theirs["body"]["details"]["kind"] == object["kind"];
            let causes = causes(theirs);
            let is_known = |field: &str| VALIDATED.iter().any(|known| field.starts_with(known));
            let of_values =
                causes.iter().all(|cause| cause["field"].as_str().is_some_and(|field| !is_known(field)));
            (of_kind && of_values && !causes.is_empty()).then_some(BY_SCHEMA)
        }
        (200, 422) => {
            let causes = causes(ours);
            let of_schema = ["FieldValueRequired", "FieldValueDuplicate"];
            let is_of_schema = |cause: &Value| of_schema.iter().any(|reason| cause["reason"] == *reason);
            (causes.iter().all(is_of_schema) && !causes.is_empty()).then_some(BY_SCHEMA)
        }
        (500, 200 | 422) => {
            (is_service && message.starts_with("duplicate nodePort: ")).then_some(ALLOCATED_WHY)
        }
        _ => None,
    }
}

/// Whether they refuse the patched object for an annotation that their conversion parses.
fn is_unparsed(message: &str) -> bool {
    message.starts_with(" \"\" is invalid: patch: ") && message.contains(": strconv.ParseInt: parsing ")
}

/// Whether a JSON patch tests a text with characters that they escape: they compare the texts of JSON.
fn tests_text_that_is_escaped(patch: &Value) -> bool {
    let mut operations = patch.as_array().into_iter().flatten();
    operations.any(|operation| {
        operation["op"] == "test" && operation["value"].to_string().contains(['<', '>', '&'])
    })
}

/// Why a place of the patched objects differs.
pub fn of_place(
    object: &Value,
    path: &str,
    theirs: Option<&Value>,
    ours: Option<&Value>,
) -> Option<&'static str> {
    let kind = object["kind"].as_str()?;
    if path == "metadata.generation" {
        let number = |value: Option<&Value>| value.and_then(Value::as_i64).unwrap_or_default();
        let counts = number(theirs) - number(ours);
        return match kind {
            // `opaque.parameters` is any JSON, of which they sort the members.
            "DeviceClass" if counts == 1 && object.to_string().contains("\"parameters\":{") => Some(ANY_JSON),
            "CSIDriver" if counts == 1 => Some(DRIVERS),
            "DaemonSet" if counts == -1 => Some(NO_TEMPLATE_GENERATION),
            "DeviceTaintRule" | "Pod" if counts == -1 => Some(KEPT_WHY),
            _ => None,
        };
    }
    let is_inside =
        |of: &str| path.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    match kind {
        "DaemonSet" if path == "metadata.annotations.deprecated.daemonset.template.generation" => {
            theirs.is_some().then_some(NO_TEMPLATE_GENERATION)
        }
        "Service" => ALLOCATED.contains(&path).then_some(ALLOCATED_WHY),
        _ => {
            let is_kept = KEPT.iter().any(|(of, field)| *of == kind && is_inside(field));
            (is_kept && theirs.is_some()).then_some(KEPT_WHY)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn line(kind: &str, answer: Value) -> Value {
        json!({"object": {"kind": kind}, "patch": {}, "answer": answer})
    }

    fn refused(code: u16, kind: &str, causes: Value) -> Value {
        json!({"code": code, "body": {"reason": "Invalid", "details": {"kind": kind, "causes": causes}}})
    }

    #[test]
    fn each_reason_is_explained() {
        let docs = include_str!("../../../../../docs/server.md");
        for why in [
            BY_SCHEMA,
            KEPT_WHY,
            ALLOCATED_WHY,
            NO_TEMPLATE_GENERATION,
            ANY_JSON,
            DRIVERS,
            UNPARSED,
            VALUES,
            ORDERED,
        ] {
            assert!(docs.contains(&format!("\n| {why} |")), "{why}");
        }
    }

    #[test]
    fn a_difference_beyond_a_listed_one_is_refused() {
        let ours = json!({"code": 200});
        let of_value = json!([{"reason": "FieldValueInvalid", "field": "spec.type"}]);
        assert!(of_codes(&line("Service", refused(422, "Service", of_value.clone())), &ours).is_some());
        let of_labels = json!([{"reason": "FieldValueInvalid", "field": "metadata.labels"}]);
        for (kind, theirs, ours) in [
            ("Service", refused(422, "Service", of_labels), ours.clone()),
            ("Service", refused(422, "", of_value.clone()), ours.clone()),
            ("Service", refused(422, "Service", json!([])), ours.clone()),
            ("Service", refused(400, "Service", of_value.clone()), ours.clone()),
            ("Service", json!({"code": 200}), refused(422, "Service", of_value)),
            ("Service", json!({"code": 0}), ours.clone()),
            ("Service", json!({"code": 422, "body": {"reason": "Invalid"}}), ours.clone()),
            ("Pod", json!({"code": 500, "body": {"message": "duplicate nodePort: 1"}}), ours.clone()),
            ("Service", json!({"code": 500, "body": {"message": "something else"}}), ours),
        ] {
            assert_eq!(of_codes(&line(kind, theirs.clone()), &ours), None, "{kind} {theirs}");
        }
    }

    #[test]
    fn a_place_beyond_a_listed_one_is_refused() {
        let object = |kind: &str| json!({"kind": kind, "spec": {"parameters": {"a": 1}}});
        let (one, two) = (json!(1), json!(2));
        let generation = "metadata.generation";
        assert!(of_place(&object("DeviceClass"), generation, Some(&two), Some(&one)).is_some());
        assert!(of_place(&object("Service"), "spec.clusterIP", Some(&one), None).is_some());
        for (kind, path, theirs, ours) in [
            ("DeviceClass", generation, &one, &two),
            ("Deployment", generation, &two, &one),
            ("Service", "spec.type", &one, &two),
            ("Pod", "spec.clusterIP", &one, &two),
            ("Pod", "spec.priorityClassName", &one, &two),
            ("Deployment", "spec.priority", &one, &two),
        ] {
            assert_eq!(of_place(&object(kind), path, Some(theirs), Some(ours)), None, "{kind} {path}");
        }
        assert_eq!(of_place(&json!({"kind": "DeviceClass"}), generation, Some(&two), Some(&one)), None);
        assert_eq!(of_place(&object("Pod"), "spec.tolerations", None, Some(&one)), None);
    }
}
