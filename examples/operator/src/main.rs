//! The operator as a program. These variables of the environment are for it:
//!
//! | variable | meaning | without it |
//! | --- | --- | --- |
//! | `CERTIFICATES` | the folder with `tls.crt` and `tls.key` of the webhook | `/certificates` |
//! | `LISTEN` | the address of the webhook | `0.0.0.0:9443` |
//! | `WEBHOOK_URL` | the operator is outside of the cluster, and the API server knows the webhook by this URL | it is in the cluster |
//!
//! kube's client finds the cluster as kubectl does, or as a Pod.

use std::env;
use std::error::Error;
use std::path::PathBuf;

use cache_operator::api::v1::Cache;
use cache_operator::development;
use hubgen_kube::v5::Kube;
use hubgen_webhook::Tls;
use kube::api::ListParams;
use kube::{Api, Client, CustomResourceExt};
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    tracing_subscriber::fmt().with_ansi(false).init();
    let client = Client::try_default().await?;
    let address = env::var("LISTEN").unwrap_or_else(|_| "0.0.0.0:9443".to_owned());
    let listener = TcpListener::bind(&address).await.map_err(|error| format!("{address}: {error}"))?;
    let tls = match env::var("WEBHOOK_URL") {
        Ok(url) => development::install(client.clone(), &url).await?,
        Err(_) => {
            is_installed(client.clone()).await?;
            let folder =
                PathBuf::from(env::var("CERTIFICATES").unwrap_or_else(|_| "/certificates".to_owned()));
            Tls::files(folder.join("tls.crt"), folder.join("tls.key"))?
        }
    };
    cache_operator::run(client, tls, listener).await;
    Ok(())
}

/// Fails if the API server does not know the kind: the controller would ask for it again and again.
async fn is_installed(client: Client) -> Result<(), Box<dyn Error>> {
    let caches: Api<Kube<Cache>> = Api::all(client);
    match caches.list(&ListParams::default().limit(1)).await {
        Err(kube::Error::Api(status)) if status.code == 404 => {
            let name = Kube::<Cache>::crd_name();
            Err(format!("the cluster does not have {name}: apply examples/operator/crds first").into())
        }
        // Other errors pass: objects at an old version cannot be read before the webhook is there, for example.
        _ => Ok(()),
    }
}
