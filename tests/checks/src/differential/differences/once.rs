//! Duplicates are merged.

use serde_json::{Value, json};

use super::{Case, Mismatch, at, pointer};

pub fn applies(case: &Case<'_>, place: &Mismatch<'_>) -> bool {
    case.converts
        && case.from.version == "v1beta1"
        && match case.kind {
            "CustomResourceDefinition" => definition(case, place),
            "StatefulSet" => observed_nothing(case, place),
            "Ingress" => empty_port(case, place),
            _ => false,
        }
}

/// Fields that a definition at v1beta1 can contain twice.
const TWICE: [&str; 7] = [
    "additionalPrinterColumns",
    "preserveUnknownFields",
    "schema",
    "selectableFields",
    "subresources",
    "validation",
    "version",
];

/// A field that a definition can contain twice. They have the value of the request; we have their
/// value after a conversion through the hub.
fn definition(case: &Case<'_>, place: &Mismatch<'_>) -> bool {
    let Some((of, field)) = place.field else { return false };
    let path = pointer(&place.path);
    let there = |value: Option<&Value>| value.filter(|value| !value.is_null()).cloned();
    case.from == case.to
        && of.starts_with("CustomResourceDefinition")
        && (TWICE.contains(&&*field.name) || place.path == "spec.versions")
        && there(place.theirs) == there(case.read.pointer(&path))
        && there(place.ours) == there(case.again.pointer(&path))
}

/// They have nothing; we have 0.
fn observed_nothing(case: &Case<'_>, place: &Mismatch<'_>) -> bool {
    case.from == case.to
        && place.path == "status.observedGeneration"
        && place.theirs.is_none()
        && place.ours == Some(&json!(0))
        && matches!(case.asked("/status/observedGeneration").as_i64(), None | Some(0))
}

/// A backend without a service, whose port is the empty string. They create a service without a
/// name for it; we create none.
fn empty_port(case: &Case<'_>, place: &Mismatch<'_>) -> bool {
    let Some(path) = place.path.strip_suffix(".service") else { return false };
    let path = pointer(path).replacen("/spec/defaultBackend", "/spec/backend", 1);
    let backend = at(case.asked, &path);
    case.to.api_version() == "networking.k8s.io/v1"
        && backend["servicePort"] == ""
        && matches!(backend["serviceName"].as_str(), None | Some(""))
        && place.theirs == Some(&json!({"name": "", "port": {}}))
        && place.ours.is_none()
}
