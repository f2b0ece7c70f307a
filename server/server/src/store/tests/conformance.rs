//! The requirements on every store. Tests compare revisions with each other, not with numbers, so
//! that the suite also runs on a store that is not new.

use std::sync::Arc;

use super::super::{Embedded, Options};
use super::*;

/// Runs each function of the suite as a test for each store.
macro_rules! suite {
    ($($name:ident)*) => {
        mod in_memory {
            use super::*;
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                super::$name(Arc::new(Embedded::in_memory(Options::default()).unwrap())).await;
            })*
        }
        mod on_disk {
            use super::*;
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                let dir = tempfile::tempdir().unwrap();
                let store = Embedded::open(dir.path(), Options::default()).unwrap();
                super::$name(Arc::new(store)).await;
            })*
        }
    };
}

suite! {
    create_only_if_absent
    each_of_many_is_created_if_it_is_absent
    many_changes_are_made_in_their_order
    update_at_the_expected_revision
    delete_at_the_expected_revision
    any_bytes_are_a_key_and_a_value
    list_is_a_prefix_in_order
    pages_are_one_snapshot
    a_page_without_items_counts_what_remains
    a_page_ends_with_its_bytes
    compaction_keeps_what_is_current
    future_revisions_are_refused
    watch_replays_then_follows
    watch_returns_the_previous_value
    watch_outlives_a_dropped_next
    a_watch_behind_a_compaction_fails
    a_watch_of_quiet_keys_outlives_a_compaction
    concurrent_updates_lose_none
    concurrent_writers_and_watches
    agrees_with_the_model
}

fn current(error: Error) -> Option<KeyValue> {
    match error {
        Error::Conflict { current } => current.map(|current| *current),
        other => panic!("expected a conflict, got {other}"),
    }
}

fn key_value(key: &str, value: &str, create_revision: u64, mod_revision: u64) -> KeyValue {
    KeyValue { key: key.into(), value: value.into(), create_revision, mod_revision }
}

async fn create(store: &dyn Store, key: &str, value: &str) -> u64 {
    store.create(key.into(), value.into()).await.unwrap()
}

fn keys(items: &[KeyValue]) -> Vec<&str> {
    items.iter().map(|item| std::str::from_utf8(&item.key).unwrap()).collect()
}

async fn create_only_if_absent(store: Arc<dyn Store>) {
    assert_eq!(store.get(b"a").await.unwrap(), None);
    let revision = create(&*store, "a", "1").await;
    let stored = key_value("a", "1", revision, revision);
    assert_eq!(store.get(b"a").await.unwrap(), Some(stored.clone()));

    let error = store.create("a".into(), "2".into()).await.unwrap_err();
    assert_eq!(current(error), Some(stored.clone()));
    assert_eq!(store.get(b"a").await.unwrap(), Some(stored));
    assert_eq!(list(&*store, "").await.revision, revision, "a refused write does not increase the revision");
    assert_eq!(create(&*store, "b", "").await, revision + 1, "there is one revision for the whole store");
}

async fn each_of_many_is_created_if_it_is_absent(store: Arc<dyn Store>) {
    let taken = create(&*store, "b", "0").await;
    let changes = ["a", "b", "c", "a"].map(|key| Change::Create { key: key.into(), value: "1".into() });
    let mut created = store.write_all(changes.into()).await.unwrap();
    let again = current(created.remove(3).unwrap_err());
    assert_eq!(current(created.remove(1).unwrap_err()), Some(key_value("b", "0", taken, taken)));
    let revisions: Vec<_> = created.into_iter().map(Result::unwrap).collect();
    assert_eq!(revisions, [taken + 1, taken + 2]);
    assert_eq!(again, Some(key_value("a", "1", taken + 1, taken + 1)));
    assert_eq!(keys(&list(&*store, "").await.items), ["a", "b", "c"]);
    assert_eq!(store.write_all(Vec::new()).await.unwrap().len(), 0);
}

async fn many_changes_are_made_in_their_order(store: Arc<dyn Store>) {
    let (a, b) = (create(&*store, "a", "1").await, create(&*store, "b", "1").await);
    let changes = vec![
        Change::Update { key: "a".into(), value: "2".into(), expected: a },
        Change::Delete { key: "b".into(), expected: a },
        Change::Delete { key: "b".into(), expected: b },
        Change::Create { key: "b".into(), value: "2".into() },
        Change::Delete { key: "c".into(), expected: b },
    ];
    let mut written = store.write_all(changes).await.unwrap();
    assert_eq!(current(written.remove(4).unwrap_err()), None);
    assert_eq!(current(written.remove(1).unwrap_err()), Some(key_value("b", "1", b, b)));
    let revisions: Vec<_> = written.into_iter().map(Result::unwrap).collect();
    assert_eq!(revisions, [b + 1, b + 2, b + 3]);
    let expected = [key_value("a", "2", a, b + 1), key_value("b", "2", b + 3, b + 3)];
    assert_eq!(list(&*store, "").await.items, expected);
    let told = events(&*store, b).await;
    assert_eq!(told.iter().map(|event| &*event.key).collect::<Vec<_>>(), [b"a", b"b", b"b"]);
}

async fn update_at_the_expected_revision(store: Arc<dyn Store>) {
    let error = store.update("a".into(), "0".into(), 1).await.unwrap_err();
    assert_eq!(current(error), None, "nothing to update");

    let created = create(&*store, "a", "1").await;
    let updated = store.update("a".into(), "2".into(), created).await.unwrap();
    assert_eq!(updated, created + 1);
    let stored = key_value("a", "2", created, updated);
    assert_eq!(store.get(b"a").await.unwrap(), Some(stored.clone()));

    for wrong in [0, created, updated + 1] {
        let error = store.update("a".into(), "3".into(), wrong).await.unwrap_err();
        assert_eq!(current(error), Some(stored.clone()));
    }
    assert_eq!(store.get(b"a").await.unwrap(), Some(stored));
}

async fn delete_at_the_expected_revision(store: Arc<dyn Store>) {
    assert_eq!(current(store.delete("a".into(), 1).await.unwrap_err()), None);

    let created = create(&*store, "a", "1").await;
    let stored = key_value("a", "1", created, created);
    for wrong in [0, created + 1] {
        let error = store.delete("a".into(), wrong).await.unwrap_err();
        assert_eq!(current(error), Some(stored.clone()));
    }
    let deleted = store.delete("a".into(), created).await.unwrap();
    assert_eq!(deleted, created + 1, "a deletion has its own revision");
    assert_eq!(store.get(b"a").await.unwrap(), None);
    assert_eq!(list(&*store, "").await.items, []);
    assert_eq!(current(store.delete("a".into(), created).await.unwrap_err()), None);
    let update = store.update("a".into(), "2".into(), deleted).await;
    assert_eq!(current(update.unwrap_err()), None, "a deletion cannot be updated");

    let again = create(&*store, "a", "2").await;
    assert_eq!(store.get(b"a").await.unwrap(), Some(key_value("a", "2", again, again)));
}

async fn any_bytes_are_a_key_and_a_value(store: Arc<dyn Store>) {
    let every_byte = (0..=u8::MAX).collect::<Vec<_>>();
    let large = every_byte.repeat(3 << 12);
    let mut expected = Vec::new();
    for (key, value) in [
        (vec![0], vec![]),
        (vec![0, 0], vec![0]),
        (every_byte.clone(), large),
        (vec![0xff], every_byte.clone()),
        (vec![0xff, 0xff], vec![0xff]),
    ] {
        let revision = store.create(key.clone(), value.clone()).await.unwrap();
        let item = KeyValue { key, value, create_revision: revision, mod_revision: revision };
        assert_eq!(store.get(&item.key).await.unwrap().as_ref(), Some(&item));
        expected.push(item);
    }
    expected.sort_by(|a, b| a.key.cmp(&b.key));
    assert_eq!(list(&*store, "").await.items, expected);
    let page = store.list(ListRequest { prefix: vec![0xff], ..Default::default() }).await.unwrap();
    assert_eq!(page.items, expected[expected.len() - 2..]);
}

async fn list_is_a_prefix_in_order(store: Arc<dyn Store>) {
    for key in ["/pods/b/x", "/pods/a/y", "/pods/a/x", "/pods/ab/x", "/podsets/a/x", "/poc"] {
        create(&*store, key, key).await;
    }
    let page = list(&*store, "/pods/").await;
    assert_eq!(keys(&page.items), ["/pods/a/x", "/pods/a/y", "/pods/ab/x", "/pods/b/x"]);
    assert_eq!((page.next, page.remaining), (None, None));
    assert_eq!(page.items[0].value, b"/pods/a/x");
    assert_eq!(keys(&list(&*store, "/pods/a/").await.items), ["/pods/a/x", "/pods/a/y"]);
    assert_eq!(list(&*store, "").await.items.len(), 6);
    assert_eq!(list(&*store, "/pods/a/x/").await.items, []);
    assert_eq!(list(&*store, "/z").await.items, []);
}

async fn pages_are_one_snapshot(store: Arc<dyn Store>) {
    let mut revisions = Vec::new();
    for i in 0..10 {
        revisions.push(create(&*store, &format!("/a/{i}"), "old").await);
    }
    create(&*store, "/b", "outside").await;

    let mut request = ListRequest { prefix: "/a/".into(), limit: Some(4), count: true, ..Default::default() };
    let first = store.list(request.clone()).await.unwrap();
    assert_eq!(keys(&first.items), ["/a/0", "/a/1", "/a/2", "/a/3"]);
    assert_eq!((first.next.as_deref(), first.remaining), (Some(&b"/a/4"[..]), Some(6)));

    // Before the next page: replace one key twice, delete one, delete and recreate one, and create
    // one in between.
    let replaced = store.update("/a/5".into(), "new".into(), revisions[5]).await.unwrap();
    store.update("/a/5".into(), "newer".into(), replaced).await.unwrap();
    store.delete("/a/6".into(), revisions[6]).await.unwrap();
    store.delete("/a/7".into(), revisions[7]).await.unwrap();
    create(&*store, "/a/7", "new").await;
    create(&*store, "/a/55", "new").await;

    request.revision = Some(first.revision);
    request.start = first.next;
    let second = store.list(request.clone()).await.unwrap();
    assert_eq!(keys(&second.items), ["/a/4", "/a/5", "/a/6", "/a/7"]);
    assert!(second.items.iter().all(|item| item.value == b"old"));
    assert_eq!((second.revision, second.remaining), (first.revision, Some(2)));
    request.start = second.next;
    let third = store.list(request).await.unwrap();
    assert_eq!(keys(&third.items), ["/a/8", "/a/9"]);
    assert_eq!((third.next, third.remaining), (None, Some(0)));

    let now = list(&*store, "/a/").await;
    assert_eq!(keys(&now.items).concat(), "/a/0/a/1/a/2/a/3/a/4/a/5/a/55/a/7/a/8/a/9");
    assert_eq!(now.items[5].value, b"newer");
}

async fn a_page_without_items_counts_what_remains(store: Arc<dyn Store>) {
    create(&*store, "/a/1", "").await;
    create(&*store, "/a/2", "").await;
    let request = |limit, start: &str| ListRequest {
        prefix: "/a/".into(),
        start: Some(start.into()),
        limit: Some(limit),
        bytes: None,
        revision: None,
        count: true,
    };
    let page = store.list(request(0, "")).await.unwrap();
    assert_eq!((page.items.len(), page.next, page.remaining), (0, Some("/a/1".into()), Some(2)));
    // A limit equal to the number of items: there is no next page.
    let page = store.list(request(2, "")).await.unwrap();
    assert_eq!((page.items.len(), page.next, page.remaining), (2, None, Some(0)));
    // A start before or after the prefix does not list other keys.
    create(&*store, "/0", "").await;
    create(&*store, "/b", "").await;
    assert_eq!(store.list(request(9, "/")).await.unwrap().items.len(), 2);
    assert_eq!(store.list(request(9, "/b")).await.unwrap().items, []);
}

async fn a_page_ends_with_its_bytes(store: Arc<dyn Store>) {
    for (key, value) in [("/a/1", "12"), ("/a/2", "3456"), ("/a/3", "7"), ("/a/4", "8"), ("/a/5", "9")] {
        create(&*store, key, value).await;
    }
    let mut request = ListRequest { prefix: "/a/".into(), bytes: Some(3), count: true, ..Default::default() };
    let mut pages = Vec::new();
    loop {
        let page = store.list(request.clone()).await.unwrap();
        pages.push((page.items.len(), page.remaining));
        let Some(next) = page.next else { break };
        request.start = Some(next);
    }
    assert_eq!(pages, [(2, Some(3)), (3, Some(0))]);
}

async fn compaction_keeps_what_is_current(store: Arc<dyn Store>) {
    let first = create(&*store, "replaced", "1").await;
    create(&*store, "kept", "1").await;
    let gone = create(&*store, "gone", "1").await;
    let second = store.update("replaced".into(), "2".into(), first).await.unwrap();
    let oldest = store.delete("gone".into(), gone).await.unwrap();
    let at_oldest = list(&*store, "").await;
    let third = store.update("replaced".into(), "3".into(), second).await.unwrap();
    let now = list(&*store, "").await;

    store.compact(oldest).await.unwrap();
    store.compact(oldest).await.unwrap();
    store.compact(first).await.unwrap();

    let at = |revision| ListRequest { revision: Some(revision), ..Default::default() };
    assert_eq!(store.list(at(oldest)).await.unwrap(), at_oldest);
    assert_eq!(list(&*store, "").await, now);
    for revision in [0, first, second, oldest - 1] {
        let compacted = |error: &Error| {
            matches!(*error, Error::Compacted { requested, oldest: at }
                if (requested, at) == (revision, oldest))
        };
        assert!(store.list(at(revision)).await.is_err_and(|error| compacted(&error)));
        assert!(store.watch(vec![], revision).await.is_err_and(|error| compacted(&error)));
    }
    let after = events(&*store, oldest).await;
    assert_eq!(after.len(), 1);
    assert_eq!(after[0].revision, third);
    assert_eq!(
        after[0].previous.as_ref().unwrap().value,
        b"2",
        "the value that was current at the compaction remains"
    );
    create(&*store, "gone", "2").await;
}

async fn future_revisions_are_refused(store: Arc<dyn Store>) {
    let now = create(&*store, "a", "1").await;
    let future = |error: &Error| {
        matches!(*error, Error::FutureRevision { requested, current }
            if (requested, current) == (now + 1, now))
    };
    let request = ListRequest { revision: Some(now + 1), ..Default::default() };
    assert!(store.list(request).await.is_err_and(|error| future(&error)));
    assert!(store.watch(vec![], now + 1).await.is_err_and(|error| future(&error)));
    assert!(store.compact(now + 1).await.is_err_and(|error| future(&error)));
    assert_eq!(list(&*store, "").await.items.len(), 1);
}

async fn watch_replays_then_follows(store: Arc<dyn Store>) {
    let start = list(&*store, "").await.revision;
    let first = create(&*store, "/a/1", "1").await;
    create(&*store, "/b/1", "1").await;
    let mut watch = store.watch("/a/".into(), start).await.unwrap();
    let mut late = store.watch("/a/".into(), first).await.unwrap();

    let history = watch.next().await.unwrap();
    assert_eq!(history.iter().map(|event| event.revision).collect::<Vec<_>>(), [first]);

    let (events, second) = tokio::join!(watch.next(), create(&*store, "/a/2", "2"));
    assert_eq!(events.unwrap()[0].revision, second);
    assert_eq!(late.next().await.unwrap()[0].revision, second, "only events after the given one");
    assert_eq!((watch.revision(), late.revision()), (second, second));

    drop(store);
    assert!(matches!(watch.next().await, Err(Error::Closed)));
}

async fn watch_returns_the_previous_value(store: Arc<dyn Store>) {
    let created = create(&*store, "a", "1").await;
    let updated = store.update("a".into(), "2".into(), created).await.unwrap();
    let deleted = store.delete("a".into(), updated).await.unwrap();
    let again = create(&*store, "a", "3").await;
    let one = Some(key_value("a", "1", created, created));
    let two = Some(key_value("a", "2", created, updated));
    let three = Some(key_value("a", "3", again, again));
    let event = |revision, current: &Option<KeyValue>, previous: &Option<KeyValue>| Event {
        revision,
        key: "a".into(),
        current: current.clone(),
        previous: previous.clone(),
    };
    assert_eq!(
        events(&*store, created - 1).await,
        [
            event(created, &one, &None),
            event(updated, &two, &one),
            event(deleted, &None, &two),
            event(again, &three, &None),
        ]
    );
}

async fn watch_outlives_a_dropped_next(store: Arc<dyn Store>) {
    let start = list(&*store, "").await.revision;
    let mut watch = store.watch("a".into(), start).await.unwrap();
    for value in ["1", "2", "3"] {
        tokio::select! {
            biased;
            events = watch.next() => panic!("nothing has happened, got {events:?}"),
            () = std::future::ready(()) => {}
        }
        let revision = create(&*store, &format!("a{value}"), value).await;
        let events = watch.next().await.unwrap();
        assert_eq!(events.iter().map(|event| event.revision).collect::<Vec<_>>(), [revision]);
    }
}

async fn a_watch_behind_a_compaction_fails(store: Arc<dyn Store>) {
    let start = create(&*store, "a", "1").await;
    let mut watch = store.watch(vec![], start).await.unwrap();
    let next = store.update("a".into(), "2".into(), start).await.unwrap();
    store.compact(next).await.unwrap();
    let error = watch.next().await.unwrap_err();
    assert!(
        matches!(error, Error::Compacted { requested, oldest } if (requested, oldest) == (start, next)),
        "{error}"
    );
}

/// It has missed nothing.
async fn a_watch_of_quiet_keys_outlives_a_compaction(store: Arc<dyn Store>) {
    let start = create(&*store, "a", "1").await;
    let mut watch = store.watch("quiet".into(), start).await.unwrap();
    let next = store.update("a".into(), "2".into(), start).await.unwrap();
    store.compact(next).await.unwrap();
    assert_eq!(watch.revision(), next);
    let written = create(&*store, "quiet", "1").await;
    let events = watch.next().await.unwrap();
    assert_eq!(events.iter().map(|event| event.revision).collect::<Vec<_>>(), [written]);
}

async fn concurrent_updates_lose_none(store: Arc<dyn Store>) {
    const CLIENTS: u64 = 8;
    const ROUNDS: u64 = 25;
    create(&*store, "counter", "0").await;
    let increment = async |store: &dyn Store| {
        let mut current = store.get(b"counter").await.unwrap().unwrap();
        loop {
            let count = std::str::from_utf8(&current.value).unwrap().parse::<u64>().unwrap();
            let value = (count + 1).to_string().into_bytes();
            match store.update("counter".into(), value, current.mod_revision).await {
                Ok(_) => break,
                Err(error) => current = self::current(error).unwrap(),
            }
        }
    };
    let clients = (0..CLIENTS).map(|_| {
        let store = store.clone();
        tokio::spawn(async move {
            for _ in 0..ROUNDS {
                increment(&*store).await;
            }
        })
    });
    for client in clients.collect::<Vec<_>>() {
        client.await.unwrap();
    }
    let value = store.get(b"counter").await.unwrap().unwrap().value;
    assert_eq!(value, (CLIENTS * ROUNDS).to_string().into_bytes());
}

async fn concurrent_writers_and_watches(store: Arc<dyn Store>) {
    const CLIENTS: u64 = 8;
    const ROUNDS: u64 = 50;
    let start = list(&*store, "").await.revision;
    let writers = (0..CLIENTS).map(|client| {
        let store = store.clone();
        tokio::spawn(async move {
            let mut written = Vec::new();
            for round in 0..ROUNDS {
                let key = format!("/{}/{client}-{round}", ["seen", "unseen"][round as usize % 2]);
                written.push((create(&*store, &key, &key).await, key));
            }
            written
        })
    });
    let writers = writers.collect::<Vec<_>>();
    // Each watch starts while the writers are running, and receives all writes.
    let watches = (0..4).map(|_| {
        let store = store.clone();
        tokio::spawn(async move {
            let mut watch = store.watch("/seen/".into(), start).await.unwrap();
            let mut seen = Vec::new();
            while seen.len() < (CLIENTS * ROUNDS / 2) as usize {
                let events = watch.next().await.unwrap();
                assert!(!events.is_empty());
                seen.extend(events.into_iter().map(|event| {
                    let current = event.current.unwrap();
                    assert_eq!(current.value, event.key);
                    (event.revision, String::from_utf8(event.key).unwrap())
                }));
            }
            seen
        })
    });
    let watches = watches.collect::<Vec<_>>();
    let mut written = Vec::new();
    for writer in writers {
        written.extend(writer.await.unwrap());
    }
    written.retain(|(_, key)| key.starts_with("/seen/"));
    written.sort();
    for watch in watches {
        assert_eq!(watch.await.unwrap(), written);
    }
}

async fn agrees_with_the_model(store: Arc<dyn Store>) {
    model::compare(&*store, 0x5eed, 600).await;
}
