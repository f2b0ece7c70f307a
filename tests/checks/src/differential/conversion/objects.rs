//! The definitions of cases, and their objects.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::scripted::All;

/// Where the objects are.
pub const NAMESPACE: &str = "conversion";

/// The definition of a case. Cases with the same webhook and the same versions of reviews have the same one.
pub fn definition(case: &Value, webhooks: &mut All) -> Value {
    let certificate = case["certificate"].as_str().unwrap_or("good");
    let reviews = case["reviews"].as_array().cloned().unwrap_or_else(|| vec!["v1".into()]);
    let webhook = webhooks.with(certificate);
    // Nobody listens there, as long as nobody is the administrator.
    let url = if certificate == "nobody" { "https://127.0.0.1:1/convert" } else { &webhook.url };
    let names: Vec<&str> = reviews.iter().filter_map(Value::as_str).collect();
    let group = format!("{}-{}.conversion.example.com", certificate.replace(' ', "-"), names.join("-"));
    let text = json!({"type": "string"});
    let spec = json!({"type": "object", "properties": {"size": {"type": "integer"}, "note": text}});
    let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}});
    let version = |name: &str, storage: bool| json!({"name": name, "served": true, "storage": storage, "schema": schema});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("widgets.{group}")},
        "spec": {
            "group": group,
            "names": {"kind": "Widget", "plural": "widgets"},
            "scope": "Namespaced",
            "versions": [version("v1", true), version("v2", false)],
            "conversion": {"strategy": "Webhook", "webhook": {
                "conversionReviewVersions": reviews,
                "clientConfig": {"url": url, "caBundle": STANDARD.encode(&webhook.authority)},
            }},
        },
    })
}

fn group(definition: &Value) -> &str {
    definition["spec"]["group"].as_str().unwrap_or_default()
}

/// The path of the objects of a definition at a version.
pub fn collection(definition: &Value, version: &str) -> String {
    format!("/apis/{}/{version}/namespaces/{NAMESPACE}/widgets", group(definition))
}

/// An object of a definition at a version.
pub fn object(definition: &Value, version: &str, name: &str) -> Value {
    json!({
        "apiVersion": format!("{}/{version}", group(definition)),
        "kind": "Widget",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {"size": 3},
    })
}
