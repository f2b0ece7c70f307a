//! Sends a review to a webhook.

use std::sync::OnceLock;
use std::time::Duration;

use ureq::config::Config;
use ureq::http::Uri;
use ureq::http::header::{ACCEPT, CONTENT_TYPE, USER_AGENT};
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};
use ureq::{Agent, Error};

use super::answer::Answer;
use super::words;
use crate::agent;

/// The longest answer that is read. The objects of a review have a few MiB.
const LONGEST: u64 = 32 << 20;
/// How many connections to a webhook are kept, and for how long, as upstream.
const KEPT: (usize, Duration) = (25, Duration::from_secs(90));
/// How upstream's client calls itself, which webhooks may know.
const NAME: &str = "kube-apiserver-admission";

/// Where a webhook is.
pub(super) struct Place {
    pub(super) url: String,
    /// The host and port to connect to, if they are not those of the URL.
    pub(super) at: Option<(String, u16)>,
    /// The certificates that sign its certificate, in PEM; those that the machine trusts if there are none.
    pub(super) authorities: Vec<u8>,
}

/// Asks a webhook. Connections are kept for the next question.
pub(super) struct Client {
    place: Place,
    limit: Duration,
    /// Made when it is first needed.
    agent: OnceLock<Agent>,
}

impl Client {
    pub(super) fn new(mut place: Place, limit: Duration) -> Self {
        // As upstream, the webhook is told how long it has.
        place.url = format!("{}?timeout={}", place.url, shown(limit));
        Self { place, limit, agent: OnceLock::new() }
    }

    /// The answer to a review. This waits for it.
    ///
    /// # Errors
    /// If there is none. The text is for clients.
    pub(super) fn post(&self, review: &[u8]) -> Result<Answer, String> {
        let url = &self.place.url;
        let unanswered = |error: &Error| {
            let parsed: Option<Uri> = url.parse().ok();
            let host = parsed.as_ref().and_then(Uri::host).unwrap_or_default();
            let (at, port) = match &self.place.at {
                Some((at, port)) => (&**at, *port),
                None => (host, parsed.as_ref().and_then(Uri::port_u16).unwrap_or(443)),
            };
            format!("Post {url:?}: {}", words::unanswered(error, host, &format!("{at}:{port}")))
        };
        let asked = self.agent().post(url);
        let asked = asked.header(CONTENT_TYPE, "application/json").header(ACCEPT, "application/json, */*");
        let mut response = asked.header(USER_AGENT, NAME).send(review).map_err(|error| unanswered(&error))?;
        let code = response.status().as_u16();
        let content_type = response.headers().get(CONTENT_TYPE);
        let content_type = content_type.and_then(|text| text.to_str().ok()).unwrap_or_default().to_owned();
        let body = response.body_mut().with_config().limit(LONGEST).read_to_vec();
        let body = body.map_err(|error| words::unread(&error))?;
        Ok(Answer { code, content_type, body })
    }

    fn agent(&self) -> &Agent {
        self.agent.get_or_init(|| {
            let authorities = self.authorities();
            let tls = TlsConfig::builder().root_certs(RootCerts::new_with_certs(&authorities)).build();
            let config = Agent::config_builder()
                .http_status_as_error(false)
                // Objects are not sent to where whoever answers would have them.
                .max_redirects(0)
                .timeout_global(Some(self.limit))
                .max_idle_connections(KEPT.0)
                .max_idle_connections_per_host(KEPT.0)
                .max_idle_age(KEPT.1)
                .proxy(None)
                .https_only(true)
                .tls_config(tls)
                .build();
            let resolver = At { place: self.place.at.clone(), by: DefaultResolver::default() };
            Agent::with_parts(config, DefaultConnector::default(), resolver)
        })
    }

    fn authorities(&self) -> Vec<Certificate<'static>> {
        if self.place.authorities.trim_ascii().is_empty() {
            return agent::certificates_of_machine();
        }
        // Whoever writes a definition is told that they are wrong; then nobody is trusted.
        agent::certificates(&self.place.authorities).unwrap_or_default()
    }
}

/// Finds the address of a webhook.
#[derive(Debug)]
struct At {
    place: Option<(String, u16)>,
    by: DefaultResolver,
}

impl Resolver for At {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, Error> {
        let Some((host, port)) = &self.place else { return self.by.resolve(uri, config, timeout) };
        let uri: Uri = format!("https://{host}:{port}").parse().map_err(|_| Error::HostNotFound)?;
        self.by.resolve(&uri, config, timeout)
    }
}

/// A duration as Go writes it, if it has no more than milliseconds.
fn shown(duration: Duration) -> String {
    match duration.subsec_millis() {
        0 => format!("{}s", duration.as_secs()),
        _ => format!("{}ms", duration.as_millis()),
    }
}
