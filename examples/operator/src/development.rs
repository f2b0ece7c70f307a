//! An operator outside of the cluster, for development: the API server calls a webhook on this machine.

use std::error::Error;

use hubgen_kube::v5::Kube;
use hubgen_webhook::Tls;
use k8s_openapi::ByteString;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, WebhookClientConfig,
};
use kube::api::PostParams;
use kube::runtime::wait::{await_condition, conditions};
use kube::{Api, Client, CustomResourceExt};

use crate::api::v1::Cache;

/// Installs the definition with a webhook at this URL, and returns the webhook's certificate, which is a new one.
///
/// # Errors
/// If the URL names no host, or the API server refuses the definition.
pub async fn install(client: Client, url: &str) -> Result<Tls, Box<dyn Error>> {
    let uri: http::Uri = url.parse().map_err(|error| format!("{url} is no URL: {error}"))?;
    let host = uri.host().ok_or_else(|| format!("{url} names no host: write https://HOST:PORT/convert"))?;
    let tls = Tls::self_signed([host.trim_matches(['[', ']'])])?;

    let mut definition = Kube::<Cache>::crd();
    let conversion = definition.spec.conversion.as_mut().and_then(|conversion| conversion.webhook.as_mut());
    conversion.ok_or("the definition names no webhook: hubgen.toml needs [webhook]")?.client_config =
        Some(WebhookClientConfig {
            ca_bundle: Some(ByteString(tls.ca_bundle().to_vec())),
            url: Some(url.to_owned()),
            service: None,
        });

    let definitions: Api<CustomResourceDefinition> = Api::all(client);
    let name = Kube::<Cache>::crd_name();
    match definitions.get_metadata_opt(name).await? {
        None => definitions.create(&PostParams::default(), &definition).await?,
        Some(existing) => {
            definition.metadata.resource_version = existing.metadata.resource_version;
            definitions.replace(name, &PostParams::default(), &definition).await?
        }
    };
    await_condition(definitions, name, conditions::is_crd_established()).await?;
    Ok(tls)
}
