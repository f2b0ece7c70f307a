//! Reads bbolt databases, the files of etcd.
//!
//! A [`Database`] is read through anything that can be read and sought. Its [`Bucket`]s have [`Entries`] in
//! the order of their keys:
//!
//! ```no_run
//! use std::fs::File;
//!
//! use hubgen_bbolt::Database;
//!
//! # fn main() -> Result<(), hubgen_bbolt::Error> {
//! let mut database = Database::open(File::open("member/snap/db")?)?;
//! let Some(bucket) = database.bucket(b"key")? else { return Ok(()) };
//! let mut entries = database.entries(&bucket);
//! while let Some(entry) = entries.next().transpose()? {
//!     println!("{:02x?}: {} bytes", entry.key, entries.read(entry.value)?.len());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! The file is not mapped into memory, not locked and not written. At any time, the tables of the pages from
//! the root to one leaf are in memory, a bit for each page, and what the caller keeps.
//!
//! # The format
//!
//! This is version 2 of the format, which bbolt and the boltdb before it write since 2014. All numbers are in
//! the byte order of the machine that wrote the file; this crate reads little endian, and refuses big endian
//! with an error that tells so.
//!
//! **Pages.** The file is a sequence of pages of one size, which is the page size of the machine that made
//! the file, usually 4096 bytes. A page begins with a header:
//!
//! | offset | bytes | |
//! | --- | --- | --- |
//! | 0 | 8 | its number: that of the first page is 0 |
//! | 8 | 2 | what it is: branch 0x01, leaf 0x02, meta 0x04, list of free pages 0x10 |
//! | 10 | 2 | how many elements it has |
//! | 12 | 4 | overflow: how many of the pages after it are part of it |
//!
//! **Meta pages.** Pages 0 and 1 each contain a meta, after the header. Transactions write them in turns, so
//! that one of them is whole if the machine stops while it writes the other. The valid one with the higher
//! transaction counts.
//!
//! | offset in the meta | bytes | |
//! | --- | --- | --- |
//! | 0 | 4 | 0xED0CDAED |
//! | 4 | 4 | 2, the version of the format |
//! | 8 | 4 | the size of a page |
//! | 12 | 4 | flags, not used |
//! | 16 | 16 | the bucket of all buckets: its root page, its sequence |
//! | 32 | 8 | the page with the list of free pages, which readers do not need |
//! | 40 | 8 | how many pages the database has; the file may be longer |
//! | 48 | 8 | the transaction |
//! | 56 | 8 | FNV-1a, 64 bits, of the 56 bytes before |
//!
//! **Trees.** A bucket is a B+ tree. After the header, a branch has 16 bytes for each child, sorted by key:
//! where its key begins (4 bytes, counted from the start of the element), the length of the key (4), and the
//! page of the child (8). The keys are not lower than those before, and are only needed to find a key without
//! reading all of them. A leaf has 16 bytes for each entry: flags (4), where its key begins (4), the length
//! of the key (4), and that of the value (4), which begins where the key ends. Keys and values are after the
//! elements, in the same order.
//!
//! **Buckets.** An entry whose flags have the bit 0x01 is a bucket. Its value begins with the number of its
//! root page (8) and a sequence (8). If the root page is 0, the bucket is inline: the rest of the value is a
//! leaf, with its header.
//!
//! # What is not trusted
//!
//! Each of these is an [`Error`] that names the page: a page outside of the database or the file, a page that
//! is reached twice (as in a circle), a page with another number or of another kind, a table or an element
//! that is not within its page, elements that overlap, keys that are not in order, and a tree deeper than
//! bbolt makes any. So the work and the memory that a file takes are bounded by its length.

mod buckets;
mod database;
mod entries;
mod error;
mod meta;
mod node;
mod seen;
mod window;

pub use self::database::{Bucket, Database};
pub use self::entries::{Entries, Entry};
pub use self::error::Error;
pub use self::window::Place;
