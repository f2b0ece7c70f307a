//! The formats that documents are in.

use hubgen_kubernetes::machinery::json::{self, Raw};
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
