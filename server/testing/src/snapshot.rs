//! The objects of a server at one moment, and how they come back.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use hubgen_server::store::{self, Change, KeyValue, ListRequest, Store};

use crate::builder::Builder;
use crate::error::Error;

/// How many objects are read at a time.
const PAGE: usize = 1_000;
/// How often it is tried to bring objects back while others write.
const ATTEMPTS: usize = 100;

/// The objects of a server at one moment. Clones are cheap.
#[derive(Clone)]
pub struct Snapshot(Arc<Taken>);

struct Taken {
    values: BTreeMap<Vec<u8>, Vec<u8>>,
    builder: Builder,
}

/// At which revisions a server had exactly the objects of snapshots. From there on its history tells what has changed.
#[derive(Default)]
pub(crate) struct Bases(Mutex<Vec<(Weak<Taken>, u64)>>);

impl Bases {
    pub(crate) fn set(&self, snapshot: &Snapshot, revision: u64) {
        let mut all = self.all();
        all.retain(|(taken, _)| taken.strong_count() > 0 && !is_of(taken, snapshot));
        all.push((Arc::downgrade(&snapshot.0), revision));
    }

    fn get(&self, snapshot: &Snapshot) -> Option<u64> {
        self.all().iter().find(|(taken, _)| is_of(taken, snapshot)).map(|(_, revision)| *revision)
    }

    fn all(&self) -> MutexGuard<'_, Vec<(Weak<Taken>, u64)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_of(taken: &Weak<Taken>, snapshot: &Snapshot) -> bool {
    taken.as_ptr() == Arc::as_ptr(&snapshot.0)
}

/// What is stored now of keys that may have changed, and at which revision that is.
struct Now {
    found: BTreeMap<Vec<u8>, Option<KeyValue>>,
    revision: u64,
}

impl Snapshot {
    /// The kinds of the server that it is of.
    pub(crate) fn builder(&self) -> Builder {
        self.0.builder.clone()
    }

    /// The objects that a store has now, and at which revision that is.
    pub(crate) async fn take(store: &dyn Store, builder: Builder) -> Result<(Self, u64), store::Error> {
        let (items, revision) = everything(store).await?;
        let values = items.into_iter().map(|item| (item.key, item.value)).collect();
        Ok((Self(Arc::new(Taken { values, builder })), revision))
    }

    /// Writes the objects into an empty store.
    pub(crate) async fn fill(&self, store: &dyn Store) -> Result<(), Error> {
        let create =
            |(key, value): (&Vec<u8>, &Vec<u8>)| Change::Create { key: key.clone(), value: value.clone() };
        for written in store.write_all(self.0.values.iter().map(create).collect()).await? {
            written?;
        }
        Ok(())
    }

    /// Makes the objects of a store what they were. Returns the revision of the last definition that was written, if one was;
    /// `definitions` is the prefix of their keys.
    pub(crate) async fn bring_back(
        &self,
        store: &dyn Store,
        bases: &Bases,
        definitions: Option<&str>,
    ) -> Result<Option<u64>, Error> {
        let mut of_definitions = None;
        for _ in 0..ATTEMPTS {
            let now = self.compared(store, bases).await?;
            let changes = self.differences(&now);
            let count = changes.len() as u64;
            let is_definition: Vec<bool> = changes
                .iter()
                .map(|change| definitions.is_some_and(|of| change.key().starts_with(of.as_bytes())))
                .collect();
            let mut last = now.revision;
            let mut is_alone = true;
            for (written, is_definition) in store.write_all(changes).await?.into_iter().zip(is_definition) {
                match written {
                    Ok(revision) => {
                        last = last.max(revision);
                        if is_definition {
                            of_definitions = of_definitions.max(Some(revision));
                        }
                    }
                    Err(store::Error::Conflict { .. }) => is_alone = false,
                    Err(error) => return Err(error.into()),
                }
            }
            // Nobody else has written in between.
            if is_alone && last == now.revision + count {
                bases.set(self, last);
                return Ok(of_definitions);
            }
        }
        Err(Error::Restless)
    }

    /// What may differ from the snapshot.
    async fn compared(&self, store: &dyn Store, bases: &Bases) -> Result<Now, Error> {
        if let Some(base) = bases.get(self) {
            match changed(store, base).await {
                Err(store::Error::Compacted { .. }) => {}
                now => return Ok(now?),
            }
        }
        let (items, revision) = everything(store).await?;
        let mut found: BTreeMap<_, _> = self.0.values.keys().map(|key| (key.clone(), None)).collect();
        found.extend(items.into_iter().map(|item| (item.key.clone(), Some(item))));
        Ok(Now { found, revision })
    }

    /// The writes that make what is stored what it was: deletions first.
    fn differences(&self, now: &Now) -> Vec<Change> {
        let (mut changes, mut written) = (Vec::new(), Vec::new());
        for (key, current) in &now.found {
            let key = key.clone();
            match (self.0.values.get(&key), current) {
                (None, Some(current)) => {
                    changes.push(Change::Delete { key, expected: current.mod_revision });
                }
                (Some(value), None) => written.push(Change::Create { key, value: value.clone() }),
                (Some(value), Some(current)) if *value != current.value => {
                    written.push(Change::Update {
                        key,
                        value: value.clone(),
                        expected: current.mod_revision,
                    });
                }
                _ => {}
            }
        }
        changes.extend(written);
        changes
    }
}

/// All that a store has, at one revision.
async fn everything(store: &dyn Store) -> Result<(Vec<KeyValue>, u64), store::Error> {
    let mut found = Vec::new();
    let mut request = ListRequest { limit: Some(PAGE), ..ListRequest::default() };
    loop {
        let page = store.list(request.clone()).await?;
        found.extend(page.items);
        let Some(next) = page.next else { return Ok((found, page.revision)) };
        request = ListRequest { start: Some(next), revision: Some(page.revision), ..request };
    }
}

/// What was written since a revision.
async fn changed(store: &dyn Store, since: u64) -> Result<Now, store::Error> {
    let nothing = ListRequest { limit: Some(0), ..ListRequest::default() };
    let revision = store.list(nothing).await?.revision;
    let mut found = BTreeMap::new();
    let mut watch = store.watch(Vec::new(), since).await?;
    let mut seen = since;
    while seen < revision {
        for event in watch.next().await? {
            seen = event.revision;
            found.insert(event.key, event.current);
        }
    }
    Ok(Now { found, revision: seen })
}
