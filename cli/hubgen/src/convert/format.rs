//! The formats that documents are in.

use hubgen_kubernetes::machinery::json::{self, Raw};
use hubgen_kubernetes::machinery::yaml;
use serde_json::Value;

/// How a document is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// As `kubectl get -o yaml` lays it out.
    Yaml,
    /// Indented by four, as `kubectl get -o json` lays it out.
    Json,
}

/// A value of the bytes of one JSON document.
pub fn value(json: &[u8]) -> Result<Value, json::Error> {
    Raw::new(json)?.to_value()
}

/// Whether a text of YAML has this value.
pub fn reads_as(text: &str, expected: &Value) -> bool {
    let json = yaml::to_json(text).ok();
    json.and_then(|json| value(&json).ok()).is_some_and(|found| found == *expected)
}
