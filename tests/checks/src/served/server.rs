//! A server of definitions, with its objects in memory, and requests to it.

use std::sync::Arc;

use hubgen_rules::DefinitionRules;
use hubgen_server::store::{Embedded, Options};
use hubgen_server::{Server, Settings};
use serde_json::Value;
use tokio::runtime::Runtime;

pub struct Running {
    url: String,
    agent: ureq::Agent,
    _runtime: Runtime,
}

/// An answer.
pub struct Answer {
    pub code: u16,
    pub json: Value,
}

impl Running {
    /// Starts a server of these definitions.
    ///
    /// # Errors
    /// If one of them is not accepted.
    pub fn start(definitions: Vec<Value>, rules: DefinitionRules) -> Result<Self, String> {
        let runtime = Runtime::new().map_err(|error| error.to_string())?;
        let server = runtime.block_on(async {
            let store = Embedded::in_memory(Options::default()).map_err(|error| error.to_string())?;
            let settings = Settings {
                applied: definitions,
                conversions: Some(Arc::new(rules)),
                ..Settings::new(Arc::new(hubgen_kubernetes::scheme()), Arc::new(store))
            };
            Server::bind(0, settings).await.map_err(|error| error.to_string())
        })?;
        let url = format!("http://{}", server.address());
        runtime.spawn(server.run(std::future::pending()));
        let agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        Ok(Self { url, agent, _runtime: runtime })
    }

    pub fn get(&self, path: &str) -> Answer {
        answer(self.agent.get(format!("{}{path}", self.url)).call())
    }

    pub fn delete(&self, path: &str) -> Answer {
        answer(self.agent.delete(format!("{}{path}", self.url)).call())
    }

    pub fn post(&self, path: &str, object: &Value) -> Answer {
        let request = self.agent.post(format!("{}{path}", self.url)).content_type("application/json");
        answer(request.send(object.to_string()))
    }

    pub fn put(&self, path: &str, object: &Value) -> Answer {
        let request = self.agent.put(format!("{}{path}", self.url)).content_type("application/json");
        answer(request.send(object.to_string()))
    }
}

/// The code and the body; what never came has the code 0.
fn answer(response: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Answer {
    match response {
        Ok(mut response) => {
            let code = response.status().as_u16();
            let text = response.body_mut().read_to_string().unwrap_or_default();
            Answer { code, json: serde_json::from_str(&text).unwrap_or(Value::String(text)) }
        }
        Err(error) => Answer { code: 0, json: Value::String(error.to_string()) },
    }
}
