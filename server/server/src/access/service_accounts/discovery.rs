//! What others need to verify tokens: OpenID Connect Discovery 1.0.

use serde_json::{Map, Value, json};

use super::ServiceAccountTokens;

/// The path of the keys.
pub(crate) const KEYS_PATH: &str = "/openid/v1/jwks";

impl ServiceAccountTokens {
    /// The keys that have signed tokens, as a set (RFC 7517).
    pub(crate) fn key_set(&self) -> String {
        // A key that is made later would not be known to those who ask now.
        self.key();
        let keys: Vec<Value> = self.keys().into_iter().map(|key| key.item()).collect();
        json!({ "keys": keys }).to_string()
    }

    /// Where the keys are, and how they sign; `own` is where this server has them. `None` if the issuer is no `https` URL, as
    /// the standard wants it, or has a query or a fragment.
    pub(crate) fn configuration(&self, own: &str) -> Option<String> {
        let issuer = &self.issuers[0];
        if !issuer.starts_with("https://") || issuer.contains(['?', '#']) {
            return None;
        }
        self.key();
        let mut algorithms: Vec<&str> = self.keys().into_iter().map(|key| key.algorithm_name()).collect();
        algorithms.sort_unstable();
        algorithms.dedup();
        let mut document = Map::new();
        document.insert("issuer".to_owned(), issuer.as_str().into());
        document.insert("jwks_uri".to_owned(), self.keys_url.as_deref().unwrap_or(own).into());
        document.insert("response_types_supported".to_owned(), json!(["id_token"]));
        document.insert("subject_types_supported".to_owned(), json!(["public"]));
        document.insert("id_token_signing_alg_values_supported".to_owned(), algorithms.into());
        Some(Value::Object(document).to_string())
    }
}
