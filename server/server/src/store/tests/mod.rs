//! One test suite for every store, and tests for stores on disk.

mod conformance;
mod disk;
mod model;

use std::collections::BTreeMap;

use super::{Change, Error, Event, KeyValue, ListRequest, Store};

/// Lists all keys with a prefix, at the newest revision.
async fn list(store: &dyn Store, prefix: &str) -> super::Page {
    store.list(ListRequest { prefix: prefix.into(), ..Default::default() }).await.unwrap()
}

/// Returns the events on every key after `after`, up to the store's revision.
async fn events(store: &dyn Store, after: u64) -> Vec<Event> {
    let revision = list(store, "").await.revision;
    let mut watch = store.watch(Vec::new(), after).await.unwrap();
    let mut events = Vec::new();
    while watch.revision() < revision {
        events.extend(watch.next().await.unwrap());
    }
    events
}

/// Checks that the events of a store that was never compacted lead to its current keys and values.
/// Returns the events.
async fn consistent_events(store: &dyn Store) -> Vec<Event> {
    let page = list(store, "").await;
    let events = events(store, 1).await;
    let mut present = BTreeMap::<Vec<u8>, KeyValue>::new();
    for (event, revision) in events.iter().zip(2..) {
        assert_eq!(event.revision, revision, "there is one event per revision");
        assert_eq!(event.previous.as_ref(), present.get(&event.key));
        match &event.current {
            Some(current) => {
                assert_eq!((&current.key, current.mod_revision), (&event.key, revision));
                present.insert(event.key.clone(), current.clone());
            }
            None => {
                present.remove(&event.key);
            }
        }
    }
    assert_eq!(events.len() as u64, page.revision - 1);
    assert_eq!(present.into_values().collect::<Vec<_>>(), page.items);
    events
}
