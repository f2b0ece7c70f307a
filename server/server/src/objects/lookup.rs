//! Finds objects for those who find out who asks.

use std::sync::Arc;

use hubgen_machinery::meta;
use tracing::warn;

use super::keys;
use super::stored::decoded;
use crate::access::{Known, Lookup, LookupResult};
use crate::catalog::Served;
use crate::store::Store;

/// The stored objects of the kinds that are served now.
pub(crate) struct StoredObjects {
    pub(crate) served: Served,
    pub(crate) store: Arc<dyn Store>,
}

impl Lookup for StoredObjects {
    fn find<'a>(&'a self, plural: &'a str, namespace: &'a str, name: &'a str) -> LookupResult<'a> {
        Box::pin(async move {
            let catalog = self.served.current();
            let entry = catalog.scheme.resource("", "v1", plural)?;
            let key = keys::key(&catalog.scheme.storage_prefix(entry), namespace, name);
            // Whoever cannot be looked up is not let in.
            let stored = self.store.get(&key).await.unwrap_or_else(|error| {
                warn!("{plural} {name:?} cannot be looked up: {error}");
                None
            })?;
            let object = decoded(&catalog.scheme, &stored).ok()?;
            let deleted = meta::time(&*object.value, "deletionTimestamp");
            Some(Known { uid: meta::text(&*object.value, "uid").to_owned(), deleted })
        })
    }
}
