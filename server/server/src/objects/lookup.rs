//! Finds objects for those who find out who asks.

use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hubgen_machinery::meta;
use hubgen_machinery::scheme::Object;
use tracing::warn;

use super::internal::json_of;
use super::keys;
use super::stored::decoded;
use crate::access::{Held, HeldResult, Known, Lookup, LookupResult};
use crate::catalog::Served;
use crate::store::Store;

/// The label of a Secret whose token is not valid any more.
const INVALID_SINCE: &str = "kubernetes.io/legacy-token-invalid-since";

/// The stored objects of the kinds that are served now.
pub(crate) struct StoredObjects {
    pub(crate) served: Served,
    pub(crate) store: Arc<dyn Store>,
}

impl StoredObjects {
    async fn object(&self, plural: &str, namespace: &str, name: &str) -> Option<Object> {
        let catalog = self.served.current();
        let entry = catalog.scheme.resource("", "v1", plural)?;
        let key = keys::key(&catalog.scheme.storage_prefix(entry), namespace, name);
        // Whoever cannot be looked up is not let in.
        let stored = self.store.get(&key).await.unwrap_or_else(|error| {
            warn!("{plural} {name:?} cannot be looked up: {error}");
            None
        })?;
        decoded(&catalog.scheme, &stored).ok()
    }
}

impl Lookup for StoredObjects {
    fn find<'a>(&'a self, plural: &'a str, namespace: &'a str, name: &'a str) -> LookupResult<'a> {
        Box::pin(async move {
            let object = self.object(plural, namespace, name).await?;
            let deleted = meta::time(&*object.value, "deletionTimestamp");
            Some(Known { uid: meta::text(&*object.value, "uid").to_owned(), deleted })
        })
    }

    fn held<'a>(&'a self, namespace: &'a str, name: &'a str) -> HeldResult<'a> {
        Box::pin(async move {
            let secret = json_of(&self.object("secrets", namespace, name).await?).ok()?;
            let token = secret["data"]["token"].as_str()?;
            Some(Held {
                token: BASE64_STANDARD.decode(token).ok()?,
                is_being_deleted: secret["metadata"]["deletionTimestamp"].is_string(),
                is_invalid: secret["metadata"]["labels"].get(INVALID_SINCE).is_some_and(|since| *since != ""),
            })
        })
    }
}
