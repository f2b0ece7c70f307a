//! The servers of this program: hubgen's API server, and the webhook. Both serve over TLS.

use std::sync::{Arc, mpsc};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hubgen_example_cert_manager::api as cert_manager;
use hubgen_machinery::scheme::Scheme;
use hubgen_rules::DefinitionRules;
use hubgen_server::store::{Embedded, Options};
use hubgen_server::{Server, Settings};
use hubgen_webhook::{Tls, Webhook as Reviews};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use crate::api::{Api, Error};

/// hubgen's API server, with its objects in memory.
pub struct Ours {
    pub api: Api,
    _runtime: Runtime,
}

impl Ours {
    pub fn start() -> Result<Self, Error> {
        let runtime = Runtime::new()?;
        let mut scheme = Scheme::new();
        hubgen_apiextensions::register(&mut scheme);
        let server = runtime.block_on(async {
            let store = Embedded::in_memory(Options::default())?;
            let settings = Settings {
                conversions: Some(Arc::new(DefinitionRules::default())),
                tls: Some(hubgen_server::Tls::self_signed(["localhost"])?),
                ..Settings::new(Arc::new(scheme), Arc::new(store))
            };
            Ok::<_, Error>(Server::bind(0, settings).await?)
        })?;
        let api = Api::new(&format!("https://localhost:{}", server.address().port()), None);
        runtime.spawn(server.run(std::future::pending()));
        Ok(Self { api, _runtime: runtime })
    }
}

/// The webhook that converts Certificates.
pub struct Webhook {
    pub url: String,
    /// In base64.
    pub ca_bundle: String,
    _runtime: Runtime,
}

impl Webhook {
    pub fn start() -> Result<Self, Error> {
        let runtime = Runtime::new()?;
        let tls = Tls::self_signed(["localhost"])?;
        let ca_bundle = tls.ca_bundle().to_vec();
        let server = hubgen_webhook::Server::new(Reviews::new(cert_manager::scheme())).tls(tls);
        let (tell, told) = mpsc::channel();
        runtime.spawn(async move {
            let Ok(listener) = TcpListener::bind("127.0.0.1:0").await else { return };
            if let Ok(address) = listener.local_addr() {
                drop(tell.send(address.port()));
                server.serve_on(listener, std::future::pending()).await;
            }
        });
        let url = format!("https://localhost:{}/convert", told.recv()?);
        Ok(Self { url, ca_bundle: STANDARD.encode(ca_bundle), _runtime: runtime })
    }
}
