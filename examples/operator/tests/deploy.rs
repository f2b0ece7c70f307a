//! What is in `deploy` fits its kinds, the definition, and the program.

use std::fs;

use cache_operator::reconcile::MANAGER;
use hubgen_machinery::scheme::Scheme;
use hubgen_machinery::yaml;
use serde_json::{Value, json};

fn documents() -> Vec<Value> {
    let text = fs::read_to_string("deploy/operator.yaml").unwrap();
    let read = |document: &str| serde_json::from_slice(&yaml::to_json(document).unwrap()).unwrap();
    text.split("\n---\n").map(read).collect()
}

fn find(kind: &str) -> Value {
    documents().into_iter().find(|document| document["kind"] == kind).unwrap_or_else(|| panic!("no {kind}"))
}

/// No field is unknown, and all are of their types.
#[test]
fn documents_fit_their_kinds() {
    let mut scheme = Scheme::new();
    hubgen_apps::register(&mut scheme);
    hubgen_core::register(&mut scheme);
    hubgen_rbac::register(&mut scheme);
    let cert_manager = hubgen_example_cert_manager::api::scheme();
    for document in documents() {
        let is_theirs = document["apiVersion"] == "cert-manager.io/v1";
        let scheme = if is_theirs { &cert_manager } else { &scheme };
        let (_, decoded) = scheme.decode(document.to_string().as_bytes()).unwrap();
        assert!(decoded.unknown.is_empty() && decoded.duplicate.is_empty(), "{document}: {decoded:?}");
    }
}

/// The definition names the Service and the Certificate, and they lead to the program.
#[test]
fn the_api_server_finds_the_webhook() {
    let text = fs::read_to_string("crds/caches.cache.example.com.yaml").unwrap();
    let definition: Value = serde_json::from_slice(&yaml::to_json(&text).unwrap()).unwrap();
    let (service, certificate, deployment) = (find("Service"), find("Certificate"), find("Deployment"));
    let name = |object: &Value| {
        let metadata = &object["metadata"];
        format!("{}/{}", metadata["namespace"].as_str().unwrap(), metadata["name"].as_str().unwrap())
    };
    let named = &definition["spec"]["conversion"]["webhook"]["clientConfig"]["service"];
    assert_eq!(name(&json!({"metadata": named})), name(&service));
    assert_eq!(service["spec"]["ports"][0]["port"], named.get("port").cloned().unwrap_or(443.into()));
    let authority = &definition["metadata"]["annotations"]["cert-manager.io/inject-ca-from"];
    assert_eq!(*authority, name(&certificate));
    let host = format!("{}.{}.svc", named["name"].as_str().unwrap(), named["namespace"].as_str().unwrap());
    assert_eq!(certificate["spec"]["dnsNames"], json!([host]));

    let template = &deployment["spec"]["template"];
    assert_eq!(template["metadata"]["labels"], service["spec"]["selector"]);
    let container = &template["spec"]["containers"][0];
    assert_eq!(service["spec"]["ports"][0]["targetPort"], container["ports"][0]["name"]);
    assert_eq!(container["ports"][0]["containerPort"], 9443);
    assert_eq!(template["spec"]["volumes"][0]["secret"]["secretName"], certificate["spec"]["secretName"]);
    assert_eq!(container["volumeMounts"][0]["name"], template["spec"]["volumes"][0]["name"]);
    assert_eq!(container["volumeMounts"][0]["mountPath"], container["env"][0]["value"]);
    assert_eq!(container["image"], MANAGER);
}
