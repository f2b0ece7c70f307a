//! Asks an issuer over HTTPS.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::Value;
use ureq::Agent;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

use crate::agent::{certificates, certificates_of_machine};

/// The longest time for an answer, as upstream has it.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The longest answer. Sets of keys have some kilobytes.
const LONGEST: u64 = 1 << 20;

pub(super) struct Client {
    /// The certificates that sign those of issuers; the machine's own if there are none.
    authorities: Vec<Certificate<'static>>,
    /// Made when it is first needed.
    agent: Arc<OnceLock<Agent>>,
}

impl Client {
    /// A client that trusts those certificates (PEM), or what the machine trusts.
    ///
    /// # Errors
    /// If it is no PEM, or has no certificate.
    pub(super) fn new(authorities: Option<&str>) -> Result<Self, String> {
        let authorities =
            authorities.map(|pem| certificates(pem.as_bytes())).transpose()?.unwrap_or_default();
        Ok(Self { authorities, agent: Arc::default() })
    }

    /// Asks for a document in JSON.
    ///
    /// # Errors
    /// If there is none. The text is for a log.
    pub(super) async fn get(&self, url: &str) -> Result<Value, String> {
        let (agent, authorities, url) = (Arc::clone(&self.agent), self.authorities.clone(), url.to_owned());
        let asked = tokio::task::spawn_blocking(move || {
            let agent = agent.get_or_init(|| made(authorities));
            let mut answer = agent.get(&url).call().map_err(|error| format!("{url}: {error}"))?;
            let text = answer.body_mut().with_config().limit(LONGEST).read_to_string();
            let text = text.map_err(|error| format!("{url}: {error}"))?;
            serde_json::from_str(&text).map_err(|error| format!("{url}: {error}"))
        });
        asked.await.map_err(|error| error.to_string())?
    }
}

fn made(mut authorities: Vec<Certificate<'static>>) -> Agent {
    if authorities.is_empty() {
        authorities = certificates_of_machine();
    }
    let tls = TlsConfig::builder().root_certs(RootCerts::new_with_certs(&authorities)).build();
    Agent::config_builder().tls_config(tls).https_only(true).timeout_global(Some(TIMEOUT)).build().into()
}
