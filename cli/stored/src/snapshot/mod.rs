//! A snapshot of etcd: the file that `etcdctl snapshot save` writes, or a member's `member/snap/db`.
//!
//! It is a bbolt database, whose format the crate `hubgen-bbolt` describes. etcd puts its history into two of
//! the buckets:
//!
//! - `key` has an entry for each change that is not compacted, whose key is the revision: the main number (8
//!   bytes, big endian), `_`, the number within the transaction (8 bytes), and `t` for a deletion. The value
//!   is a message `KeyValue`: the key (1), the revisions at which it was created (2) and last changed (3), how
//!   often it was changed since (4), the value (5), a lease (6).
//! - `meta` has the revision up to which a compaction was begun (`scheduledCompactRev`) and the one up to which
//!   it was finished (`finishedCompactRev`), both in the form of those keys. At revisions before them,
//!   something may be missing.
//!
//! `etcdctl snapshot save` appends the SHA-256 of the database, 32 bytes. A database is a whole number of
//! pages, so that is seen by the length of the file.

mod change;
mod checksum;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;

use hubgen_bbolt::{Database, Error, Place};

use self::change::{KeyValue, Revision};
use self::checksum::Checksum;
use crate::finding::Finding;
use crate::values::Stored;

/// The longest value that is read. etcd itself takes 1.5 MiB, unless it is told otherwise.
const LONGEST: u32 = 256 << 20;

/// A snapshot of etcd.
pub struct Snapshot<R> {
    database: Database<R>,
    /// What is wrong, although the snapshot can be read.
    findings: Vec<Finding>,
    /// The newest revision that is compacted; 0 if none is.
    compacted: u64,
}

/// What a snapshot contains at a revision: for each key, where its newest value until then is.
pub struct State {
    /// The revision.
    pub revision: u64,
    /// The oldest revision that the snapshot has.
    pub oldest: u64,
    /// The newest revision that the snapshot has.
    pub newest: u64,
    places: BTreeMap<Box<[u8]>, Place>,
}

impl State {
    /// How many keys have a value.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether no key has a value.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }
}

impl Snapshot<File> {
    /// Opens a snapshot.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn open(path: &Path) -> Result<Self, Finding> {
        Self::read(File::open(path).map_err(|error| finding(Error::Io(error)))?)
    }
}

impl<R: Read + Seek> Snapshot<R> {
    /// Opens a snapshot that is read through anything that can be read and sought. The whole of it is read if
    /// a checksum is at its end.
    ///
    /// # Errors
    /// When it is no database of etcd, or damaged where its metadata is.
    pub fn read(mut input: R) -> Result<Self, Finding> {
        let checksum = Checksum::of(&mut input).map_err(|error| finding(Error::Io(error)))?;
        let mut database = Database::open(input).map_err(finding)?;
        let mut findings = Vec::new();
        if let Checksum::Wrong { .. } = checksum {
            let help =
                "the file has changed since it was saved, and may be read wrong; save it anew if you can";
            findings.push(Finding::new(checksum.text()).help(help));
        }
        if let Some(damage) = database.damage() {
            let help = "the state before the last transaction may be what is read";
            findings.push(finding_ref(damage).help(help));
        }
        let compacted = compacted(&mut database)?;
        Ok(Self { database, findings, compacted })
    }

    /// What is wrong with the snapshot, although it can be read.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The state at a revision, or the newest one: of the keys that begin with `prefix`.
    ///
    /// Reads every change once, and keeps the keys in memory, not the values.
    ///
    /// # Errors
    /// When the snapshot does not have that revision, or is damaged.
    pub fn state(&mut self, revision: Option<u64>, prefix: &[u8]) -> Result<State, Finding> {
        let Some(bucket) = self.database.bucket(b"key").map_err(finding)? else {
            return Err(self.without_keys());
        };
        let until = revision.unwrap_or(u64::MAX);
        let mut places = BTreeMap::new();
        let mut newest = self.compacted.max(1);
        let mut entries = self.database.entries(&bucket);
        while let Some(entry) = entries.next().transpose().map_err(finding)? {
            let at = Revision::parse(&entry.key).map_err(|problem| in_page(entry.page, problem))?;
            newest = newest.max(at.main);
            if at.main > until {
                continue;
            }
            if entry.value.length > LONGEST {
                let problem = format!(
                    "revision {}: expected a value of at most {LONGEST} bytes, found {}",
                    at.main, entry.value.length
                );
                return Err(in_page(entry.page, problem));
            }
            let bytes = entries.read(entry.value).map_err(finding)?;
            let change = KeyValue::parse(&bytes)
                .map_err(|error| in_page(entry.page, format!("revision {}: {error}", at.main)))?;
            if !change.key.starts_with(prefix) {
                continue;
            }
            if at.is_deletion {
                places.remove(change.key);
            } else if let Some(place) = places.get_mut(change.key) {
                *place = entry.value;
            } else {
                places.insert(Box::from(change.key), entry.value);
            }
        }
        let oldest = self.compacted.max(1);
        let revision = revision.unwrap_or(newest);
        if (oldest..=newest).contains(&revision) {
            return Ok(State { revision, oldest, newest, places });
        }
        let why = if revision < oldest { "is compacted" } else { "is not there yet" };
        Err(Finding::new(format!(
            "revision {revision} {why}: the snapshot has revisions {oldest} to {newest}"
        ))
        .help("choose one of these, or none for the newest"))
    }

    /// The values of a state, in the order of their keys.
    pub fn values(mut self, state: State) -> impl Iterator<Item = Result<Stored, Finding>> {
        state.places.into_iter().map(move |(key, place)| {
            let bytes = self.database.read(place).map_err(finding)?;
            let change = KeyValue::parse(&bytes).map_err(Finding::new)?;
            Ok(Stored {
                key: Some(String::from_utf8_lossy(&key).into_owned()),
                bytes: change.value.to_vec(),
                revision: Some(change.changed),
            })
        })
    }

    /// The database is another program's.
    fn without_keys(&mut self) -> Finding {
        let names = match self.database.names(8) {
            Ok(names) => names,
            Err(error) => return finding(error),
        };
        let names: Vec<String> =
            names.iter().map(|name| format!("{:?}", String::from_utf8_lossy(name))).collect();
        let found = if names.is_empty() { "no bucket".to_owned() } else { names.join(", ") };
        Finding::new(format!("expected a bucket \"key\" as etcd has it, found {found}"))
            .help("name a file of `etcdctl snapshot save`, or a member's member/snap/db")
    }
}

/// The revision up to which a compaction was begun or finished; 0 without one.
fn compacted<R: Read + Seek>(database: &mut Database<R>) -> Result<u64, Finding> {
    let Some(bucket) = database.bucket(b"meta").map_err(finding)? else { return Ok(0) };
    let mut compacted = 0;
    let mut entries = database.entries(&bucket);
    while let Some(entry) = entries.next().transpose().map_err(finding)? {
        if entry.key == b"scheduledCompactRev" || entry.key == b"finishedCompactRev" {
            let name = String::from_utf8_lossy(&entry.key).into_owned();
            let wrong = |problem: String| in_page(entry.page, format!("{name}: {problem}"));
            if entry.value.length > Revision::LONGEST {
                return Err(wrong(format!("expected a revision, found {} bytes", entry.value.length)));
            }
            let value = entries.read(entry.value).map_err(finding)?;
            compacted = compacted.max(Revision::parse(&value).map_err(wrong)?.main);
        }
    }
    Ok(compacted)
}

fn in_page(page: u64, problem: String) -> Finding {
    finding(Error::Page { page, problem })
}

fn finding(error: Error) -> Finding {
    finding_ref(&error)
}

fn finding_ref(error: &Error) -> Finding {
    let help = match &error {
        Error::Io(_) => "check the path and the permissions",
        Error::CutOff { .. } => "copy or save the snapshot anew, and check that the disk had room for it",
        Error::NotADatabase(found) if found.contains("compressed") || found.contains("zip") => {
            "uncompress it first"
        }
        Error::NotADatabase("JSON") => {
            "decode it without --snapshot, if `etcdctl get -w json` has printed it"
        }
        Error::NotADatabase(_) | Error::Meta { .. } => {
            "name a file of `etcdctl snapshot save`, or a member's member/snap/db"
        }
        _ => {
            "the file is damaged, or etcd wrote to it while it was copied; take a snapshot of another member"
        }
    };
    match error {
        Error::Page { page, problem } => Finding::new(problem.clone()).at(format!("page {page}")),
        error => Finding::new(error.to_string()),
    }
    .help(help)
}
