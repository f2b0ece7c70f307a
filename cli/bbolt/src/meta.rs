//! The two meta pages: where the newest state of the database begins.

use std::io::{Read, Seek};

use crate::error::Error;
use crate::node::HEADER;
use crate::window::{Place, Window};

/// The first number of a meta.
const MAGIC: u32 = 0xED0C_DAED;
/// The version of the format.
const VERSION: u32 = 2;
/// The bytes of a meta before its checksum.
const CHECKED: usize = 56;
/// The smallest size of a page that is read, and how often it may be doubled: to 16 MiB.
const SMALLEST: u32 = 1024;
const DOUBLED: u32 = 14;

/// What a meta page contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meta {
    /// The size of a page.
    pub page_size: u32,
    /// The root page of the bucket of all buckets.
    pub root: u64,
    /// How many pages the database has.
    pub pages: u64,
    /// The transaction that wrote it.
    pub transaction: u64,
}

/// The newest meta, and what is wrong with the other one, if anything is.
pub fn newest<R: Read + Seek>(file: &mut Window<R>) -> Result<(Meta, Option<Error>), Error> {
    let first = at(file, 0)?;
    let second = match &first {
        Ok(meta) => at(file, meta.page_size.into())?,
        // Where the second page begins is not known.
        Err(_) => {
            let mut found = Err("no meta".to_owned());
            for size in (0..=DOUBLED).map(|times| SMALLEST << times) {
                let meta = at(file, size.into())?;
                if meta.as_ref().is_ok_and(|meta| meta.page_size == size) {
                    found = meta;
                    break;
                }
            }
            found
        }
    };
    match (first, second) {
        (Ok(first), Ok(second)) if first.page_size != second.page_size => {
            let (one, two) = (first.page_size, second.page_size);
            Err(Error::page(1, format!("expected pages of {one} bytes as in page 0, found {two}")))
        }
        (Ok(first), Ok(second)) => {
            Ok((if first.transaction > second.transaction { first } else { second }, None))
        }
        (Ok(meta), Err(problem)) => Ok((meta, Some(Error::page(1, problem)))),
        (Err(problem), Ok(meta)) => Ok((meta, Some(Error::page(0, problem)))),
        (Err(first), Err(second)) => Err(match something_else(file)? {
            Some(found) => Error::NotADatabase(found),
            None => Error::Meta { first, second },
        }),
    }
}

/// The meta in the page that begins there, or what is wrong with it.
fn at<R: Read + Seek>(file: &mut Window<R>, start: u64) -> Result<Result<Meta, String>, Error> {
    let place = Place { at: start + u64::from(HEADER), length: CHECKED as u32 + 8 };
    if place.end() > file.length() {
        return Ok(Err("no meta: the file ends before".to_owned()));
    }
    Ok(Meta::parse(&file.read(place)?))
}

impl Meta {
    fn parse(bytes: &[u8]) -> Result<Self, String> {
        let short = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"));
        let long = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"));
        let (magic, version, page_size) = (short(0), short(4), short(8));
        if magic != MAGIC {
            return Err(format!("0x{magic:08x} where a meta has 0x{MAGIC:08x}"));
        }
        if version != VERSION {
            return Err(format!(
                "version {version} of the format, of which this program reads version {VERSION}"
            ));
        }
        let (checksum, sum) = (long(CHECKED), fnv(&bytes[..CHECKED]));
        if checksum != sum {
            return Err(format!("the checksum 0x{checksum:016x}, but 0x{sum:016x} is that of its bytes"));
        }
        if !page_size.is_power_of_two() || !(SMALLEST..=SMALLEST << DOUBLED).contains(&page_size) {
            let largest = SMALLEST << DOUBLED;
            return Err(format!(
                "pages of {page_size} bytes, where a power of two from {SMALLEST} to {largest} is expected"
            ));
        }
        Ok(Self { page_size, root: long(16), pages: long(40), transaction: long(48) })
    }
}

/// What a file without a meta is, where its first bytes tell.
fn something_else<R: Read + Seek>(file: &mut Window<R>) -> Result<Option<&'static str>, Error> {
    let length = file.length().min(u64::from(HEADER) + 4) as u32;
    let start = file.read(Place { at: 0, length })?;
    Ok(match &start[..] {
        [] => Some("an empty file"),
        [0x1f, 0x8b, ..] => Some("a file that gzip has compressed"),
        [b'P', b'K', 3, 4, ..] => Some("a zip file"),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Some("a file that zstd has compressed"),
        [b'{', ..] => Some("JSON"),
        [.., 0xed, 0x0c, 0xda, 0xed] if start.len() == HEADER as usize + 4 => {
            Some("one of a machine with big endian numbers, which this program does not read")
        }
        _ => None,
    })
}

/// FNV-1a with 64 bits.
fn fnv(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_fnv() {
        assert_eq!(fnv(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
