//! A server with a certificate.

use std::sync::Arc;

use hubgen_server::store::{Embedded, Options, Store};
use hubgen_server::{Settings, Tls};
use tokio::runtime::Runtime;
use ureq::Agent;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

use crate::harness::Harness;
use crate::scheme::scheme;

#[test]
fn a_server_with_a_certificate_serves_over_tls() {
    let tls = Tls::self_signed(["localhost"]).unwrap();
    let root = Certificate::from_pem(tls.ca_bundle()).unwrap();
    let runtime = Runtime::new().unwrap();
    let store: Arc<dyn Store> =
        Arc::new(runtime.block_on(async { Embedded::in_memory(Options::default()).unwrap() }));
    let settings = Settings { tls: Some(tls), ..Settings::new(Arc::new(scheme()), store.clone()) };
    let server = Harness::serve(runtime, store, settings);
    let tls = TlsConfig::builder().root_certs(RootCerts::Specific(Arc::new(vec![root]))).build();
    let agent: Agent = Agent::config_builder().tls_config(tls).build().into();
    let url = format!("https://localhost:{}/healthz", server.client.0.port());
    assert_eq!(agent.get(url).call().unwrap().body_mut().read_to_string().unwrap(), "ok");
}
