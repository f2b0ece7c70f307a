//! Snapshots of etcd: one that etcd wrote, and those that tests write.

#[path = "../../bbolt/tests/support/writer.rs"]
mod writer;

use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use hubgen_stored::{Finding, Snapshot, Stored, Values};
use proptest::prelude::*;
use ring::digest::{SHA256, digest};
use writer::{Pair, database};

fn recorded(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(name)
}

fn stored(file: &[u8], revision: Option<u64>, prefix: &str) -> Result<Vec<Stored>, Finding> {
    let mut snapshot = Snapshot::read(Cursor::new(file))?;
    let state = snapshot.state(revision, prefix.as_bytes())?;
    let count = state.len();
    let values: Vec<Stored> = snapshot.values(state).collect::<Result<_, _>>()?;
    assert_eq!(values.len(), count);
    Ok(values)
}

#[track_caller]
fn refused(file: &[u8], revision: Option<u64>, message: &str) {
    let finding = stored(file, revision, "").unwrap_err();
    let message = message.to_owned();
    assert_eq!(
        if finding.path.is_empty() {
            finding.message
        } else {
            format!("{}: {}", finding.path, finding.message)
        },
        message
    );
}

/// What etcd itself answered for every revision.
#[test]
fn states_are_those_that_etcd_answers() {
    let file = std::fs::read(recorded("etcd-3.4.db")).unwrap();
    let mut compared = 0;
    for revision in 6..=15 {
        let dump = std::fs::read(recorded(&format!("revision-{revision}.json"))).unwrap();
        let expected: Vec<Stored> = Values::parse(&dump).unwrap().into_iter().collect();
        assert_eq!(stored(&file, Some(revision), "").unwrap(), expected, "revision {revision}");
        compared += expected.len();
        let of_deployments: Vec<Stored> = expected
            .into_iter()
            .filter(|stored| stored.key.as_deref().unwrap().starts_with("/registry/deployments/"))
            .collect();
        assert_eq!(stored(&file, Some(revision), "/registry/deployments/").unwrap(), of_deployments);
    }
    assert!(compared > 50);
    assert_eq!(stored(&file, None, "").unwrap(), stored(&file, Some(15), "").unwrap());
    refused(&file, Some(5), "revision 5 is compacted: the snapshot has revisions 6 to 15");
    refused(&file, Some(16), "revision 16 is not there yet: the snapshot has revisions 6 to 15");
    refused(&file, Some(0), "revision 0 is compacted: the snapshot has revisions 6 to 15");
}

#[test]
fn a_wrong_checksum_is_told_and_the_rest_is_read() {
    let mut file = std::fs::read(recorded("etcd-3.4.db")).unwrap();
    assert_eq!(Snapshot::read(Cursor::new(&file)).unwrap().findings(), []);
    let expected = stored(&file, None, "").unwrap();
    *file.last_mut().unwrap() ^= 1;
    let findings = Snapshot::read(Cursor::new(&file)).unwrap().findings().to_vec();
    let message = &findings[0].message;
    assert!(message.starts_with("expected the SHA-256 ") && message.contains(", found "), "{message}");
    assert_eq!(stored(&file, None, "").unwrap(), expected);
    // The file of a member has none.
    file.truncate(file.len() - 32);
    assert_eq!(Snapshot::read(Cursor::new(&file)).unwrap().findings(), []);
    assert_eq!(stored(&file, None, "").unwrap(), expected);
}

#[test]
fn a_snapshot_that_is_cut_off_is_refused() {
    let file = std::fs::read(recorded("etcd-3.4.db")).unwrap();
    let finding = stored(&file[..file.len() - 4096], None, "").unwrap_err();
    assert!(finding.message.starts_with("the file is cut off: expected "), "{finding}");
}

#[test]
fn a_damaged_meta_is_told() {
    let mut file = database(4096, &[(b"key", Vec::new()), (b"meta", Vec::new())]);
    file[4096 + 16] ^= 1;
    let findings = Snapshot::read(Cursor::new(&file)).unwrap().findings().to_vec();
    assert_eq!((&*findings[0].path, findings.len()), ("page 1", 1));
    assert!(findings[0].message.contains("where a meta has 0xed0cdaed"), "{}", findings[0]);
}

#[test]
fn databases_of_others_are_refused() {
    let pairs = |keys: &[&[u8]], value: &[u8]| -> Vec<Pair> {
        keys.iter().map(|key| (key.to_vec(), value.to_vec())).collect()
    };
    let file = database(1024, &[(b"images", pairs(&[b"a"], b"b")), (b"v1", Vec::new())]);
    refused(&file, None, "expected a bucket \"key\" as etcd has it, found \"images\", \"v1\"");
    refused(&database(1024, &[]), None, "expected a bucket \"key\" as etcd has it, found no bucket");
    let file = database(1024, &[(b"key", pairs(&[b"abc"], b""))]);
    refused(&file, None, "page 2: expected a revision of etcd (8 bytes, `_`, 8 bytes), found 0x616263");
    let revision = revision(7, 0, false);
    let file = database(1024, &[(b"key", vec![(revision.clone(), b"\x0a\x09/".to_vec())])]);
    let finding = stored(&file, None, "").unwrap_err();
    assert!(finding.message.starts_with("revision 7: expected a key and a value: byte "), "{finding}");
    let file = database(1024, &[(b"key", Vec::new()), (b"meta", pairs(&[b"scheduledCompactRev"], b"\x01"))]);
    refused(
        &file,
        None,
        "page 2: scheduledCompactRev: expected a revision of etcd (8 bytes, `_`, 8 bytes), found 0x01",
    );
}

/// A new member has no keys, and revision 1.
#[test]
fn an_empty_member_has_a_revision() {
    let file = database(1024, &[(b"key", Vec::new()), (b"meta", Vec::new())]);
    let mut snapshot = Snapshot::read(Cursor::new(&file)).unwrap();
    let state = snapshot.state(None, b"").unwrap();
    assert_eq!((state.revision, state.oldest, state.newest, state.is_empty()), (1, 1, 1, true));
}

/// What clients did in one transaction.
#[derive(Clone, Debug)]
enum Change {
    Put(u8, Vec<u8>),
    Delete(u8),
}

fn changes() -> impl Strategy<Value = Vec<Vec<Change>>> {
    let value = prop_oneof![
        6 => prop::collection::vec(any::<u8>(), 0..40),
        1 => prop::collection::vec(any::<u8>(), 900..5000),
    ];
    let change = prop_oneof![
        3 => (0..12_u8, value).prop_map(|(key, value)| Change::Put(key, value)),
        1 => (0..12_u8).prop_map(Change::Delete),
    ];
    prop::collection::vec(prop::collection::vec(change, 1..4), 0..40)
}

fn name(key: u8) -> String {
    format!("/registry/{}/{key}", if key < 6 { "pods" } else { "secrets" })
}

fn revision(main: u64, sub: u64, is_deletion: bool) -> Vec<u8> {
    let mut key = main.to_be_bytes().to_vec();
    key.push(b'_');
    key.extend(sub.to_be_bytes());
    key.extend(is_deletion.then_some(b't'));
    key
}

fn varint(mut number: u64, out: &mut Vec<u8>) {
    while number > 0x7f {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn message(key: &str, value: Option<&[u8]>, main: u64) -> Vec<u8> {
    let mut out = vec![0x0a];
    varint(key.len() as u64, &mut out);
    out.extend(key.as_bytes());
    if let Some(value) = value {
        for number in [0x10, 1, 0x18, main, 0x20, 1, 0x2a, value.len() as u64] {
            varint(number, &mut out);
        }
        out.extend(value);
        out.extend([0x30, 0x09]);
    }
    out
}

type Model = BTreeMap<String, (Vec<u8>, u64)>;

/// The history of these transactions, compacted up to a revision, as the buckets of a member; and the state
/// at every revision.
fn history(transactions: &[Vec<Change>], compacted: u64) -> (Vec<u8>, Vec<Model>) {
    let mut entries: BTreeMap<Vec<u8>, (String, u64, Vec<u8>)> = BTreeMap::new();
    let mut models = vec![Model::new(), Model::new()];
    for (index, changes) in transactions.iter().enumerate() {
        let main = index as u64 + 2;
        let mut model = models.last().unwrap().clone();
        for (sub, change) in changes.iter().enumerate() {
            match change {
                Change::Put(key, value) => {
                    let key = name(*key);
                    let bytes = message(&key, Some(value), main);
                    entries.insert(revision(main, sub as u64, false), (key.clone(), main, bytes));
                    model.insert(key, (value.clone(), main));
                }
                Change::Delete(key) => {
                    let key = name(*key);
                    if model.remove(&key).is_some() {
                        let bytes = message(&key, None, 0);
                        entries.insert(revision(main, sub as u64, true), (key, main, bytes));
                    }
                }
            }
        }
        models.push(model);
    }
    // What another change until then replaced is gone, and so are deletions.
    let all: Vec<(Vec<u8>, String, u64)> =
        entries.iter().map(|(at, (key, main, _))| (at.clone(), key.clone(), *main)).collect();
    for (at, key, main) in &all {
        let is_replaced =
            all.iter().any(|(other, named, main)| named == key && other > at && *main <= compacted);
        if *main <= compacted && (is_replaced || at.len() == 18) {
            entries.remove(at);
        }
    }
    let pairs = entries.into_iter().map(|(at, (_, _, bytes))| (at, bytes)).collect();
    let meta = vec![(b"finishedCompactRev".to_vec(), revision(compacted, 0, false))];
    (database(1024, &[(b"key", pairs), (b"meta", meta)]), models)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50))]

    #[test]
    fn every_state_is_read(
        transactions in changes(),
        compacted in any::<prop::sample::Index>(),
        signed in any::<bool>(),
    ) {
        let compacted = compacted.index(transactions.len() + 1) as u64 + 1;
        let (mut file, models) = history(&transactions, compacted);
        if signed {
            let sum = digest(&SHA256, &file);
            file.extend(sum.as_ref());
        }
        for (main, model) in models.iter().enumerate().skip(compacted as usize) {
            for prefix in ["", "/registry/pods/"] {
                let expected: Vec<Stored> = model
                    .iter()
                    .filter(|(key, _)| key.starts_with(prefix))
                    .map(|(key, (bytes, main))| Stored {
                        key: Some(key.clone()),
                        bytes: bytes.clone(),
                        revision: Some(*main),
                    })
                    .collect();
                match stored(&file, Some(main as u64), prefix) {
                    Ok(found) => prop_assert_eq!(found, expected),
                    // Nothing of the last transactions was left: the snapshot ends before.
                    Err(finding) => prop_assert!(
                        finding.message.contains("is not there yet") && model == &models[main - 1],
                        "{}", finding
                    ),
                }
            }
        }
        if compacted > 1 {
            let finding = stored(&file, Some(compacted - 1), "").unwrap_err();
            prop_assert!(finding.message.contains("is compacted"), "{}", finding);
        }
    }

    /// Whatever bytes change, reading ends.
    #[test]
    fn damage_does_no_harm(
        transactions in changes(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let (mut file, _) = history(&transactions, 1);
        for (at, byte) in changes {
            let at = 2048 + at.index(file.len() - 2048);
            file[at] = byte;
        }
        let _ = stored(&file, None, "");
    }
}
