//! Tests temporary disk failures: the store returns errors, and recovers when the disk works again.

use std::io;
use std::sync::Mutex;
use std::time::Duration;

use redb::StorageBackend;

use super::super::Event;
use super::*;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Operation {
    Read,
    Write,
    SetLen,
    Sync,
    Any,
}

/// A disk on which one type of operation can be made to fail.
#[derive(Clone, Debug, Default)]
struct Disk {
    image: Arc<Mutex<Vec<u8>>>,
    broken: Arc<Mutex<Option<Operation>>>,
    /// The number of failed operations.
    failures: Arc<Mutex<usize>>,
}

impl Disk {
    fn set_broken(&self, operation: Option<Operation>) {
        *self.broken.lock().unwrap() = operation;
    }

    fn failures(&self) -> usize {
        *self.failures.lock().unwrap()
    }

    fn attempt(&self, operation: Operation) -> io::Result<()> {
        match *self.broken.lock().unwrap() {
            Some(broken) if broken == operation || broken == Operation::Any => {
                *self.failures.lock().unwrap() += 1;
                Err(io::ErrorKind::StorageFull.into())
            }
            _ => Ok(()),
        }
    }
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        self.attempt(Operation::Read)?;
        Ok(self.image.lock().unwrap().len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.attempt(Operation::Read)?;
        let image = self.image.lock().unwrap();
        let start = offset as usize;
        out.copy_from_slice(image.get(start..start + out.len()).ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.attempt(Operation::SetLen)?;
        self.image.lock().unwrap().resize(len as usize, 0);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        self.attempt(Operation::Sync)
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.attempt(Operation::Write)?;
        let start = offset as usize;
        self.image.lock().unwrap()[start..start + data.len()].copy_from_slice(data);
        Ok(())
    }
}

fn store(disk: &Disk) -> Embedded {
    let disk = disk.clone();
    // Without a cache, reads reach the disk.
    let options = Options { history: 50_000, cache_bytes: 0 };
    Embedded::over_backend(options, move |_| Some(disk.clone())).unwrap()
}

/// Waits until the store is usable.
async fn wait_until_usable(store: &Embedded) {
    for _ in 0..6_000 {
        if store.check().await.is_ok() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the store did not recover: {:?}", store.check().await);
}

async fn history(store: &Embedded) -> Vec<Event> {
    let revision = store.list(ListRequest::default()).await.unwrap().revision;
    let mut watch = store.watch(Vec::new(), 1).await.unwrap();
    let mut events = Vec::new();
    while watch.revision() < revision {
        events.extend(watch.next().await.unwrap());
    }
    events
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_recovers_when_its_disk_does() {
    for operation in [Operation::Write, Operation::Sync, Operation::SetLen, Operation::Read, Operation::Any] {
        let disk = Disk::default();
        let store = store(&disk);
        for at in 0..20 {
            store.create(format!("before/{at:02}").into(), vec![at; 2_000]).await.unwrap();
        }
        let before = history(&store).await;
        disk.set_broken(Some(operation));
        // Repeats until an operation fails: not every write extends the file.
        let mut at = 0;
        let error = loop {
            let written = store.create(format!("meanwhile/{at}").into(), vec![1; 100_000]).await;
            let read = store.get(b"before/03").await;
            match (written, read) {
                (Ok(_), Ok(_)) => at += 1,
                (Err(error), _) | (_, Err(error)) => break error,
            }
            assert!(at < 1_000, "{operation:?} never failed");
        };
        assert!(matches!(error, Error::Failed(_) | Error::Open { .. }), "{operation:?}: {error}");
        assert!(disk.failures() > 0);
        if operation == Operation::Any {
            // Every operation fails, and the store returns errors.
            let error = store.check().await.unwrap_err();
            assert!(!matches!(error, Error::Closed), "{error}");
            store.list(ListRequest::default()).await.unwrap_err();
            store.create(b"refused".to_vec(), b"1".to_vec()).await.unwrap_err();
        }
        disk.set_broken(None);
        wait_until_usable(&store).await;
        // Everything acknowledged is present, no write is partial, and the store continues from
        // there.
        let events = history(&store).await;
        assert_eq!(events[..before.len()], before, "{operation:?}");
        assert!(events.len() >= before.len() + at, "{operation:?}");
        let revision = store.create(b"after".to_vec(), b"1".to_vec()).await.unwrap();
        assert_eq!(revision, events.last().unwrap().revision + 1, "{operation:?}");
        drop(store);
        let again = self::store(&disk);
        assert_eq!(again.get(b"after").await.unwrap().unwrap().mod_revision, revision, "{operation:?}");
    }
}

/// After a failure a watch ends with an error or continues; it skips no write.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_watch_misses_nothing() {
    let disk = Disk::default();
    let store = store(&disk);
    store.create(b"a".to_vec(), b"1".to_vec()).await.unwrap();
    let mut watch = store.watch(Vec::new(), 1).await.unwrap();
    assert_eq!(watch.next().await.unwrap().len(), 1);
    disk.set_broken(Some(Operation::Sync));
    store.create(b"b".to_vec(), b"1".to_vec()).await.unwrap_err();
    disk.set_broken(None);
    wait_until_usable(&store).await;
    let revision = store.create(b"c".to_vec(), b"1".to_vec()).await.unwrap();
    let mut seen = Vec::new();
    while watch.revision() < revision {
        seen.extend(watch.next().await.unwrap());
    }
    assert_eq!(seen.last().unwrap().key, b"c");
    // The failed write may have taken effect; then the watch must contain it.
    let exists = store.get(b"b").await.unwrap().is_some();
    assert_eq!(seen.iter().any(|event| event.key == b"b"), exists);
}

/// The store reopens the same file, keeps it locked, and never creates a new one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failed_file_is_reopened() {
    let directory = tempfile::tempdir().unwrap();
    let store = Embedded::open(directory.path(), Options::default()).unwrap();
    store.create(b"a".to_vec(), vec![7; 3_000_000]).await.unwrap();
    let fail = || {
        let error = Error::from(redb::Error::PreviousIo);
        store.handle.fail(store.handle.database().unwrap().1, error);
    };
    fail();
    store.create(b"b".to_vec(), b"1".to_vec()).await.unwrap_err();
    wait_until_usable(&store).await;
    assert_eq!(store.get(b"a").await.unwrap().unwrap().value, vec![7; 3_000_000]);
    store.create(b"b".to_vec(), b"1".to_vec()).await.unwrap();
    let error = Embedded::open(directory.path(), Options::default()).err().unwrap();
    assert!(matches!(error, Error::InUse { .. }), "{error}");

    let (path, aside) = (directory.path().join(FILE), directory.path().join("aside"));
    std::fs::rename(&path, &aside).unwrap();
    fail();
    store.create(b"c".to_vec(), b"1".to_vec()).await.unwrap_err();
    // A second request is answered after the attempt to reopen the file.
    let error = store.create(b"c".to_vec(), b"1".to_vec()).await.unwrap_err();
    assert!(matches!(error, Error::Open { .. }), "{error}");
    assert!(!path.exists(), "a missing store is not replaced by an empty one");
    std::fs::rename(&aside, &path).unwrap();
    wait_until_usable(&store).await;
    assert!(store.get(b"b").await.unwrap().is_some());
}
