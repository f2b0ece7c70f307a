//! An HTTP client for API servers.

use std::path::PathBuf;
use std::time::Duration;
use std::{env, fs};

use serde_json::Value;
use ureq::Agent;
use ureq::http::StatusCode;
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};

use crate::differential::exchange::{Request, Response};

/// The environment variable with a bearer token.
const TOKEN: &str = "HUBGEN_TOKEN";
/// The longest time to wait for an answer.
const PATIENCE: Duration = Duration::from_secs(60);
/// The size limit of answers; servers store nothing larger.
const LONGEST: u64 = 16 << 20;

/// How a server is reached.
#[derive(Default, clap::Args)]
pub struct Options {
    /// A file with the bearer token; without one, it is taken from HUBGEN_TOKEN, if that is set.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// A file with the certificates (PEM) of the authorities that the server's is signed by.
    #[arg(long, value_name = "FILE", conflicts_with = "insecure_skip_tls_verify")]
    certificate_authority: Option<PathBuf>,
    /// Take any certificate of the server. Whoever is on the way can read the token.
    #[arg(long)]
    insecure_skip_tls_verify: bool,
}

/// A server, and the credentials for it.
pub struct Client {
    agent: Agent,
    base: String,
    authorization: Option<String>,
}

/// The answer of a server.
pub struct Answer {
    pub status: StatusCode,
    /// The object, or the `Status`.
    pub body: Value,
}

impl Answer {
    /// The object, or else the server's message as an error.
    pub fn object(self) -> Result<Value, String> {
        if self.status.is_success() {
            return Ok(self.body);
        }
        let message = self.body.get("message").and_then(Value::as_str);
        Err(message.map_or_else(|| self.status.to_string(), str::to_owned))
    }
}

impl Client {
    /// Creates a client for the server at a URL such as `https://127.0.0.1:6443`.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn new(url: &str, options: &Options) -> Result<Self, String> {
        let read = |path: &PathBuf| fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
        let mut tls = TlsConfig::builder().disable_verification(options.insecure_skip_tls_verify);
        if let Some(path) = &options.certificate_authority {
            let certificates: Result<Vec<Certificate<'_>>, _> = parse_pem(&read(path)?)
                .filter_map(|item| match item {
                    Ok(PemItem::Certificate(certificate)) => Some(Ok(certificate)),
                    Ok(_) => None,
                    Err(error) => Some(Err(format!("{}: {error}", path.display()))),
                })
                .collect();
            let certificates = certificates?;
            if certificates.is_empty() {
                return Err(format!("{}: expected certificates (PEM), found none", path.display()));
            }
            tls = tls.root_certs(RootCerts::from(certificates));
        }
        let token = match &options.token_file {
            Some(path) => Some(String::from_utf8_lossy(&read(path)?).into_owned()),
            None => env::var(TOKEN).ok(),
        };
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // Some requests use methods that no server should accept.
            .allow_non_standard_methods(true)
            .max_redirects(0)
            .timeout_global(Some(PATIENCE))
            .tls_config(tls.build());
        Ok(Self {
            agent: config.build().into(),
            base: url.trim_end_matches('/').to_owned(),
            authorization: token.map(|token| format!("Bearer {}", token.trim())),
        })
    }

    /// Reads an object.
    ///
    /// # Errors
    /// If the server does not answer, or answers with something other than JSON.
    pub fn get(&self, path: &str) -> Result<Answer, String> {
        let request = self.agent.get(format!("{}{path}", self.base));
        self.finish(path, self.signed(request).call())
    }

    /// Creates an object.
    ///
    /// # Errors
    /// The same as those of [`get`](Self::get).
    pub fn post(&self, path: &str, object: &Value) -> Result<Answer, String> {
        let request = self.agent.post(format!("{}{path}", self.base)).content_type("application/json");
        self.finish(path, self.signed(request).send(object.to_string()))
    }

    /// Removes an object.
    ///
    /// # Errors
    /// The same as those of [`get`](Self::get).
    pub fn delete(&self, path: &str) -> Result<Answer, String> {
        let request = self.agent.delete(format!("{}{path}", self.base));
        self.finish(path, self.signed(request).call())
    }

    /// Sends a request without changing it.
    ///
    /// # Errors
    /// If the server does not answer.
    pub fn send(&self, request: &Request) -> Result<Response, String> {
        let Request { method, path, headers, body } = request;
        let context = |error: &dyn std::fmt::Display| format!("{method} {}{path}: {error}", self.base);
        let mut head =
            ureq::http::Request::builder().method(method.as_str()).uri(format!("{}{path}", self.base));
        for (name, value) in headers {
            head = head.header(name, value);
        }
        if let Some(authorization) = &self.authorization {
            head = head.header("authorization", authorization);
        }
        let response = if body.is_empty() {
            self.agent.run(head.body(()).map_err(|error| context(&error))?)
        } else {
            self.agent.run(head.body(body.as_slice()).map_err(|error| context(&error))?)
        };
        let mut response = response.map_err(|error| context(&error))?;
        let warnings = response.headers().get_all("warning").iter();
        let warnings = warnings.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()).collect();
        let code = response.status().as_u16();
        let body = response.body_mut().with_config().limit(LONGEST).read_to_vec();
        Ok(Response { code, warnings, body: body.map_err(|error| context(&error))? })
    }

    fn signed<B>(&self, request: ureq::RequestBuilder<B>) -> ureq::RequestBuilder<B> {
        let request = request.header("accept", "application/json");
        match &self.authorization {
            Some(authorization) => request.header("authorization", authorization),
            None => request,
        }
    }

    fn finish(
        &self,
        path: &str,
        response: Result<ureq::http::Response<ureq::Body>, ureq::Error>,
    ) -> Result<Answer, String> {
        let context = |error: &dyn std::fmt::Display| format!("{}{path}: {error}", self.base);
        let mut response = response.map_err(|error| context(&error))?;
        let status = response.status();
        let text = response.body_mut().with_config().limit(LONGEST).read_to_vec();
        let text = text.map_err(|error| context(&error))?;
        match serde_json::from_slice(&text) {
            Ok(body) => Ok(Answer { status, body }),
            // An error may come from a proxy, and is not always JSON.
            Err(_) if !status.is_success() => Ok(Answer { status, body: Value::Null }),
            Err(error) => Err(context(&format_args!("expected JSON: {error}"))),
        }
    }
}
