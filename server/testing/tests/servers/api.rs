//! A client of a server.

use std::io::{BufRead, BufReader};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use hubgen_test_server::TestServer;
use serde_json::{Value, json};
use ureq::http::Response;

/// How long something may take that happens by itself.
const PATIENCE: Duration = Duration::from_secs(60);

/// The ConfigMap that each namespace has. Tests are about others.
const ROOT_CERTIFICATES: &str = "kube-root-ca.crt";

/// The status of an answer, and its object.
pub type Answer = (u16, Value);

/// A client that sends one request after the other, each on a connection of its own.
pub struct Api {
    url: String,
    agent: ureq::Agent,
}

impl Api {
    pub fn of(server: &TestServer) -> Self {
        let config = ureq::Agent::config_builder().http_status_as_error(false).max_idle_connections(0);
        Self { url: server.url().to_owned(), agent: config.build().into() }
    }

    pub fn get(&self, path: &str) -> Answer {
        answer(self.agent.get(format!("{}{path}", self.url)).call().unwrap())
    }

    pub fn try_get(&self, path: &str) -> Result<Answer, ureq::Error> {
        self.agent.get(format!("{}{path}", self.url)).call().map(answer)
    }

    pub fn post(&self, path: &str, object: &Value) -> Answer {
        self.try_post(path, object).unwrap()
    }

    pub fn try_post(&self, path: &str, object: &Value) -> Result<Answer, ureq::Error> {
        let request = self.agent.post(format!("{}{path}", self.url)).content_type("application/json");
        request.send(object.to_string()).map(answer)
    }

    pub fn put(&self, path: &str, object: &Value) -> Answer {
        let request = self.agent.put(format!("{}{path}", self.url)).content_type("application/json");
        answer(request.send(object.to_string()).unwrap())
    }

    pub fn delete(&self, path: &str) -> Answer {
        answer(self.agent.delete(format!("{}{path}", self.url)).call().unwrap())
    }

    /// The events of a watch, on a thread of its own: each line, and an error when the connection is lost.
    pub fn watch(&self, path: &str) -> Events {
        let mut response = self.agent.get(format!("{}{path}", self.url)).call().unwrap();
        assert_eq!(response.status(), 200);
        let (sender, events) = mpsc::channel();
        std::thread::spawn(move || {
            let body = std::mem::replace(response.body_mut(), ureq::Body::builder().data(""));
            for line in BufReader::new(body.into_reader()).lines() {
                let line = line.map(|line| serde_json::from_str::<Value>(&line).unwrap());
                if line.as_ref().is_ok_and(|event| event["object"]["metadata"]["name"] == ROOT_CERTIFICATES) {
                    continue;
                }
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Events(events)
    }
}

fn answer(mut response: Response<ureq::Body>) -> Answer {
    let code = response.status().as_u16();
    let text = response.body_mut().read_to_string().unwrap();
    (code, serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}")))
}

/// The events of a watch.
pub struct Events(Receiver<std::io::Result<Value>>);

impl Events {
    /// The next event.
    pub fn next(&self) -> Value {
        self.0.recv_timeout(PATIENCE).expect("an event").expect("a connection")
    }

    /// The type of the next event, and the name of its object.
    pub fn told(&self) -> (String, String) {
        let event = self.next();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        (text(&event["type"]), text(&event["object"]["metadata"]["name"]))
    }

    /// Waits for the end. Returns whether it is one, and not the loss of the connection.
    pub fn ends(&self) -> bool {
        match self.0.recv_timeout(PATIENCE) {
            Err(mpsc::RecvTimeoutError::Disconnected) => true,
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("the watch goes on"),
            Ok(Err(_)) => false,
            Ok(Ok(event)) => panic!("another event: {event}"),
        }
    }
}

/// A ConfigMap with one value.
pub fn map(name: &str, value: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"k": value}})
}

pub const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// The definition of a kind `Thing`, with a field `size` whose default is 3.
pub fn definition() -> Value {
    let size = json!({"type": "integer", "default": 3});
    let spec = json!({"type": "object", "properties": {"size": size}});
    let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": schema}],
        },
    })
}

pub const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
pub const THINGS: &str = "/apis/example.com/v1/namespaces/default/things";

pub fn thing(name: &str) -> Value {
    json!({"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": name}, "spec": {}})
}

/// Waits until a path exists.
pub fn until_served(api: &Api, path: &str) {
    let start = std::time::Instant::now();
    while api.try_get(path).is_ok_and(|(code, _)| code == 404) {
        assert!(start.elapsed() < PATIENCE, "{path} is not served");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The names of the objects of a list.
pub fn names(list: &Value) -> Vec<&str> {
    let items = list["items"].as_array().into_iter().flatten();
    let names = items.map(|item| item["metadata"]["name"].as_str().unwrap());
    names.filter(|name| *name != ROOT_CERTIFICATES).collect()
}
