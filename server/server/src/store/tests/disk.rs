//! Tests of a store on disk: restarts, kills, permissions, foreign files.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;

use redb::{ReadableDatabase, ReadableTableMetadata, TableHandle};

use super::super::{Embedded, Options};
use super::*;

/// The data directory of the writing child process. If it is not set, `child` is an empty test.
const CHILD_DATA_DIR: &str = "HUBGEN_TEST_STORE_CHILD_DATA_DIR";
const CLIENTS: u64 = 16;

fn open(dir: &Path) -> Embedded {
    Embedded::open(dir, Options::default()).unwrap()
}

#[tokio::test]
async fn a_reopened_store_contains_all_writes() {
    let dir = tempfile::tempdir().unwrap();
    let data_dir = dir.path().join("made/on/the/way");
    let before = {
        let store = open(&data_dir);
        let created = store.create("a".into(), "1".into()).await.unwrap();
        store.update("a".into(), "2".into(), created).await.unwrap();
        let created = store.create("b".into(), "1".into()).await.unwrap();
        store.delete("b".into(), created).await.unwrap();
        consistent_events(&store).await
    };
    for _ in 0..2 {
        let store = open(&data_dir);
        assert_eq!(consistent_events(&store).await, before);
        let error = store.create("a".into(), "3".into()).await.unwrap_err();
        assert!(matches!(error, Error::Conflict { .. }), "{error}");
    }
}

#[tokio::test]
async fn writes_are_finished_after_their_future_is_dropped() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    for i in 0..100 {
        // The future is polled once, which queues the write, and then dropped.
        tokio::select! {
            biased;
            _ = store.create(format!("{i}").into(), "1".into()) => {}
            () = std::future::ready(()) => {}
        }
    }
    drop(store);
    assert_eq!(consistent_events(&open(dir.path())).await.len(), 100);
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_may_read() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let data_dir = dir.path().join("data");
    let _store = open(&data_dir);
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&data_dir), 0o700);
    for file in std::fs::read_dir(&data_dir).unwrap() {
        assert_eq!(mode(&file.unwrap().path()), 0o600);
    }
}

#[test]
fn a_file_that_is_not_a_store_is_not_changed() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("store.redb");
    let text = "something else entirely\n".repeat(1_000);
    std::fs::write(&file, &text).unwrap();
    let error = Embedded::open(dir.path(), Options::default()).err().unwrap();
    assert!(matches!(error, Error::Open { .. }), "{error:?}");
    assert!(error.to_string().contains("store.redb"), "{error}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);

    // The data directory is a file.
    let error = Embedded::open(&file, Options::default()).err().unwrap();
    assert!(matches!(error, Error::Open { .. }), "{error:?}");
}

#[tokio::test]
async fn the_history_is_bounded() {
    let dir = tempfile::tempdir().unwrap();
    let options = Options { history: 10, ..Default::default() };
    let store = Embedded::open(dir.path(), options).unwrap();
    let mut revision = store.create("a".into(), "0".into()).await.unwrap();
    for i in 0..50 {
        revision = store.update("a".into(), format!("{i}").into(), revision).await.unwrap();
    }
    let at = |revision| ListRequest { revision: Some(revision), ..Default::default() };
    assert_eq!(store.list(at(revision - 10)).await.unwrap().items[0].value, b"39");
    let error = store.list(at(revision - 11)).await.unwrap_err();
    assert!(matches!(error, Error::Compacted { oldest, .. } if oldest == revision - 10), "{error}");

    // A shorter history than before is reached in steps.
    drop(store);
    let options = Options { history: 2, ..Default::default() };
    let store = Embedded::open(dir.path(), options).unwrap();
    for i in 0..10 {
        revision = store.update("a".into(), format!("{i}").into(), revision).await.unwrap();
    }
    let error = store.list(at(revision - 3)).await.unwrap_err();
    assert!(matches!(error, Error::Compacted { oldest, .. } if oldest == revision - 2), "{error}");
    assert_eq!(events(&store, revision - 2).await.len(), 2);
    drop(store);
    assert_eq!(rows(dir.path()), [3, 3], "expected the current value at the oldest revision, and two events");
}

/// The number of rows of the two tables.
fn rows(dir: &Path) -> [u64; 2] {
    let database = redb::Database::open(dir.join("store.redb")).unwrap();
    let transaction = database.begin_read().unwrap();
    let tables = transaction.list_tables().unwrap();
    let mut rows = BTreeMap::new();
    for table in tables {
        let name = table.name().to_owned();
        rows.insert(name, transaction.open_untyped_table(table).unwrap().len().unwrap());
    }
    [rows["events"], rows["keys"]]
}

#[tokio::test]
async fn compaction_leaves_only_what_is_current() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let mut revision = 0;
    for key in ["kept", "gone", "changed", "changed", "gone-and-back"] {
        let key = key.as_bytes().to_vec();
        revision = match store.get(&key).await.unwrap() {
            None => store.create(key, "1".into()).await.unwrap(),
            Some(current) => store.update(key, "2".into(), current.mod_revision).await.unwrap(),
        };
    }
    revision = store.delete("gone-and-back".into(), revision).await.unwrap();
    store.compact(revision - 1).await.unwrap();
    store.create("gone-and-back".into(), "2".into()).await.unwrap();
    let gone = store.get(b"gone").await.unwrap().unwrap();
    revision = store.delete("gone".into(), gone.mod_revision).await.unwrap();
    store.compact(revision).await.unwrap();
    assert_eq!(list(&store, "").await.items.len(), 3);
    drop(store);
    assert_eq!(rows(dir.path()), [3, 3]);
}

/// The child process of the test below: writes until it is killed, and prints acknowledged writes.
/// Without the environment variable it is an empty test.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn child() {
    let Some(data_dir) = std::env::var_os(CHILD_DATA_DIR) else { return };
    let store = Arc::new(open(Path::new(&data_dir)));
    println!("\nopened");
    let mut clients = tokio::task::JoinSet::new();
    for client in 0..CLIENTS {
        let store = store.clone();
        clients.spawn(async move {
            let key = client.to_string().into_bytes();
            loop {
                let revision = match store.get(&key).await.unwrap() {
                    None => store.create(key.clone(), b"0".repeat(500)).await,
                    Some(current) if current.value.len() > 1_000 => {
                        store.delete(key.clone(), current.mod_revision).await
                    }
                    Some(current) => {
                        let value = [current.value, b"0".repeat(100)].concat();
                        store.update(key.clone(), value, current.mod_revision).await
                    }
                };
                let line = format!("ack {client} {}\n", revision.unwrap());
                if std::io::stdout().write_all(line.as_bytes()).is_err() {
                    return; // The parent has closed the pipe.
                }
            }
        });
    }
    while let Some(end) = clients.join_next().await {
        end.unwrap();
    }
}

/// Starts the child process and waits until it has opened the store.
fn start_child(data_dir: &Path) -> (Child, BufReader<ChildStdout>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "store::tests::disk::child", "--nocapture"])
        .env(CHILD_DATA_DIR, data_dir)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while line != "opened\n" {
        line.clear();
        assert_ne!(output.read_line(&mut line).unwrap(), 0, "the child ended before it opened the store");
    }
    (child, output)
}

#[tokio::test]
async fn acknowledged_writes_survive_a_kill() {
    let dir = tempfile::tempdir().unwrap();
    let mut acknowledged = BTreeMap::new();
    for acknowledgements in [1, 2, 30, 500, 100] {
        let (mut child, output) = start_child(dir.path());
        let error = Embedded::open(dir.path(), Options::default()).err().unwrap();
        assert!(matches!(error, Error::InUse { .. }), "a second process must not open the store: {error:?}");

        // On Unix, this sends SIGKILL. Earlier output is still in the pipe.
        let mut seen = 0;
        for line in output.split(b'\n') {
            let line = String::from_utf8(line.unwrap()).unwrap();
            if let [_, client, revision] = line.split(' ').collect::<Vec<_>>()[..] {
                acknowledged.insert(revision.parse::<u64>().unwrap(), client.to_owned());
                seen += 1;
            }
            if seen == acknowledgements {
                child.kill().unwrap();
            }
        }
        assert!(seen >= acknowledgements, "the child ended before it was killed");
        child.wait().unwrap();

        let store = open(dir.path());
        let events = consistent_events(&store).await;
        for (revision, client) in &acknowledged {
            let event = &events[*revision as usize - 2];
            assert_eq!((event.revision, &event.key[..]), (*revision, client.as_bytes()));
        }
    }
    assert!(acknowledged.len() >= 633);
}

#[test]
fn a_newer_format_is_refused() {
    const META: redb::TableDefinition<&str, u64> = redb::TableDefinition::new("meta");
    let dir = tempfile::tempdir().unwrap();
    drop(open(dir.path()));
    let database = redb::Database::open(dir.path().join("store.redb")).unwrap();
    let transaction = database.begin_write().unwrap();
    let before = transaction.open_table(META).unwrap().insert("format", 2).unwrap().unwrap().value();
    transaction.commit().unwrap();
    drop(database);
    let error = Embedded::open(dir.path(), Options::default()).err().unwrap();
    assert!(matches!(error, Error::Format { found: 2, expected, .. } if expected == before));
}
