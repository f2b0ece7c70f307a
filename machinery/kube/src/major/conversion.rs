//! The `spec.conversion` of a definition: where its webhook is, and whom the API server trusts.

use serde_json::json;

use super::k8s_openapi::ByteString;
use super::k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, ServiceReference,
};
use super::kube_client::api::{Api, Patch, PatchParams};
use super::kube_client::{Client, Error};

/// The field manager of `spec.conversion`.
pub const CONVERSION_MANAGER: &str = "hubgen-conversion";

/// Tells the API server which service converts the objects of a definition, and the certificates that it trusts for
/// that.
///
/// `bundle` is in PEM: the certificates of the authority that signed the webhook's, or the webhook's own if it signed
/// itself. While a certificate is exchanged it has the old one and the new one.
///
/// The fields are applied (server-side apply) under a [manager](CONVERSION_MANAGER) of their own. They stay when
/// somebody else applies a definition without them, and nothing else of the definition changes. Who replaces the whole
/// definition (`kubectl replace`), removes them; call this again then. A definition with another `strategy`, such as
/// `None`, contradicts it: remove `spec.conversion` from what you apply.
///
/// ```no_run
/// # use hubgen_kube::v5::patch_ca_bundle;
/// # use k8s_openapi_0_29 as k8s_openapi;
/// use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::ServiceReference;
///
/// # async fn example(client: kube_client_5::Client) -> Result<(), Box<dyn std::error::Error>> {
/// let service = ServiceReference {
///     namespace: "widgets".to_owned(),
///     name: "webhook".to_owned(),
///     path: Some("/convert".to_owned()),
///     port: Some(443),
/// };
/// let bundle = std::fs::read("ca.crt")?;
/// patch_ca_bundle(client, "widgets.example.com", &bundle, &service).await?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// If there is no such definition, or the API server refuses the patch.
pub async fn patch_ca_bundle(
    client: Client,
    definition: &str,
    bundle: &[u8],
    service: &ServiceReference,
) -> Result<CustomResourceDefinition, Error> {
    let definitions: Api<CustomResourceDefinition> = Api::all(client);
    // Applying would create it.
    let uid = definitions.get(definition).await?.metadata.uid;
    let patch = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": definition, "uid": uid},
        "spec": {"conversion": {
            "strategy": "Webhook",
            "webhook": {
                "conversionReviewVersions": ["v1"],
                "clientConfig": {"service": service, "caBundle": ByteString(bundle.to_vec())},
            },
        }},
    });
    let parameters = PatchParams::apply(CONVERSION_MANAGER).force();
    definitions.patch(definition, &parameters, &Patch::Apply(patch)).await
}
