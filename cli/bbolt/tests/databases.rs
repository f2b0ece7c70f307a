//! Databases that tests write, whole and damaged.

#[path = "support/writer.rs"]
mod writer;

use std::collections::BTreeMap;
use std::io::Cursor;

use hubgen_bbolt::{Database, Error};
use proptest::prelude::*;
use writer::{Pair, checksum, database, meta};

/// The keys and values of a bucket.
fn read(file: &[u8], bucket: &[u8]) -> Result<Vec<Pair>, Error> {
    let mut database = Database::open(Cursor::new(file))?;
    let bucket = database.bucket(bucket)?.expect("there is such a bucket");
    let mut entries = database.entries(&bucket);
    let mut pairs = Vec::new();
    while let Some(entry) = entries.next().transpose()? {
        let value = entries.read(entry.value)?;
        pairs.push((entry.key, value));
    }
    Ok(pairs)
}

fn numbered(count: u32, length: usize) -> Vec<Pair> {
    (0..count).map(|number| (number.to_be_bytes().to_vec(), vec![number as u8; length])).collect()
}

#[track_caller]
fn refused(file: &[u8], message: &str) {
    let error = read(file, b"key").unwrap_err();
    assert_eq!(error.to_string(), message);
}

/// A database whose bucket `key` has branches, and where its root is.
fn with_branches() -> (Vec<u8>, usize) {
    let file = database(1024, &[(b"key", numbered(200, 50))]);
    let root = file.chunks(1024).rposition(|page| page[8] == 1).unwrap();
    (file, root)
}

fn set(file: &mut [u8], page: usize, offset: usize, bytes: &[u8]) {
    file[page * 1024 + offset..][..bytes.len()].copy_from_slice(bytes);
}

#[test]
fn buckets_are_read_in_any_page_size() {
    for page_size in [1024, 4096, 16384, 65536] {
        // Inline; a leaf; branches; pages with overflow.
        for (count, length) in
            [(0, 0), (2, 3), (5, page_size / 8), (3000, 20), (9, 3 * page_size), (300, 2000)]
        {
            let pairs = numbered(count, length);
            let file = database(page_size, &[(b"before", numbered(1, 1)), (b"key", pairs.clone())]);
            assert!(read(&file, b"key").unwrap() == pairs, "{page_size} {count} {length}");
            assert_eq!(read(&file, b"before").unwrap(), numbered(1, 1));
            let mut database = Database::open(Cursor::new(&file)).unwrap();
            assert_eq!(database.names(9).unwrap(), [&b"before"[..], b"key"]);
            assert_eq!(database.page_size() as usize, page_size);
            assert!(database.bucket(b"other").unwrap().is_none());
            assert!(database.damage().is_none());
        }
    }
}

/// The file of a member is longer than its database.
#[test]
fn what_is_behind_the_database_is_not_read() {
    let mut file = database(4096, &[(b"key", numbered(10, 10))]);
    file.extend([0xff; 10_000]);
    assert_eq!(read(&file, b"key").unwrap(), numbered(10, 10));
}

#[test]
fn the_newer_valid_meta_counts() {
    let file = database(1024, &[(b"key", numbered(10, 10))]);
    for (page, other) in [(0, 1), (1, 0)] {
        let mut file = file.clone();
        set(&mut file, page, 16 + 48, &[99]);
        let mut database = Database::open(Cursor::new(&file)).unwrap();
        assert!(database.bucket(b"key").unwrap().is_some());
        assert_eq!(database.transaction(), 40 + other);
        let damage = database.damage().unwrap().to_string();
        assert!(damage.starts_with(&format!("page {page}: the checksum 0x")), "{damage}");
    }
}

#[test]
fn other_files_are_named() {
    let both = |first: &str, second: &str| {
        format!("expected a valid meta in page 0 or 1: page 0 has {first}, page 1 has {second}")
    };
    let ends = "no meta: the file ends before";
    for (file, message) in [
        (b"".to_vec(), "expected a bbolt database, found an empty file".to_owned()),
        (
            b"\x1f\x8b\x08\0".to_vec(),
            "expected a bbolt database, found a file that gzip has compressed".to_owned(),
        ),
        (b"{\"header\"".to_vec(), "expected a bbolt database, found JSON".to_owned()),
        (b"abc".to_vec(), both(ends, "no meta")),
        (vec![0; 5000], both("0x00000000 where a meta has 0xed0cdaed", "no meta")),
    ] {
        refused(&file, &message);
    }
    let mut big_endian = vec![0; 4096];
    big_endian[16..20].copy_from_slice(&0xED0C_DAED_u32.to_be_bytes());
    let error = read(&big_endian, b"key").unwrap_err().to_string();
    assert!(error.contains("big endian"), "{error}");
    let file = database(1024, &[]);
    let with = |offset: usize, bytes: &[u8]| {
        let mut file = file.clone();
        for page in 0..2 {
            set(&mut file, page, 16 + offset, bytes);
            let sum = checksum(&file[page * 1024 + 16..][..56]);
            set(&mut file, page, 16 + 56, &sum.to_le_bytes());
        }
        read(&file, b"key").unwrap_err().to_string()
    };
    let error = with(4, &[3]);
    assert!(
        error.contains("page 0 has version 3 of the format, of which this program reads version 2"),
        "{error}"
    );
    let error = with(8, &1000_u32.to_le_bytes());
    assert!(error.contains("page 0 has pages of 1000 bytes, where a power of two"), "{error}");
    let error = with(40, &u64::MAX.to_le_bytes());
    assert!(error.starts_with("the file is cut off: expected 18446744073709551615 pages"), "{error}");
    let error = with(40, &0_u64.to_le_bytes());
    assert_eq!(error, "page 1: expected pages below it with numbers from 2 to 0, found 2");
    let error = with(16, &7_u64.to_le_bytes());
    assert_eq!(error, "page 1: expected pages below it with numbers from 2 to 3, found 7");
    let error = with(16, &1_u64.to_le_bytes());
    assert_eq!(error, "page 1: expected pages below it with numbers from 2 to 3, found 1");
}

#[test]
fn a_file_that_is_cut_off_is_refused() {
    let file = database(1024, &[(b"key", numbered(200, 50))]);
    let pages = file.len() / 1024;
    let found = file.len() - 1;
    refused(
        &file[..found],
        &format!(
            "the file is cut off: expected {pages} pages of 1024 bytes, which are {} bytes, found {found}",
            found + 1
        ),
    );
}

#[test]
fn damaged_pages_are_named() {
    let (file, root) = with_branches();
    let last = file.len() / 1024 - 1;
    let damaged = |page: usize, offset: usize, bytes: &[u8], message: &str| {
        let mut file = file.clone();
        set(&mut file, page, offset, bytes);
        refused(&file, &format!("page {message}"));
    };
    let child = 16 + 8;
    damaged(
        root,
        child,
        &root.to_le_bytes(),
        &format!("{root}: expected every page below it once in the tree, found page {root} again"),
    );
    damaged(
        root,
        child + 16,
        &2_u64.to_le_bytes(),
        &format!("{root}: expected every page below it once in the tree, found page 2 again"),
    );
    damaged(
        root,
        child,
        &900_u64.to_le_bytes(),
        &format!("{root}: expected pages below it with numbers from 2 to {last}, found 900"),
    );
    damaged(
        root,
        child,
        &u64::MAX.to_le_bytes(),
        &format!("{root}: expected pages below it with numbers from 2 to {last}, found {}", u64::MAX),
    );
    damaged(2, 0, &[7], "2: expected its own number, found 7");
    damaged(2, 8, &[0], "2: expected a branch or a leaf, found an empty page");
    damaged(2, 8, &[16], "2: expected a branch or a leaf, found a list of free pages");
    damaged(2, 8, &[3], "2: expected a branch or a leaf, found the flags 0x0003");
    damaged(2, 10, &[0xff, 0xff], "2: expected at most 63 elements, found 65535");
    damaged(2, 12, &[0xff; 4], &format!("2: expected at most {} pages in it, found 4294967296", last - 1));
    damaged(root, 10, &[0, 0], &format!("{root}: expected a branch with children, found none"));
    let length = 16 + 12;
    damaged(
        2,
        length,
        &[0xff; 4],
        "2: element 0: expected it within the 1024 bytes of the page, found its end at 4294967539",
    );
    damaged(2, 16 + 8, &[0xff; 4], "2: element 0: expected a key of at most 32768 bytes, found 4294967295");
    damaged(
        2,
        16 + 4,
        &[0xff; 4],
        "2: element 0: expected it within the 1024 bytes of the page, found its end at 4294967365",
    );
    damaged(
        2,
        32 + 4,
        &[0],
        "2: element 1: expected its bytes after those of the element before, found them overlapping",
    );
    let key = 16 + u16::from_le_bytes([file[2 * 1024 + 20], file[2 * 1024 + 21]]) as usize;
    damaged(2, key, &[9], "2: expected keys in order, found 0x00000001 after one that is not lower");
}

#[test]
fn a_deep_chain_is_refused() {
    let mut file = vec![0; 2 * 1024];
    for page in 2..100_u64 {
        let mut branch = page.to_le_bytes().to_vec();
        branch.extend([1, 0, 1, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0]);
        branch.extend((page + 1).to_le_bytes());
        branch.resize(1024, 0);
        file.extend(branch);
    }
    set(&mut file, 0, 16, &meta(1024, 2, 100, 1));
    refused(&file, "page 66: expected a tree of at most 64 levels, found more");
}

#[test]
fn inline_buckets_are_checked() {
    let file = database(1024, &[(b"key", numbered(3, 3))]);
    // Page 2 is the leaf of buckets: header, element, name, value.
    let inline = 16 + 16 + 3 + 16;
    let damaged = |offset: usize, bytes: &[u8], message: &str| {
        let mut file = file.clone();
        set(&mut file, 2, offset, bytes);
        refused(&file, message);
    };
    damaged(inline + 8, &[1], "page 2: expected a leaf in an inline bucket, found a branch");
    damaged(inline + 10, &[9], "page 2: expected at most 4 elements, found 9");
    damaged(inline - 16, &[2], "page 2: expected every page below it once in the tree, found page 2 again");
    damaged(16 + 12, &[20], "page 2: expected an inline bucket with a header of 16 bytes, found 4");
    damaged(16 + 12, &[3], "page 2: expected a bucket of at least 16 bytes, found 3");
}

fn pairs() -> impl Strategy<Value = BTreeMap<Vec<u8>, Vec<u8>>> {
    let key = prop::collection::vec(any::<u8>(), 1..40);
    let value = prop_oneof![
        8 => prop::collection::vec(any::<u8>(), 0..60),
        1 => prop::collection::vec(any::<u8>(), 1000..9000),
    ];
    prop::collection::btree_map(key, value, 0..150)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50))]

    #[test]
    fn what_is_written_is_read(pairs in pairs(), doubled in 0..4_u32) {
        let pairs: Vec<Pair> = pairs.into_iter().collect();
        let file = database(1024 << doubled, &[(b"key", pairs.clone())]);
        prop_assert_eq!(read(&file, b"key").unwrap(), pairs);
    }

    /// Whatever bytes change behind the metas, reading ends, and with an error or with entries.
    #[test]
    fn damage_does_no_harm(
        pairs in pairs(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let pairs: Vec<Pair> = pairs.into_iter().collect();
        let mut file = database(1024, &[(b"key", pairs)]);
        for (at, byte) in changes {
            let at = 2048 + at.index(file.len() - 2048);
            file[at] = byte;
        }
        let mut database = Database::open(Cursor::new(&file)).unwrap();
        if let Ok(Some(bucket)) = database.bucket(b"key") {
            let mut entries = database.entries(&bucket);
            while let Some(Ok(entry)) = entries.next() {
                prop_assert!(entries.read(entry.value).is_ok());
            }
            prop_assert!(entries.next().is_none());
        }
    }

    /// A file of anything, and a database of which any part is missing.
    #[test]
    fn any_bytes_are_refused(
        bytes in prop::collection::vec(any::<u8>(), 0..5000),
        cut in any::<prop::sample::Index>(),
    ) {
        prop_assert!(Database::open(Cursor::new(&bytes)).is_err());
        let file = database(1024, &[(b"key", numbered(100, 30))]);
        prop_assert!(Database::open(Cursor::new(&file[..cut.index(file.len())])).is_err());
    }
}
