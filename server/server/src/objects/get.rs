//! Reads objects.

use hubgen_machinery::scheme::Object;
use hubgen_validation::names;

use super::error::Error;
use super::{Collection, Objects};
use crate::store::{KeyValue, ListRequest};

/// Objects of at most this many bytes in the store are small: it takes less to show one than to wake a thread for it.
const SMALL: usize = 16 << 10;

impl Objects {
    /// Returns the object of that name, at the version of the collection and at revision `since` or newer.
    pub(crate) async fn get(
        &self,
        collection: &Collection,
        name: &str,
        since: Option<u64>,
    ) -> Result<Object, Error> {
        let stored = self.stored(collection, name).await?;
        self.at_least(collection, &stored, since).await
    }

    /// The same, if the stored object is small.
    pub(crate) async fn get_small(
        &self,
        collection: &Collection,
        name: &str,
        since: Option<u64>,
    ) -> Result<Option<Object>, Error> {
        let stored = self.stored(collection, name).await?;
        if stored.value.len() > SMALL {
            return Ok(None);
        }
        self.at_least(collection, &stored, since).await.map(Some)
    }

    async fn at_least(
        &self,
        collection: &Collection,
        stored: &KeyValue,
        since: Option<u64>,
    ) -> Result<Object, Error> {
        if let Some(since) = since.filter(|since| *since > stored.mod_revision) {
            self.check_reached(since, stored.key.clone()).await?;
        }
        let object = self.decode_stored(stored)?;
        Ok(self.answer(object, &collection.entry, stored.mod_revision)?)
    }

    /// Checks that the store has reached a revision. Any list reports the store's revision, so this lists a single key.
    async fn check_reached(&self, revision: u64, key: Vec<u8>) -> Result<(), Error> {
        let nothing = ListRequest { prefix: key, limit: Some(0), ..ListRequest::default() };
        let current = self.backing.store.list(nothing).await?.revision;
        if revision > current {
            return Err(Error::FutureRevision { requested: revision, current, may_come: true });
        }
        Ok(())
    }

    /// Reads the stored value of an object.
    pub(super) async fn stored(&self, collection: &Collection, name: &str) -> Result<KeyValue, Error> {
        let mistakes = names::path_segment_mistakes(name);
        if !mistakes.is_empty() {
            let why = mistakes.join(";");
            return Err(Error::Malformed(format!("Name parameter invalid: {name:?}: {why}")));
        }
        let stored = self.backing.store.get(&self.key(collection, name)).await?;
        stored.ok_or_else(|| Error::not_found(&collection.entry, name))
    }
}
