//! Tests power failures: the disk keeps everything that was synced, and any subset of the other
//! writes.

use std::io;
use std::sync::{Arc, Mutex};

use redb::StorageBackend;
use tokio::sync::oneshot;

use super::super::{Event, Store};
use super::tables::Row;
use super::writer::{Request, Writer};
use super::*;

#[derive(Clone, Debug)]
enum DiskOp {
    Write(u64, Vec<u8>),
    SetLen(u64),
    Sync,
    /// The writer has reported a batch as committed; the revision of the store after it.
    Committed(u64),
}

/// A disk that records its operations.
#[derive(Clone, Debug, Default)]
struct Disk(Arc<Mutex<(Vec<u8>, Vec<DiskOp>)>>);

impl DiskOp {
    fn apply(&self, image: &mut Vec<u8>) {
        match self {
            DiskOp::Write(offset, data) => {
                let (start, end) = (*offset as usize, *offset as usize + data.len());
                image.resize(image.len().max(end), 0);
                image[start..end].copy_from_slice(data);
            }
            DiskOp::SetLen(len) => image.resize(*len as usize, 0),
            DiskOp::Sync | DiskOp::Committed(_) => {}
        }
    }
}

impl Disk {
    fn record(&self, step: DiskOp) {
        let (image, steps) = &mut *self.0.lock().unwrap();
        step.apply(image);
        steps.push(step);
    }
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.lock().unwrap().0.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let start = offset as usize;
        let disk = self.0.lock().unwrap();
        let data = disk.0.get(start..start + out.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        out.copy_from_slice(data);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.record(DiskOp::SetLen(len));
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        self.record(DiskOp::Sync);
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.record(DiskOp::Write(offset, data.to_vec()));
        Ok(())
    }
}

const OPTIONS: Options = Options { history: 50_000, cache_bytes: 4 << 20 };
const KEYS: u64 = 7;
const BATCHES: u64 = 40;

/// Creates, updates and deletes a few keys in turn, with values of up to some pages.
fn batch(number: u64, revisions: &mut [Option<u64>], next: &mut u64) -> Vec<Request> {
    (0..1 + number % 9)
        .map(|i| {
            let slot = ((number * 5 + i) % KEYS) as usize;
            let expected = revisions[slot];
            *next += 1;
            let value = (expected.is_none() || !next.is_multiple_of(4))
                .then(|| vec![*next as u8; (*next * 997 % 6_000) as usize]);
            revisions[slot] = value.as_ref().map(|_| *next);
            let key = slot.to_string().into_bytes();
            Request::Write(Row { key, value, expected }, oneshot::channel().0)
        })
        .collect()
}

fn open(disk: &Disk) -> Embedded {
    let disk = disk.clone();
    Embedded::over_backend(OPTIONS, move |_| Some(disk.clone())).unwrap()
}

async fn history(store: &Embedded, revision: u64) -> Vec<Event> {
    let mut watch = store.watch(Vec::new(), 1).await.unwrap();
    let mut events = Vec::new();
    while watch.revision() < revision {
        events.extend(watch.next().await.unwrap());
    }
    events
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_is_written_completely_or_not_at_all() {
    let disk = Disk::default();
    let store = open(&disk);
    disk.record(DiskOp::Committed(1));
    let writer = Writer::new(store.handle.clone(), 1, OPTIONS.history);
    let mut revisions = [None; KEYS as usize];
    let mut revision = 1;
    for number in 0..BATCHES {
        let batch = batch(number, &mut revisions, &mut revision);
        assert!(writer.commit(&batch).unwrap().iter().all(Result::is_ok));
        disk.record(DiskOp::Committed(revision));
    }
    drop((writer, store));
    let steps = disk.0.lock().unwrap().1.clone();
    let expected = history(&open(&disk), revision).await;
    assert_eq!(expected.len() as u64, revision - 1);

    let batch_revisions = steps.iter().filter_map(|step| match step {
        DiskOp::Committed(revision) => Some(*revision),
        _ => None,
    });
    let batch_revisions = batch_revisions.collect::<Vec<_>>();
    assert_eq!(batch_revisions.len() as u64, BATCHES + 1);

    let mut synced = Vec::new();
    let mut unsynced = Vec::new();
    let mut committed = None;
    let mut dice = 0x5eed_u64;
    let (mut cuts, mut ahead) = (0, 0);
    for step in &steps {
        match step {
            DiskOp::Sync => {
                unsynced.drain(..).for_each(|step: &DiskOp| step.apply(&mut synced));
            }
            DiskOp::Committed(revision) => committed = Some(*revision),
            other => unsynced.push(other),
        }
        // The power fails here: each operation that is not synced may have reached the disk or not.
        let mut image = synced.clone();
        for step in &unsynced {
            dice = dice.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            if dice >> 63 == 0 {
                step.apply(&mut image);
            }
        }
        let Some(committed) = committed else { continue };
        let disk = Disk(Arc::new(Mutex::new((image, Vec::new()))));
        let store = open(&disk);
        let page = store.list(ListRequest::default()).await.unwrap();
        assert!(page.revision >= committed, "an acknowledged batch is missing");
        assert!(batch_revisions.contains(&page.revision), "only part of a batch is present");
        let events = history(&store, page.revision).await;
        assert_eq!(events, expected[..page.revision as usize - 1]);
        store.create(b"new".to_vec(), b"1".to_vec()).await.unwrap();
        cuts += 1;
        ahead += u32::from(page.revision > committed);
    }
    assert!(
        cuts > BATCHES && ahead > 0,
        "{cuts} power failures, {ahead} of them with an unacknowledged batch"
    );
}
