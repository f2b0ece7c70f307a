//! A server with a certificate.

use std::sync::Arc;

use hubgen_server::Tls;
use ureq::Agent;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

use crate::harness::Setup;

#[test]
fn a_server_with_a_certificate_serves_over_tls() {
    let tls = Tls::self_signed(["localhost"]).unwrap();
    let root = Certificate::from_pem(tls.ca_bundle()).unwrap();
    let server = Setup::new().tls(tls).start();
    let tls = TlsConfig::builder().root_certs(RootCerts::Specific(Arc::new(vec![root]))).build();
    let agent: Agent = Agent::config_builder().tls_config(tls).build().into();
    let url = format!("https://localhost:{}/healthz", server.client.0.port());
    assert_eq!(agent.get(url).call().unwrap().body_mut().read_to_string().unwrap(), "ok");
}
