//! Databases of bbolt: the input is the file, or its pages.

use std::io::Cursor;

use hubgen_bbolt::{Database, Error};

use crate::memory;

/// Bytes of memory per byte of a file: the elements of a page as they are kept, whose memory may have grown
/// to twice the size that it needs, and the bytes of a key.
const MEMORY: u64 = 16;

/// The size of the pages that are made of an input, the smallest that is read.
const PAGE: usize = 1024;

/// How many pages are made of an input.
const MOST: usize = 64;

pub fn check(data: &[u8]) {
    read(data);
    read(&pages(data));
}

/// A database with the input in its pages: the first byte is the root page, and the second has flags. Each
/// page is a length and so many bytes, which begin behind its number.
fn pages(data: &[u8]) -> Vec<u8> {
    let [root, flags, rest @ ..] = data else { return Vec::new() };
    let mut file = vec![0; 2 * PAGE];
    let mut rest = rest;
    while let [length, bytes @ ..] = rest
        && file.len() < MOST * PAGE
    {
        let (page, left) = bytes.split_at(bytes.len().min((*length).into()));
        // Mutations of the number would find nothing but that it is wrong.
        let number = (file.len() / PAGE) as u64 + u64::from(flags & 1);
        file.extend(number.to_le_bytes());
        file.extend(page);
        file.resize(file.len().next_multiple_of(PAGE), 0);
        rest = left;
    }
    let pages = (file.len() / PAGE) as u64;
    for (number, start) in [0, PAGE].into_iter().enumerate() {
        // Each of the two can be the newer one.
        let transaction = u64::from(flags >> 1 & 1) ^ number as u64;
        let mut meta = Vec::new();
        for word in [0xED0C_DAED_u32, 2, PAGE as u32, 0] {
            meta.extend(word.to_le_bytes());
        }
        for word in [u64::from(*root), 0, u64::MAX, pages, transaction] {
            meta.extend(word.to_le_bytes());
        }
        let sum = meta.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
        meta.extend(sum.to_le_bytes());
        file[start + 16..][..meta.len()].copy_from_slice(&meta);
    }
    file
}

/// Reads everything in a database, and in the buckets that are in it.
fn read(file: &[u8]) {
    let opened = memory::bounded(file.len(), MEMORY, || Database::open(Cursor::new(file)));
    let mut database = match opened {
        Ok(database) => database,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    assert!(database.pages() * u64::from(database.page_size()) <= file.len() as u64);
    let root = database.root();
    let mut buckets = Vec::new();
    let walked = memory::bounded(file.len(), MEMORY, || {
        walk(&mut database, &root, file, &mut |key, is_bucket| {
            if is_bucket && buckets.len() < 4 {
                buckets.push(key.to_vec());
            }
        })
    });
    for name in buckets {
        match database.bucket(&name) {
            Ok(Some(bucket)) => {
                let _ = memory::bounded(file.len(), MEMORY, || {
                    walk(&mut database, &bucket, file, &mut |_, _| {})
                });
            }
            Ok(None) => panic!("the bucket {name:02x?} was found before"),
            Err(error) => assert!(walked.is_err() || matches!(error, Error::Page { .. }), "{error}"),
        }
    }
}

/// Walks over a bucket: its keys are in order, no two entries have the same bytes, and each is in the file.
fn walk(
    database: &mut Database<Cursor<&[u8]>>,
    bucket: &hubgen_bbolt::Bucket,
    file: &[u8],
    each: &mut dyn FnMut(&[u8], bool),
) -> Result<(), Error> {
    let mut entries = database.entries(bucket);
    let (mut bytes, mut count, mut last) = (0, 0, None);
    while let Some(entry) = entries.next() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                assert!(entries.next().is_none(), "entries end after an error");
                return Err(error);
            }
        };
        let value = entries.read(entry.value)?;
        let at = entry.value.at as usize;
        assert_eq!(value, file[at..at + value.len()]);
        bytes += entry.key.len() + value.len();
        count += 1;
        each(&entry.key, entry.is_bucket);
        assert!(last.is_none_or(|last| last < entry.key), "keys are in order");
        last = Some(entry.key);
    }
    assert!(bytes + 16 * count <= file.len(), "{count} entries with {bytes} bytes in {} bytes", file.len());
    Ok(())
}
