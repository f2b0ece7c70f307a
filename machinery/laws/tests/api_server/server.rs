//! A running API server.

use std::time::Duration;

use serde_json::Value;
use ureq::Agent;
use ureq::http::Request;
use ureq::tls::TlsConfig;

use super::definition::Definition;

pub struct Server {
    agent: Agent,
    url: String,
    token: String,
}

pub struct Answer {
    pub code: u16,
    pub body: Value,
}

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

impl Server {
    pub fn new(url: &str) -> Self {
        let tls = TlsConfig::builder().disable_verification(true).build();
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .allow_non_standard_methods(true)
            .timeout_global(Some(Duration::from_secs(120)))
            .tls_config(tls)
            .build();
        let token = std::env::var("HUBGEN_TOKEN").unwrap_or_default();
        Self { agent: config.into(), url: url.trim_end_matches('/').to_owned(), token }
    }

    pub fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Answer {
        let request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.url))
            .header("authorization", format!("Bearer {}", self.token))
            .header("content-type", "application/json")
            .body(body.map(Value::to_string).unwrap_or_default())
            .unwrap();
        let mut response = self.agent.run(request).unwrap();
        let code = response.status().as_u16();
        let text = response.body_mut().with_config().limit(64 << 20).read_to_vec().unwrap();
        Answer { code, body: serde_json::from_slice(&text).unwrap_or_default() }
    }

    /// Installs a definition, and waits until it is established and served.
    pub fn install(&self, definition: &Definition) {
        let name = definition.name();
        let created = self.send("POST", DEFINITIONS, Some(&definition.whole));
        assert_ne!(created.code, 409, "{name} is there already: use an API server that nobody needs");
        assert_eq!(created.code, 201, "{name}: {}", created.body);
        self.wait(&format!("{name} to be established"), || {
            let read = self.send("GET", &format!("{DEFINITIONS}/{name}"), None);
            let conditions = read.body["status"]["conditions"].as_array().cloned().unwrap_or_default();
            conditions
                .iter()
                .any(|condition| condition["type"] == "Established" && condition["status"] == "True")
        });
        self.wait(&format!("{name} to be served"), || {
            self.send("GET", &format!("{}?limit=1", definition.path()), None).code == 200
        });
    }

    /// Removes a definition with its objects, and waits until it is gone.
    pub fn remove(&self, definition: &Definition) {
        let path = format!("{DEFINITIONS}/{}", definition.name());
        let removed = self.send("DELETE", &path, None);
        assert_eq!(removed.code, 200, "{}", removed.body);
        self.wait(&format!("{path} to be gone"), || self.send("GET", &path, None).code == 404);
        self.wait(&format!("{} to be gone", definition.path()), || {
            self.send("GET", &definition.path(), None).code == 404
        });
    }

    fn wait(&self, what: &str, is_done: impl Fn() -> bool) {
        for _ in 0..1200 {
            if is_done() {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("waited a minute for {what}");
    }
}
