//! A database, and its pages.

use std::io::{Read, Seek};

use crate::error::Error;
use crate::meta::{self, Meta};
use crate::node::{HEADER, Header, LEAF, Node, kind};
use crate::window::{Place, Window};

/// A database that is read.
pub struct Database<R> {
    file: Window<R>,
    meta: Meta,
    damage: Option<Error>,
}

/// A bucket of a database.
#[derive(Clone, Debug)]
pub struct Bucket(pub(crate) Root);

/// Where the tree of a bucket begins.
#[derive(Clone, Debug)]
pub(crate) enum Root {
    /// At that page, which `parent` names.
    Page { page: u64, parent: u64 },
    /// It is a leaf inside of that page.
    Inline { leaf: Place, page: u64 },
}

impl<R: Read + Seek> Database<R> {
    /// Opens a database.
    ///
    /// # Errors
    /// When it is no bbolt database, when both of its meta pages are damaged, or when the file is shorter
    /// than the database.
    pub fn open(input: R) -> Result<Self, Error> {
        let mut file = Window::new(input, 4096)?;
        let (meta, damage) = meta::newest(&mut file)?;
        let (pages, page_size, found) = (meta.pages, meta.page_size, file.length());
        if pages.checked_mul(page_size.into()).is_none_or(|expected| expected > found) {
            return Err(Error::CutOff { pages, page_size, found });
        }
        file.resize(page_size as usize);
        Ok(Self { file, meta, damage })
    }

    /// The size of its pages.
    pub fn page_size(&self) -> u32 {
        self.meta.page_size
    }

    /// How many pages it has. The file may be longer.
    pub fn pages(&self) -> u64 {
        self.meta.pages
    }

    /// The transaction that wrote what is read.
    pub fn transaction(&self) -> u64 {
        self.meta.transaction
    }

    /// What is wrong with one of the two meta pages. The other one is read then, which may be of the
    /// transaction before.
    pub fn damage(&self) -> Option<&Error> {
        self.damage.as_ref()
    }

    /// The bucket of all buckets.
    pub fn root(&self) -> Bucket {
        Bucket(Root::Page { page: self.meta.root, parent: self.meta.transaction % 2 })
    }

    /// The bytes of a key or a value.
    ///
    /// # Errors
    /// When the file cannot be read, or has no such place.
    pub fn read(&mut self, place: Place) -> Result<Vec<u8>, Error> {
        Ok(self.file.read(place)?)
    }

    /// Checks that a page that `parent` names can be one of a tree.
    pub(crate) fn check(&self, page: u64, parent: u64) -> Result<(), Error> {
        let pages = self.meta.pages;
        if (2..pages).contains(&page) {
            return Ok(());
        }
        let problem = format!(
            "expected pages below it with numbers from 2 to {}, found {page}",
            pages.saturating_sub(1)
        );
        Err(Error::page(parent, problem))
    }

    /// The branch or leaf in a page, of which [`check`](Self::check) has found that it can be one.
    pub(crate) fn node(&mut self, page: u64) -> Result<Node, Error> {
        let (size, pages) = (u64::from(self.meta.page_size), self.meta.pages);
        let at = page * size;
        let header = Header::read(&mut self.file, at)?;
        if header.number != page {
            return Err(Error::page(page, format!("expected its own number, found {}", header.number)));
        }
        let length = u64::from(header.overflow) + 1;
        if length > pages - page {
            let problem = format!("expected at most {} pages in it, found {length}", pages - page);
            return Err(Error::page(page, problem));
        }
        Node::read(&mut self.file, &header, page, (at, at + length * size))
    }

    /// The leaf of an inline bucket.
    pub(crate) fn inline(&mut self, leaf: Place, page: u64) -> Result<Node, Error> {
        if leaf.length < HEADER {
            let problem =
                format!("expected an inline bucket with a header of {HEADER} bytes, found {}", leaf.length);
            return Err(Error::page(page, problem));
        }
        let header = Header::read(&mut self.file, leaf.at)?;
        if header.flags != LEAF {
            let found = kind(header.flags);
            return Err(Error::page(page, format!("expected a leaf in an inline bucket, found {found}")));
        }
        Node::read(&mut self.file, &header, page, (leaf.at, leaf.end()))
    }
}
