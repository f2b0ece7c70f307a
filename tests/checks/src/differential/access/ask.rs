//! Sends credentials, and reads for whom they are taken.

use std::sync::Mutex;
use std::time::Duration;

use rcgen::CertificateParams;
use serde_json::{Value, json};
use ureq::Agent;
use ureq::tls::{Certificate, ClientCert, PrivateKey, TlsConfig};

use super::material::{Authority, new_key};

const PATIENCE: Duration = Duration::from_secs(30);
const REVIEWS: &str = "/apis/authentication.k8s.io/v1";

/// The credentials of a case.
#[derive(Clone, Default)]
pub struct Ask {
    pub certificate: Option<ClientCert>,
    pub headers: Vec<(String, String)>,
    /// A token and audiences that an administrator lets the server review.
    pub review: Option<Value>,
    /// Whether the issuer exchanges its key before.
    pub exchanges: bool,
}

impl Ask {
    /// With a certificate that an authority signs now, and the certificates of others.
    pub fn certificate(authority: &Authority, params: &CertificateParams, chain: &[&Authority]) -> Self {
        let key = new_key();
        let own = params.signed_by(&key, &authority.issuer).expect("a key signs");
        let chain: Vec<_> = std::iter::once(own.pem())
            .chain(chain.iter().map(|other| other.pem.clone()))
            .map(|pem| Certificate::from_pem(pem.as_bytes()).expect("it is PEM").to_owned())
            .collect();
        let key = PrivateKey::from_pem(key.serialize_pem().as_bytes()).expect("it is PEM").to_owned();
        Self { certificate: Some(ClientCert::new_with_certs(&chain, key)), ..Self::default() }
    }

    /// With the certificate of an authority itself.
    pub fn authority(Authority { issuer, pem }: &Authority) -> Self {
        let chain = [Certificate::from_pem(pem.as_bytes()).expect("it is PEM").to_owned()];
        let key =
            PrivateKey::from_pem(issuer.key().serialize_pem().as_bytes()).expect("it is PEM").to_owned();
        Self { certificate: Some(ClientCert::new_with_certs(&chain, key)), ..Self::default() }
    }

    /// With a token.
    pub fn token(token: &str) -> Self {
        Self::default().with("Authorization", &format!("Bearer {token}"))
    }

    /// A review of a token.
    pub fn review(token: &str, audiences: &[&str]) -> Self {
        Self { review: Some(json!({"token": token, "audiences": audiences})), ..Self::default() }
    }

    /// With another header.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
}

/// Sends requests to a server.
pub struct Client {
    url: String,
    /// The tokens that were sent.
    sent: Mutex<Vec<String>>,
}

impl Client {
    pub fn new(url: &str) -> Self {
        Self { url: url.trim_end_matches('/').to_owned(), sent: Mutex::default() }
    }

    /// The tokens that were sent, by which a log is searched.
    pub fn sent(self) -> Vec<String> {
        self.sent.into_inner().expect("no thread panics")
    }

    /// Notes a token, unless it is so short that a log can have it by chance.
    fn note(&self, token: String) {
        if token.len() >= 8 {
            self.sent.lock().expect("no thread panics").push(token);
        }
    }

    /// Sends a request with an object. Returns the code and the answer.
    ///
    /// # Errors
    /// If the server does not answer.
    pub fn send(&self, method: &str, path: &str, ask: &Ask, body: &Value) -> Result<(u16, Value), String> {
        let context = |error: &dyn std::fmt::Display| format!("{method} {}{path}: {error}", self.url);
        let tls = TlsConfig::builder().disable_verification(true).client_cert(ask.certificate.clone());
        let agent: Agent = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(PATIENCE))
            .allow_non_standard_methods(true)
            .tls_config(tls.build())
            .build()
            .into();
        let mut request = ureq::http::Request::builder().method(method).uri(format!("{}{path}", self.url));
        for (name, value) in &ask.headers {
            request = request.header(name, value);
            let token = value.rsplit(' ').next().unwrap_or_default();
            if name == "Authorization" {
                self.note(token.to_owned());
            }
        }
        let request = request.header("content-type", "application/json").body(body.to_string());
        let answered = agent.run(request.map_err(|error| context(&error))?);
        let mut answer = answered.map_err(|error| context(&error))?;
        let code = answer.status().as_u16();
        let text = answer.body_mut().read_to_string().map_err(|error| context(&error))?;
        Ok((code, serde_json::from_str(&text).unwrap_or(Value::String(text))))
    }

    /// Sends a request of an administrator.
    ///
    /// # Errors
    /// If the server does not answer.
    pub fn admin(&self, method: &str, path: &str, body: &Value) -> Result<(u16, Value), String> {
        self.send(method, path, &Ask::token("admin-token"), body)
    }

    /// For whom the sender of credentials is taken.
    ///
    /// # Errors
    /// If the server does not answer.
    pub fn verdict(&self, ask: &Ask) -> Result<Value, String> {
        if let Some(spec) = &ask.review {
            let token = spec["token"].as_str().unwrap_or_default().to_owned();
            self.note(token);
            let (code, answer) =
                self.admin("POST", &format!("{REVIEWS}/tokenreviews"), &json!({"spec": spec}))?;
            let status = &answer["status"];
            let mut verdict = json!({"code": code, "authenticated": status["authenticated"] == true});
            if status["authenticated"] == true {
                verdict["user"] = user(&status["user"]);
                verdict["audiences"] = status["audiences"].clone();
            }
            return Ok(verdict);
        }
        let (code, answer) = self.send("POST", &format!("{REVIEWS}/selfsubjectreviews"), ask, &json!({}))?;
        Ok(match code {
            201 => json!({"code": code, "user": user(&answer["status"]["userInfo"])}),
            400 | 401 | 403 => json!({"code": code, "message": answer["message"]}),
            _ => json!({"code": code}),
        })
    }

    /// What others are told of the keys.
    ///
    /// # Errors
    /// If the server does not answer.
    pub fn discovery(&self) -> Result<Value, String> {
        let get = |path| {
            self.admin("GET", path, &Value::Null).map(|(code, body)| json!({"code": code, "body": body}))
        };
        let mut keys = get("/openid/v1/jwks")?;
        // Keys are new in each run.
        for key in keys["body"]["keys"].as_array_mut().into_iter().flatten() {
            for field in ["x", "y", "kid"] {
                key[field] = key[field].as_str().map_or(0, str::len).into();
            }
        }
        Ok(json!({"keys": keys, "configuration": get("/.well-known/openid-configuration")?}))
    }
}

/// A user without what is new in each run.
fn user(found: &Value) -> Value {
    let mut user = found.clone();
    if let Some(uid) = user.get_mut("uid") {
        general(uid);
    }
    let extra = user.get_mut("extra").and_then(Value::as_object_mut);
    extra
        .into_iter()
        .flat_map(|extra| extra.values_mut())
        .filter_map(Value::as_array_mut)
        .flatten()
        .for_each(general);
    // No extra fields and none at all are the same.
    if user["extra"].as_object().is_some_and(serde_json::Map::is_empty) {
        user.as_object_mut().expect("it is an object").remove("extra");
    }
    user
}

fn general(value: &mut Value) {
    let text = value.as_str().unwrap_or_default();
    let is_uuid = text.len() == 36 && text.split('-').map(str::len).eq([8, 4, 4, 4, 12]);
    let general = match text.split_once('=') {
        _ if is_uuid => "UID",
        Some(("X509SHA256", digest)) if digest.len() == 64 => "X509SHA256",
        Some(("JTI", _)) => "JTI",
        _ => return,
    };
    *value = general.into();
}
