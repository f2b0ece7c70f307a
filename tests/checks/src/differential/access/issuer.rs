//! An issuer of tokens (OpenID Connect) over HTTPS, whose keys can be exchanged.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use hubgen_serve::{Door, Tls, service};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use ureq::http::{Request, Response};

use super::material::Material;

/// The running issuer. It stops when it is dropped.
pub struct Issuer {
    is_exchanged: Arc<AtomicBool>,
    _runtime: Runtime,
}

impl Issuer {
    /// Starts the issuer.
    ///
    /// # Errors
    /// If it cannot listen on its port.
    pub fn start(material: &Material) -> Result<Self, String> {
        let runtime = Runtime::new().map_err(|error| error.to_string())?;
        let tls =
            Tls::in_folder(material.path(""), ["127.0.0.1".to_owned()]).map_err(|error| error.to_string())?;
        let is_exchanged = Arc::new(AtomicBool::new(false));
        let base = format!("https://127.0.0.1:{}", material.port);
        let set = |first: Value| json!({"keys": [first, material.rsa.item("rsa")]}).to_string();
        let sets = [set(material.first.item("first")), set(material.next.item("next"))];
        let exchanged = Arc::clone(&is_exchanged);
        let answer = Arc::new(move |path: &str| {
            let which = path.split('/').nth(1).unwrap_or_default();
            if path.ends_with("/keys") {
                return Some(sets[usize::from(exchanged.load(SeqCst))].clone());
            }
            let issuer = format!("{base}/{which}");
            let document = json!({
                "issuer": issuer, "jwks_uri": format!("{issuer}/keys"), "response_types_supported": ["id_token"],
                "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["RS256", "ES256"],
            });
            path.ends_with("/.well-known/openid-configuration").then(|| document.to_string())
        });
        let handler = service(move |request: Request<_>| {
            let _: &Request<hyper::body::Incoming> = &request;
            let found = answer(request.uri().path());
            async move {
                let mut response = Response::new(found.clone().unwrap_or_default());
                if found.is_none() {
                    *response.status_mut() = ureq::http::StatusCode::NOT_FOUND;
                }
                let json = ureq::http::HeaderValue::from_static("application/json");
                response.headers_mut().insert("content-type", json);
                response
            }
        });
        let listener = runtime
            .block_on(TcpListener::bind(("127.0.0.1", material.port)))
            .map_err(|error| format!("the port {} of the issuer: {error}", material.port))?;
        runtime.spawn(Door::new(handler).tls(tls).serve_on(listener, std::future::pending()));
        Ok(Self { is_exchanged, _runtime: runtime })
    }

    /// Exchanges the first key for the next one.
    pub fn exchange(&self) {
        self.is_exchanged.store(true, SeqCst);
    }

    /// Takes the first key again.
    pub fn restore(&self) {
        self.is_exchanged.store(false, SeqCst);
    }
}
