//! The keys of an issuer, which it may exchange at any time.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::Mutex;
use tracing::debug;

use super::fetch::Client;
use crate::access::jose::{PublicKey, Token};

/// The shortest time between two questions. Whoever sends tokens with keys that nobody knows causes no more.
const INTERVAL: Duration = Duration::from_secs(1);

pub(super) struct Issuer {
    url: String,
    discovery_url: String,
    client: Client,
    keys: RwLock<Arc<Vec<PublicKey>>>,
    asked: Mutex<Asked>,
}

#[derive(Default)]
struct Asked {
    last: Option<Instant>,
    /// Where the keys are.
    keys_url: Option<String>,
}

impl Issuer {
    pub(super) fn new(url: &str, discovery_url: Option<&str>, client: Client) -> Self {
        let own = || format!("{}/.well-known/openid-configuration", url.trim_end_matches('/'));
        Self {
            url: url.to_owned(),
            discovery_url: discovery_url.map_or_else(own, str::to_owned),
            client,
            keys: RwLock::default(),
            asked: Mutex::default(),
        }
    }

    /// The claims of a token that this issuer has signed.
    ///
    /// # Errors
    /// Why it is not known that it has: the keys cannot be had, or none of them has signed it.
    pub(super) async fn verify(&self, token: &Token<'_>) -> Result<Value, String> {
        let before = self.keys();
        if let Some(claims) = verified(token, &before) {
            return Ok(claims);
        }
        let mut asked = self.asked.lock().await;
        // Somebody else may have asked in the meantime.
        if !Arc::ptr_eq(&before, &self.keys())
            && let Some(claims) = verified(token, &self.keys())
        {
            return Ok(claims);
        }
        if asked.last.is_none_or(|last| last.elapsed() >= INTERVAL) {
            asked.last = Some(Instant::now());
            self.ask(&mut asked).await?;
        }
        verified(token, &self.keys()).ok_or_else(|| "no key of the issuer has signed it".to_owned())
    }

    fn keys(&self) -> Arc<Vec<PublicKey>> {
        Arc::clone(&self.keys.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Asks for the keys, and where they are if that is not known.
    async fn ask(&self, asked: &mut Asked) -> Result<(), String> {
        let url = match &asked.keys_url {
            Some(url) => url.clone(),
            None => {
                let document = self.client.get(&self.discovery_url).await?;
                if document["issuer"] != *self.url {
                    let found = &document["issuer"];
                    return Err(format!("{} is of another issuer: {found}", self.discovery_url));
                }
                let url = document["jwks_uri"].as_str().filter(|url| !url.is_empty());
                url.ok_or_else(|| format!("{} has no jwks_uri", self.discovery_url))?.to_owned()
            }
        };
        let set = self.client.get(&url).await?;
        let items = set["keys"].as_array().ok_or_else(|| format!("{url} has no keys"))?;
        let keys: Vec<_> = items.iter().filter_map(PublicKey::of_item).collect();
        debug!("{url} has {} keys, of which {} can be used", items.len(), keys.len());
        *self.keys.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(keys);
        asked.keys_url = Some(url);
        Ok(())
    }
}

fn verified(token: &Token<'_>, keys: &[PublicKey]) -> Option<Value> {
    let id = token.key_id();
    token.verified(keys.iter().filter(|key| id.is_empty() || key.id == id)).cloned()
}
