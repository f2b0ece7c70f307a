//! Reads objects.

use hubgen_machinery::scheme::Object;
use hubgen_serve::queue::Turn;
use hubgen_validation::names;

use super::error::Error;
use super::{Collection, Objects, SMALL};
use crate::store::{KeyValue, ListRequest};

impl Objects {
    /// Returns the object of that name, at the version of the collection and at revision `since` or newer.
    pub(crate) async fn get(
        &self,
        collection: &Collection,
        name: &str,
        since: Option<u64>,
        turn: &Turn,
    ) -> Result<Object, Error> {
        let stored = self.stored(collection, name, turn).await?;
        if let Some(since) = since.filter(|since| *since > stored.mod_revision) {
            self.check_reached(since, stored.key.clone()).await?;
        }
        let object = self.decode_stored(&stored)?;
        let answer = self.answer(object, &collection.entry, stored.mod_revision);
        answer.map_err(|unfit| Error::unfit(unfit, &stored))
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

    /// Reads the stored value of an object. What is done with a large one is done apart.
    pub(super) async fn stored(
        &self,
        collection: &Collection,
        name: &str,
        turn: &Turn,
    ) -> Result<KeyValue, Error> {
        let mistakes = names::path_segment_mistakes(name);
        if !mistakes.is_empty() {
            let why = mistakes.join(";");
            return Err(Error::Malformed(format!("Name parameter invalid: {name:?}: {why}")));
        }
        let stored = self.backing.store.get(&self.key(collection, name)).await?;
        let stored = stored.ok_or_else(|| Error::not_found(&collection.entry, name))?;
        if stored.value.len() > SMALL {
            turn.apart().await;
        }
        Ok(stored)
    }
}
