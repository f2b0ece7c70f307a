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

use cache_operator::development;
use hubgen_webhook::Tls;
use kube::Client;
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
            let folder =
                PathBuf::from(env::var("CERTIFICATES").unwrap_or_else(|_| "/certificates".to_owned()));
            Tls::files(folder.join("tls.crt"), folder.join("tls.key"))?
        }
    };
    tracing::info!("the webhook listens at {}", listener.local_addr()?);
    cache_operator::run(client, tls, listener).await;
    Ok(())
}
