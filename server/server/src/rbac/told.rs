//! A store that tells the policy of every write.

use std::sync::Arc;

use super::follow::Followed;
use crate::store::{Answer, Change, Error, KeyValue, ListRequest, Page, Store, Watch};

/// A store that tells the policy of every write, before the one who writes knows that it is done.
pub(super) struct Told {
    pub(super) store: Arc<dyn Store>,
    pub(super) policy: Arc<Followed>,
}

impl Told {
    async fn tell(&self, key: &[u8], written: Answer<'_, u64>) -> Result<u64, Error> {
        let revision = written.await?;
        self.policy.tell(key, revision);
        Ok(revision)
    }
}

impl Store for Told {
    fn get<'a>(&'a self, key: &'a [u8]) -> Answer<'a, Option<KeyValue>> {
        self.store.get(key)
    }

    fn list(&self, request: ListRequest) -> Answer<'_, Page> {
        self.store.list(request)
    }

    fn create(&self, key: Vec<u8>, value: Vec<u8>) -> Answer<'_, u64> {
        Box::pin(async move { self.tell(&key.clone(), self.store.create(key, value)).await })
    }

    fn write_all(&self, changes: Vec<Change>) -> Answer<'_, Vec<Result<u64, Error>>> {
        Box::pin(async move {
            let keys: Vec<_> = changes.iter().map(|change| change.key().to_vec()).collect();
            let written = self.store.write_all(changes).await?;
            for (key, revision) in keys.iter().zip(&written) {
                if let Ok(revision) = revision {
                    self.policy.tell(key, *revision);
                }
            }
            Ok(written)
        })
    }

    fn update(&self, key: Vec<u8>, value: Vec<u8>, expected: u64) -> Answer<'_, u64> {
        Box::pin(async move { self.tell(&key.clone(), self.store.update(key, value, expected)).await })
    }

    fn delete(&self, key: Vec<u8>, expected: u64) -> Answer<'_, u64> {
        Box::pin(async move { self.tell(&key.clone(), self.store.delete(key, expected)).await })
    }

    fn watch(&self, prefix: Vec<u8>, after: u64) -> Answer<'_, Box<dyn Watch>> {
        self.store.watch(prefix, after)
    }

    fn compact(&self, revision: u64) -> Answer<'_, ()> {
        self.store.compact(revision)
    }

    fn check(&self) -> Answer<'_, ()> {
        self.store.check()
    }
}
