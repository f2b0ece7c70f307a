//! A running API server.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use ureq::Agent;
use ureq::tls::TlsConfig;

use super::answer::Answer;
use super::definition::Definition;

pub struct Server {
    agent: Agent,
    url: String,
    token: String,
}

/// Where the API server reports errors of the schema, if all versions have the same, and otherwise.
const ROOTS: [&str; 2] = ["spec.validation.openAPIV3Schema", "spec.versions[0].schema.openAPIV3Schema"];

impl Server {
    pub fn new(url: &str) -> Self {
        let tls = TlsConfig::builder().disable_verification(true).build();
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(120)))
            .tls_config(tls)
            .build();
        let token = std::env::var("HUBGEN_TOKEN").unwrap_or_default();
        Self { agent: config.into(), url: url.trim_end_matches('/').to_owned(), token }
    }

    /// Sends an object, or nothing. Returns the code, the warnings, and the answer.
    fn send(&self, path: &str, body: Option<&Value>) -> (u64, Vec<String>, Value) {
        let url = format!("{}{path}", self.url);
        let authorization = format!("Bearer {}", self.token);
        let response = match body {
            Some(body) => self
                .agent
                .post(url)
                .header("authorization", authorization)
                .content_type("application/json")
                .send(body.to_string()),
            None => self.agent.get(url).header("authorization", authorization).call(),
        };
        let mut response = response.unwrap();
        let warnings = response.headers().get_all("warning").iter();
        let warnings = warnings.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()).collect();
        let code = response.status().as_u16().into();
        let text = response.body_mut().with_config().limit(64 << 20).read_to_vec().unwrap();
        (code, warnings, serde_json::from_slice(&text).unwrap_or_default())
    }

    pub fn release(&self) -> String {
        let version = self.send("/version", None).2;
        let release = version["gitVersion"].as_str().unwrap();
        // The build of a module has no version of its own.
        match std::env::var("HUBGEN_RELEASE") {
            Ok(release) => release,
            Err(_) => release.trim_start_matches('v').to_owned(),
        }
    }

    /// Installs a definition, and waits until it is served.
    pub fn install(&self, definition: &Definition) {
        let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        let (code, _, answer) = self.send(path, Some(&definition.whole));
        // Each of its versions is installed.
        assert!(matches!(code, 201 | 409), "{} {answer}", definition.kind);
        let Definition { group, version, plural, .. } = definition;
        for _ in 0..600 {
            if self.send(&format!("/apis/{group}/{version}/{plural}?limit=1"), None).0 == 200 {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("{plural}.{group} is not served");
    }

    /// Creates an object, and stores nothing.
    pub fn create(&self, definition: &Definition, object: &Value) -> Answer {
        let Definition { group, version, plural, is_namespaced, .. } = definition;
        let namespace = if *is_namespaced { "namespaces/default/" } else { "" };
        let path = format!("/apis/{group}/{version}/{namespace}{plural}?dryRun=All&fieldValidation=Warn");
        let (code, warnings, body) = self.send(&path, Some(object));
        let unknown: BTreeSet<String> =
            warnings.iter().filter_map(|warning| unknown_field(warning)).collect();
        answer(code, unknown, body)
    }

    /// Sends a definition with this schema, which is refused.
    pub fn refuse(&self, schema: &Value) -> Answer {
        let definition = json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "refuseds.validation.example.com"},
            "spec": {
                "group": "validation.example.com",
                "scope": "Namespaced",
                "names": {"kind": "Refused", "plural": "refuseds"},
                "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
            },
        });
        let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All";
        let (code, _, body) = self.send(path, Some(&definition));
        let mut answer = answer(code, BTreeSet::new(), body);
        answer.object = Value::Null;
        let causes = std::mem::take(&mut answer.causes);
        let short = |text: &str| {
            ROOTS.iter().fold(text.to_owned(), |text, root| text.replace(root, "openAPIV3Schema"))
        };
        answer.causes = causes
            .into_iter()
            .map(|(reason, field, message)| (reason, short(&field), short(&message)))
            .collect();
        answer
    }
}

/// The field in `299 - "unknown field \"spec.a\""`.
fn unknown_field(warning: &str) -> Option<String> {
    let text: String = serde_json::from_str(warning.strip_prefix("299 - ")?).ok()?;
    Some(text.strip_prefix("unknown field \"")?.strip_suffix('"')?.to_owned())
}

fn answer(code: u64, unknown: BTreeSet<String>, mut body: Value) -> Answer {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let causes = body["details"]["causes"].as_array().cloned().unwrap_or_default();
    let cause = |cause: &Value| (text(&cause["reason"]), text(&cause["field"]), text(&cause["message"]));
    let object = if code == 201 {
        body.as_object_mut().unwrap().shift_remove("metadata");
        body.clone()
    } else {
        Value::Null
    };
    Answer {
        code,
        causes: causes.iter().map(cause).collect(),
        message: text(&body["message"]),
        unknown,
        object,
    }
}
