//! The definition of Certificates and its objects.

use hubgen_definitions::RULES;
use hubgen_example_cert_manager::api;
use serde_json::{Value, json};

use crate::api::Error;
use crate::servers::Webhook;

/// The name of the definition.
pub const NAME: &str = "certificates.cert-manager.io";

/// The rules of the kind, as a definition brings them.
const RULES_OF_KIND: &str =
    include_str!("../../../examples/cert-manager/schemas/rules/cert-manager.io.Certificate.toml");

/// How the versions of a definition convert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Strategy `None`: only `apiVersion` changes.
    Same,
    /// The rules that come with the definition.
    Rules,
    /// A webhook.
    Webhook,
}

impl Way {
    pub fn title(self) -> &'static str {
        match self {
            Self::Same => "None",
            Self::Rules => "rules",
            Self::Webhook => "webhook",
        }
    }
}

/// The definition, which converts in some way, and stores objects at v1.
pub fn of(way: Way, webhook: &Webhook) -> Result<Value, Error> {
    let crd = api::crds().into_iter().find(|crd| crd.name() == NAME).ok_or("there is no such definition")?;
    let mut definition = crd.value();
    definition["spec"]["conversion"] = match way {
        Way::Same | Way::Rules => json!({"strategy": "None"}),
        Way::Webhook => json!({"strategy": "Webhook", "webhook": {
            "clientConfig": {"url": webhook.url, "caBundle": webhook.ca_bundle}, "conversionReviewVersions": ["v1"],
        }}),
    };
    if way == Way::Rules {
        definition["metadata"]["annotations"] = json!({RULES: RULES_OF_KIND});
    }
    Ok(definition)
}

/// The path of the objects.
pub fn path(version: &str) -> String {
    format!("/apis/cert-manager.io/{version}/namespaces/default/certificates")
}

/// Objects of v1alpha2, as a client creates them.
pub fn objects(count: usize) -> Result<Vec<Value>, Error> {
    let review: Value = serde_json::from_slice(&bench_webhook::review(count))?;
    let mut objects = review["request"]["objects"].as_array().ok_or("a review has objects")?.clone();
    for object in &mut objects {
        let metadata = object["metadata"].as_object_mut().ok_or("an object has metadata")?;
        for of_server in ["creationTimestamp", "generation", "managedFields", "resourceVersion", "uid"] {
            metadata.remove(of_server);
        }
    }
    Ok(objects)
}
