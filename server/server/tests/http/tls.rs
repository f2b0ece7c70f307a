//! A server with a certificate.

use std::sync::Arc;

use hubgen_machinery::scheme::Scheme;
use hubgen_server::store::{Embedded, Options};
use hubgen_server::{Server, Settings, Tls};
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

#[test]
fn other_addresses_need_a_certificate() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let bound = |address: &str, tls: Option<Tls>| {
        runtime.block_on(async {
            let store = Arc::new(Embedded::in_memory(Options::default()).unwrap());
            let settings = Settings::new(Arc::new(Scheme::new()), store);
            Server::bind(0, Settings { address: address.parse().unwrap(), tls, ..settings }).await
        })
    };
    let error = bound("0.0.0.0", None).err().expect("it is refused");
    assert_eq!(error.to_string(), "0.0.0.0 can be reached from other machines, and needs a certificate");
    assert!(bound("0.0.0.0", Some(Tls::self_signed(["localhost"]).unwrap())).is_ok());
    assert!(bound("127.0.0.1", None).is_ok());
}

/// The check against foreign pages is for plain HTTP: with TLS, the certificate says who the server is.
#[test]
fn with_tls_any_host_is_served() {
    let tls = Tls::self_signed(["server.example"]).unwrap();
    let root = Certificate::from_pem(tls.ca_bundle()).unwrap();
    let server = Setup::new().tls(tls).start();
    let tls = TlsConfig::builder().root_certs(RootCerts::Specific(Arc::new(vec![root]))).build();
    let agent: Agent = Agent::config_builder().tls_config(tls).build().into();
    let url = format!("https://localhost:{}/healthz", server.client.0.port());
    // The name does not fit, so the client refuses it.
    assert!(agent.get(&url).call().is_err());
    let anything = TlsConfig::builder().disable_verification(true).build();
    let agent: Agent = Agent::config_builder().tls_config(anything).build().into();
    let answer = agent.get(&url).header("host", "server.example").call().unwrap();
    assert_eq!(answer.status(), 200);
}
