//! The buckets of a database.

use std::io::{Read, Seek};

use crate::database::{Bucket, Database, Root};
use crate::entries::Entries;
use crate::error::Error;
use crate::node::{HEADER, long};
use crate::window::Place;

impl<R: Read + Seek> Database<R> {
    /// The bucket of that name among those that are in no other bucket.
    ///
    /// # Errors
    /// When the pages until there are damaged.
    pub fn bucket(&mut self, name: &[u8]) -> Result<Option<Bucket>, Error> {
        let root = self.root();
        let mut entries = self.entries(&root);
        while let Some(entry) = entries.next().transpose()? {
            if entry.key == name && entry.is_bucket {
                return self.inside(entry.value, entry.page).map(Some);
            }
        }
        Ok(None)
    }

    /// The names of the buckets that are in no other bucket, at most so many.
    ///
    /// # Errors
    /// When the pages until there are damaged.
    pub fn names(&mut self, most: usize) -> Result<Vec<Vec<u8>>, Error> {
        let root = self.root();
        let buckets =
            self.entries(&root).filter(|entry| entry.as_ref().map_or(true, |entry| entry.is_bucket));
        buckets.take(most).map(|entry| entry.map(|entry| entry.key)).collect()
    }

    /// The entries of a bucket, in the order of their keys.
    pub fn entries(&mut self, bucket: &Bucket) -> Entries<'_, R> {
        Entries::new(self, bucket)
    }

    /// The bucket that is the value of an entry.
    fn inside(&mut self, value: Place, page: u64) -> Result<Bucket, Error> {
        if value.length < HEADER {
            let problem = format!("expected a bucket of at least {HEADER} bytes, found {}", value.length);
            return Err(Error::page(page, problem));
        }
        let head = self.read(Place { length: HEADER, ..value })?;
        Ok(Bucket(match long(&head, 0) {
            0 => {
                let leaf = Place { at: value.at + u64::from(HEADER), length: value.length - HEADER };
                Root::Inline { leaf, page }
            }
            root => Root::Page { page: root, parent: page },
        }))
    }
}
