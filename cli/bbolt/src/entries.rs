//! The entries of a bucket.

use std::io::{Read, Seek};
use std::vec;

use crate::database::{Bucket, Database, Root};
use crate::error::Error;
use crate::node::{Element, Node};
use crate::seen::Seen;
use crate::window::Place;

/// No tree is deeper: a page has at least two children.
const DEEPEST: usize = 64;

/// An entry of a bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its key.
    pub key: Vec<u8>,
    /// Where its value is.
    pub value: Place,
    /// Whether it is a bucket.
    pub is_bucket: bool,
    /// The page that contains it.
    pub page: u64,
}

/// The entries of a bucket, in the order of their keys. They end after an error.
pub struct Entries<'d, R> {
    database: &'d mut Database<R>,
    /// The root, until it is read.
    start: Option<Root>,
    /// What is left of the pages from the root down.
    levels: Vec<Level>,
    seen: Seen,
    last: Option<Vec<u8>>,
}

struct Level {
    page: u64,
    rest: Rest,
}

enum Rest {
    Children(vec::IntoIter<u64>),
    Elements(vec::IntoIter<Element>),
}

impl<'d, R: Read + Seek> Entries<'d, R> {
    pub(crate) fn new(database: &'d mut Database<R>, bucket: &Bucket) -> Self {
        // The meta pages are among them, however few there are.
        let seen = Seen::none(database.pages().max(2));
        Self { database, start: Some(bucket.0.clone()), levels: Vec::new(), seen, last: None }
    }

    /// The bytes of a key or a value.
    ///
    /// # Errors
    /// As [`Database::read`].
    pub fn read(&mut self, place: Place) -> Result<Vec<u8>, Error> {
        self.database.read(place)
    }

    /// Goes down to a page that `parent` names.
    fn enter(&mut self, page: u64, parent: u64) -> Result<(), Error> {
        self.database.check(page, parent)?;
        if !self.seen.add(page) {
            let problem = format!("expected every page below it once in the tree, found page {page} again");
            return Err(Error::page(parent, problem));
        }
        if self.levels.len() == DEEPEST {
            return Err(Error::page(
                page,
                format!("expected a tree of at most {DEEPEST} levels, found more"),
            ));
        }
        let node = self.database.node(page)?;
        self.push(page, node);
        Ok(())
    }

    fn push(&mut self, page: u64, node: Node) {
        let rest = match node {
            Node::Branch(children) => Rest::Children(children.into_iter()),
            Node::Leaf(elements) => Rest::Elements(elements.into_iter()),
        };
        self.levels.push(Level { page, rest });
    }

    fn step(&mut self) -> Result<Option<Entry>, Error> {
        match self.start.take() {
            Some(Root::Page { page, parent }) => {
                self.seen.add(parent);
                self.enter(page, parent)?;
            }
            Some(Root::Inline { leaf, page }) => {
                let node = self.database.inline(leaf, page)?;
                self.push(page, node);
            }
            None => {}
        }
        while let Some(Level { page, rest }) = self.levels.last_mut() {
            let page = *page;
            match rest {
                Rest::Children(children) => {
                    if let Some(child) = children.next() {
                        self.enter(child, page)?;
                        continue;
                    }
                }
                Rest::Elements(elements) => {
                    if let Some(element) = elements.next() {
                        return self.entry(page, &element).map(Some);
                    }
                }
            }
            self.levels.pop();
        }
        Ok(None)
    }

    fn entry(&mut self, page: u64, element: &Element) -> Result<Entry, Error> {
        let Element { key, value, is_bucket } = *element;
        let key = self.database.read(key)?;
        if self.last.as_ref().is_some_and(|last| *last >= key) {
            let problem =
                format!("expected keys in order, found {} after one that is not lower", shown(&key));
            return Err(Error::page(page, problem));
        }
        self.last = Some(key.clone());
        Ok(Entry { key, value, is_bucket, page })
    }
}

impl<R: Read + Seek> Iterator for Entries<'_, R> {
    type Item = Result<Entry, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let step = self.step();
        if step.is_err() {
            self.levels.clear();
        }
        step.transpose()
    }
}

/// The first bytes of a key, in hexadecimal digits.
fn shown(key: &[u8]) -> String {
    const MOST: usize = 24;
    let digits: String = key.iter().take(MOST).map(|byte| format!("{byte:02x}")).collect();
    format!("0x{digits}{}", if key.len() > MOST { "…" } else { "" })
}
