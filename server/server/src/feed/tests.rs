//! Tests feeds.

use std::sync::Arc;

use super::{Change, End, Feeds};
use crate::store::{Embedded, Options, Store};

const PREFIX: &str = "/registry/notes/";

fn key(name: &str) -> Vec<u8> {
    format!("{PREFIX}{name}").into_bytes()
}

fn names(changes: &[Arc<Change<()>>]) -> Vec<(u64, String)> {
    let name = |key: &[u8]| String::from_utf8_lossy(&key[PREFIX.len()..]).into_owned();
    changes.iter().map(|change| (change.event.revision, name(&change.event.key))).collect()
}

/// A store, and its feeds with rings of this weight.
fn feeds(most: usize) -> (Arc<dyn Store>, Arc<Feeds<()>>) {
    let store: Arc<dyn Store> = Arc::new(Embedded::in_memory(Options::default()).unwrap());
    (Arc::clone(&store), Feeds::new(store, most))
}

#[tokio::test]
async fn readers_get_the_changes_of_their_family_after_a_revision() {
    let (store, feeds) = feeds(usize::MAX);
    let first = store.create(key("a"), vec![]).await.unwrap();
    let joined = feeds.join(PREFIX).await.unwrap();
    assert!(joined.reader(first - 1).is_none(), "the feed begins when somebody joins");
    let mut reader = joined.reader(first).unwrap();
    assert!(reader.now().unwrap().is_none());
    store.create(b"/registry/others/x".to_vec(), vec![]).await.unwrap();
    store.update(key("a"), vec![1], first).await.unwrap();
    let last = store.create(key("b"), vec![]).await.unwrap();
    let mut found = Vec::new();
    while found.len() < 2 {
        reader.wait().await.unwrap();
        found.extend(reader.now().unwrap());
    }
    assert_eq!(names(&found), [(first + 2, "a".to_owned()), (last, "b".to_owned())]);
    assert_eq!(feeds.seen(), last);
    // Another reader shares the changes, and begins where it wants.
    let mut later = feeds.join(PREFIX).await.unwrap().reader(first + 2).unwrap();
    assert!(Arc::ptr_eq(&later.now().unwrap().unwrap(), &found[1]));
    assert!(later.now().unwrap().is_none());
}

#[tokio::test]
async fn a_slow_reader_ends_and_others_go_on() {
    let (store, feeds) = feeds(1);
    let revision = feeds.revision().await.unwrap();
    let joined = feeds.join(PREFIX).await.unwrap();
    let (mut slow, mut quick) = (joined.reader(revision).unwrap(), joined.reader(revision).unwrap());
    for name in ["a", "b", "c"] {
        store.create(key(name), vec![]).await.unwrap();
        quick.wait().await.unwrap();
        assert_eq!(names(&[quick.now().unwrap().unwrap()])[0].1, name);
    }
    slow.wait().await.unwrap();
    assert_eq!(slow.now().err(), Some(End::TooSlow));
    assert!(joined.reader(revision).is_none());
    assert!(joined.reader(revision + 2).is_some(), "the newest change is there, whatever it weighs");
}

#[tokio::test]
async fn a_feed_that_nobody_reads_is_closed_and_can_be_joined_again() {
    let (store, feeds) = feeds(usize::MAX);
    let joined = feeds.join(PREFIX).await.unwrap();
    drop(joined);
    store.create(key("a"), vec![]).await.unwrap();
    while feeds.open.lock().await.is_pumped {
        tokio::task::yield_now().await;
    }
    assert!(feeds.open.lock().await.feeds.is_empty());
    let revision = feeds.revision().await.unwrap();
    let mut reader = feeds.join(PREFIX).await.unwrap().reader(revision).unwrap();
    store.create(key("b"), vec![]).await.unwrap();
    reader.wait().await.unwrap();
    assert_eq!(names(&[reader.now().unwrap().unwrap()]), [(revision + 1, "b".to_owned())]);
}
