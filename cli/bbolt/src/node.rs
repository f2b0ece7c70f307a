//! Branches and leaves, and their elements.

use std::io::{Read, Seek};

use crate::error::Error;
use crate::window::{Place, Window};

/// The bytes of the header of a page, and also those of an element.
pub const HEADER: u32 = 16;
const BRANCH: u16 = 0x01;
/// The flags of a leaf.
pub const LEAF: u16 = 0x02;
/// The flag of an entry that is a bucket.
const BUCKET: u32 = 0x01;
/// The longest key that bbolt accepts.
const LONGEST_KEY: u32 = 32768;

/// A page of a tree.
pub enum Node {
    /// The pages of its children.
    Branch(Vec<u64>),
    /// Its entries.
    Leaf(Vec<Element>),
}

/// An entry of a leaf.
pub struct Element {
    pub key: Place,
    pub value: Place,
    pub is_bucket: bool,
}

/// The header of a page.
pub struct Header {
    pub number: u64,
    pub flags: u16,
    pub count: u16,
    pub overflow: u32,
}

impl Header {
    /// The header that begins there.
    pub fn read<R: Read + Seek>(file: &mut Window<R>, at: u64) -> Result<Self, Error> {
        let bytes = file.read(Place { at, length: HEADER })?;
        Ok(Self {
            number: long(&bytes, 0),
            flags: u16::from_le_bytes([bytes[8], bytes[9]]),
            count: u16::from_le_bytes([bytes[10], bytes[11]]),
            overflow: short(&bytes, 12),
        })
    }
}

impl Node {
    /// The branch or leaf with that header in the bytes from `at` to `end`. Errors name `page`.
    pub fn read<R: Read + Seek>(
        file: &mut Window<R>,
        header: &Header,
        page: u64,
        (at, end): (u64, u64),
    ) -> Result<Self, Error> {
        let (flags, count) = (header.flags, header.count);
        if flags != BRANCH && flags != LEAF {
            return Err(Error::page(page, format!("expected a branch or a leaf, found {}", kind(flags))));
        }
        let table = Place { at: at + u64::from(HEADER), length: u32::from(count) * HEADER };
        if table.end() > end {
            let room = (end - at).saturating_sub(HEADER.into()) / u64::from(HEADER);
            return Err(Error::page(page, format!("expected at most {room} elements, found {count}")));
        }
        if count == 0 && flags == BRANCH {
            return Err(Error::page(page, "expected a branch with children, found none"));
        }
        let bytes = file.read(table)?;
        let mut elements = Elements { page, table, free: table.end(), end };
        let rows = bytes.chunks_exact(HEADER as usize).enumerate();
        if flags == BRANCH {
            let child = |(index, row)| {
                elements.take(index, short(row, 0), short(row, 4), 0)?;
                Ok(long(row, 8))
            };
            return rows.map(child).collect::<Result<_, Error>>().map(Self::Branch);
        }
        let entry = |(index, row)| {
            let (key, value) = elements.take(index, short(row, 4), short(row, 8), short(row, 12))?;
            Ok(Element { key, value, is_bucket: short(row, 0) & BUCKET != 0 })
        };
        rows.map(entry).collect::<Result<_, Error>>().map(Self::Leaf)
    }
}

/// The elements of a page so far.
struct Elements {
    page: u64,
    table: Place,
    /// Where the bytes begin that no element has.
    free: u64,
    end: u64,
}

impl Elements {
    /// Where the key and the value of the next element are.
    fn take(&mut self, index: usize, position: u32, key: u32, value: u32) -> Result<(Place, Place), Error> {
        let start = self.table.at + index as u64 * u64::from(HEADER) + u64::from(position);
        let key = Place { at: start, length: key };
        let value = Place { at: key.end(), length: value };
        let problem = if key.length > LONGEST_KEY {
            format!("expected a key of at most {LONGEST_KEY} bytes, found {}", key.length)
        } else if value.end() > self.end {
            let page = self.table.at - u64::from(HEADER);
            format!(
                "expected it within the {} bytes of the page, found its end at {}",
                self.end - page,
                value.end() - page
            )
        } else if start < self.free {
            "expected its bytes after those of the element before, found them overlapping".to_owned()
        } else {
            self.free = value.end();
            return Ok((key, value));
        };
        Err(Error::page(self.page, format!("element {index}: {problem}")))
    }
}

/// What a page with those flags is.
pub fn kind(flags: u16) -> String {
    match flags {
        BRANCH => "a branch".to_owned(),
        LEAF => "a leaf".to_owned(),
        0 => "an empty page".to_owned(),
        0x04 => "a meta page".to_owned(),
        0x10 => "a list of free pages".to_owned(),
        _ => format!("the flags 0x{flags:04x}"),
    }
}

/// The four bytes at an offset, as a number.
pub fn short(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"))
}

/// The eight bytes at an offset, as a number.
pub fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"))
}
