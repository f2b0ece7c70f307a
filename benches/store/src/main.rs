//! Compares libraries for the embedded store: redb, fjall and SQLite perform the operations of the
//! store, with every transaction synced before it returns. docs/performance.md contains the results.
//!
//! `cargo run --release --manifest-path benches/Cargo.toml --package bench-store [DIRECTORY]`
//!
//! DIRECTORY (default: the system's temporary directory) must be on a real disk for meaningful
//! results.

mod engines;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use engines::{Engine, Fjall, Redb, RedbQuickRepair, Sqlite, Whole, Write as Put};

const ROUNDS: usize = 5;
const NAMESPACES: usize = 10;
const NAMES: usize = 1_000;
const CLIENTS: usize = 64;
const SINGLE_WRITES: usize = 500;
const READS: usize = 20_000;
const LISTS: usize = 20;
const VALUE_BYTES: usize = 1_024;

/// The measured figures, in the order of [`measure`].
const FIGURES: [&str; 11] = [
    "durable write, 1 client (µs)",
    "durable write, 64 clients (µs)",
    "the same, overwriting (µs)",
    "point read (µs)",
    "list of 1,000 (µs)",
    "size, 10,000 × 1 KiB (MiB)",
    "size, overwritten once (MiB)",
    "size, history dropped (MiB)",
    "drop that history (ms)",
    "open (ms)",
    "open after a crash (ms)",
];

type Figures = [f64; FIGURES.len()];
type Measure = fn(&Path) -> Figures;

fn main() {
    let parent = std::env::args().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    let candidates: [(String, Measure); 5] = [
        (format!("redb {}", version("redb")), measure::<Redb>),
        ("redb, quick repair".to_owned(), measure::<RedbQuickRepair>),
        (format!("fjall {}", version("fjall")), measure::<Fjall>),
        (format!("SQLite {} (rusqlite {})", rusqlite::version(), version("rusqlite")), measure::<Sqlite>),
        ("hubgen's store, whole".to_owned(), measure::<Whole>),
    ];

    println!("1 KiB appended to a file and synced: {:.0} µs\n", sync_microseconds(&parent));
    // All candidates run in each round, so that a slow minute of the machine affects all of them.
    let mut rounds = vec![Vec::new(); candidates.len()];
    for round in 0..ROUNDS {
        for (candidate, rounds) in candidates.iter().zip(&mut rounds) {
            eprintln!("round {} of {ROUNDS}: {}", round + 1, candidate.0);
            let dir = tempfile::tempdir_in(&parent).unwrap();
            rounds.push((candidate.1)(dir.path()));
        }
    }
    print!("| best of {ROUNDS} (ratio to the first) |");
    candidates.iter().for_each(|(name, _)| print!(" {name} |"));
    println!("\n|{}", " --- |".repeat(candidates.len() + 1));
    for (i, figure) in FIGURES.iter().enumerate() {
        print!("| {figure} |");
        let best = |rounds: &Vec<Figures>| rounds.iter().map(|round| round[i]).fold(f64::INFINITY, f64::min);
        let bests = rounds.iter().map(best).collect::<Vec<_>>();
        for best in &bests {
            print!(" {best:.*} ({:.2}) |", usize::from(*best < 100.0), best / bests[0]);
        }
        println!();
    }
}

fn measure<E: Engine>(dir: &Path) -> Figures {
    let single = E::open(&dir.join("single"));
    let writes = (0..SINGLE_WRITES).map(|i| put(i, 0)).collect::<Vec<_>>();
    let start = Instant::now();
    for write in writes {
        single.commit(&[write]);
    }
    let single_write = start.elapsed() / SINGLE_WRITES as u32;
    drop(single);

    let path = dir.join("many");
    let engine = E::open(&path);
    let first = engine.commit_from_many(CLIENTS, all(1));
    let size = disk_bytes(&path);

    let order = (0..READS).map(|i| key(i * 7_919 % (NAMESPACES * NAMES))).collect::<Vec<_>>();
    let start = Instant::now();
    for key in &order {
        assert_eq!(engine.get(key).len(), VALUE_BYTES);
    }
    let read = start.elapsed() / READS as u32;
    let list = median((0..LISTS).map(|i| {
        let prefix = prefix(i % NAMESPACES);
        let start = Instant::now();
        assert_eq!(engine.list(&prefix).len(), NAMES);
        microseconds(start.elapsed())
    }));

    let second = engine.commit_from_many(CLIENTS, all(2));
    let size_overwritten = disk_bytes(&path);
    let start = Instant::now();
    engine.drop_history();
    let drop_history = start.elapsed();
    let size_compacted = disk_bytes(&path);

    // The files after a crash have the contents that they have while the store is open.
    let crashed = dir.join("crashed");
    copy(&path, &crashed);
    drop(engine);
    let open = |path: &Path| {
        let start = Instant::now();
        let engine = E::open(path);
        let value = engine.get(&key(0));
        let elapsed = start.elapsed();
        assert_eq!(value, put(0, 2).value);
        microseconds(elapsed) / 1e3
    };
    let writes = (NAMESPACES * NAMES) as f64;
    [
        microseconds(single_write),
        microseconds(first) / writes,
        microseconds(second) / writes,
        microseconds(read),
        list,
        mebibytes(size),
        mebibytes(size_overwritten),
        mebibytes(size_compacted),
        microseconds(drop_history) / 1e3,
        open(&path),
        open(&crashed),
    ]
}

/// Group commit for a library: one thread commits all waiting writes in one transaction.
fn commit_in_groups(engine: &(impl Engine + ?Sized), clients: usize, writes: Vec<Put>) -> Duration {
    type Waiting = (Put, mpsc::SyncSender<()>);
    let (sender, receiver) = mpsc::channel::<Waiting>();
    let mut shares = vec![Vec::new(); clients];
    for (i, write) in writes.into_iter().enumerate() {
        shares[i % clients].push(write);
    }
    let start = Instant::now();
    thread::scope(|scope| {
        for share in shares {
            let sender = sender.clone();
            scope.spawn(move || {
                for write in share {
                    let (reply, done) = mpsc::sync_channel(1);
                    sender.send((write, reply)).unwrap();
                    done.recv().unwrap();
                }
            });
        }
        drop(sender);
        while let Ok(first) = receiver.recv() {
            let (writes, replies): (Vec<_>, Vec<_>) =
                std::iter::once(first).chain(receiver.try_iter()).unzip();
            engine.commit(&writes);
            replies.iter().for_each(|reply| reply.send(()).unwrap());
        }
    });
    start.elapsed()
}

fn prefix(namespace: usize) -> Vec<u8> {
    format!("/registry/configmaps/namespace-{namespace}/").into_bytes()
}

fn key(i: usize) -> Vec<u8> {
    let name = format!("name-{:05}", i / NAMESPACES);
    [prefix(i % NAMESPACES), name.into_bytes()].concat()
}

/// The `version`th value of a key: hexadecimal digits, which hardly compress.
fn put(i: usize, version: u64) -> Put {
    let mut dice = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ version;
    let digits = (0..VALUE_BYTES).map(|_| {
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        b"0123456789abcdef"[(dice >> 60) as usize]
    });
    Put { key: key(i), value: digits.collect() }
}

fn all(version: u64) -> Vec<Put> {
    (0..NAMESPACES * NAMES).map(|i| put(i, version)).collect()
}

/// The disk space of the files below a directory. It is less than their lengths if they have holes.
fn disk_bytes(dir: &Path) -> u64 {
    let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap());
    let sizes = entries.map(|entry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => disk_bytes(&entry.path()),
        #[cfg(unix)]
        Ok(metadata) => std::os::unix::fs::MetadataExt::blocks(&metadata) * 512,
        #[cfg(not(unix))]
        Ok(metadata) => metadata.len(),
        Err(_) => 0, // The file was removed in the meantime.
    });
    sizes.sum()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(|entry| entry.unwrap()) {
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

fn sync_microseconds(dir: &Path) -> f64 {
    let mut file = tempfile::tempfile_in(dir).unwrap();
    median((0..SINGLE_WRITES).map(|_| {
        let start = Instant::now();
        file.write_all(&[0; 1 << 10]).unwrap();
        file.sync_data().unwrap();
        microseconds(start.elapsed())
    }))
}

fn median(figures: impl Iterator<Item = f64>) -> f64 {
    let mut figures = figures.collect::<Vec<_>>();
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

fn microseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

/// The version of a dependency, as locked.
fn version(package: &str) -> &'static str {
    let lock = include_str!("../../Cargo.lock");
    let entry = format!("name = \"{package}\"\nversion = \"");
    let (_, rest) = lock.split_once(&entry).expect("the package is locked");
    rest.split_once('"').expect("a version ends").0
}
