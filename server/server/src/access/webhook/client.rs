//! Sends a review to a webhook.

use std::io;
use std::time::Duration;

use ureq::Agent;
use ureq::http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use ureq::tls::{ClientCert, RootCerts, TlsConfig};

use super::kubeconfig::Endpoint;

/// The largest answer that is read.
const LONGEST: u64 = 1 << 20;

pub(super) struct Client {
    agent: Agent,
    url: String,
    authorization: Option<String>,
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) struct Failed {
    pub(super) why: String,
    /// Whether another attempt may have one.
    pub(super) may_pass: bool,
}

impl Client {
    pub(super) fn new(endpoint: Endpoint, timeout: Duration) -> Self {
        let Endpoint { url, authorities, is_unverified, certificate, authorization } = endpoint;
        let mut tls = TlsConfig::builder().disable_verification(is_unverified);
        if !authorities.is_empty() {
            tls = tls.root_certs(RootCerts::from(authorities));
        }
        if let Some((chain, key)) = certificate {
            tls = tls.client_cert(Some(ClientCert::new_with_certs(&chain, key)));
        }
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_global(Some(timeout))
            .tls_config(tls.build());
        Self { agent: config.build().into(), url, authorization }
    }

    /// The body of the answer to a question in JSON. This blocks.
    pub(super) fn post(&self, question: &str) -> Result<Vec<u8>, Failed> {
        let failed = |error: &ureq::Error| Failed {
            why: format!("Post \"{}\": {error}", self.url),
            may_pass: matches!(error, ureq::Error::Io(error) if error.kind() == io::ErrorKind::ConnectionReset),
        };
        let mut request = self
            .agent
            .post(&self.url)
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json");
        if let Some(authorization) = &self.authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        let mut response = request.send(question).map_err(|error| failed(&error))?;
        let code = response.status().as_u16();
        if !response.status().is_success() {
            let why = format!("Post \"{}\": status {code}", self.url);
            return Err(Failed { why, may_pass: matches!(code, 429 | 500) });
        }
        let body = response.body_mut().with_config().limit(LONGEST).read_to_vec();
        body.map_err(|error| failed(&error))
    }
}
