//! Entries of a tar file, as they were read.

use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Archive, Builder, EntryType, Header};

use crate::Refusal;
use crate::bounded::{Counted, unpacked};
use crate::pax;

/// The most bytes of a header that describes the next entry, such as one for a long name.
const LARGEST_HEADER: u64 = 64 << 10;

/// The headers of an entry.
pub struct Head {
    /// Those that describe it beforehand, such as one for a long name, with their data.
    described: Vec<(Header, Vec<u8>)>,
    header: Header,
    /// Its path; bytes that are no UTF-8 are replaced.
    pub path: String,
    /// The bytes of its data.
    pub size: u64,
}

impl Head {
    /// Whether it is a folder.
    pub fn is_folder(&self) -> bool {
        self.header.entry_type() == EntryType::Directory
    }
}

/// Calls a function with each entry of a tar file in gzip, and its data.
pub fn walk(
    input: impl Read,
    each: &mut dyn FnMut(Head, &mut dyn Read) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    let mut archive = Archive::new(unpacked(input)?);
    let mut last = String::new();
    let mut described = Vec::new();
    // Headers as they are, to write them again.
    let entries = archive.entries().map_err(|error| Refusal::unreadable("", &error))?.raw(true);
    for entry in entries {
        let mut entry = entry.map_err(|error| Refusal::unreadable(&last, &error))?;
        let header = entry.header().clone();
        let size = entry.size();
        if matches!(header.entry_type(), EntryType::XHeader | EntryType::GNULongName) {
            let name = lossy(&header.path_bytes());
            if size > LARGEST_HEADER {
                let message =
                    format!("expected a header of at most {LARGEST_HEADER} bytes, found one of {size}");
                return Err(Refusal::of(&name, message, NO_BACKUP));
            }
            let mut data = Vec::new();
            entry.read_to_end(&mut data).map_err(|error| Refusal::unreadable(&name, &error))?;
            if data.len() as u64 != size {
                return Err(Refusal::truncated(&name));
            }
            described.push((header, data));
            continue;
        }
        let path = path(&described, &header)?;
        last = lossy(&path);
        check(&path, &last, header.entry_type())?;
        let described = std::mem::take(&mut described);
        let head = Head { described, header, path: last.clone(), size };
        let mut data = Counted { inner: entry, bytes: 0 };
        each(head, &mut data)?;
        let rest = io::copy(&mut data, &mut io::sink());
        rest.map_err(|error| Refusal::unreadable(&last, &error))?;
        if data.bytes != size {
            return Err(Refusal::truncated(&last));
        }
    }
    if !described.is_empty() {
        return Err(Refusal::truncated(&last));
    }
    // The end of the gzip, with its checksum.
    let rest = io::copy(&mut archive.into_inner(), &mut io::sink());
    rest.map(drop).map_err(|error| Refusal::unreadable(&last, &error))
}

/// How to fix a file that Velero did not write.
const NO_BACKUP: &str = "Velero writes no such entry: find out who made the file, or unpack it and pack metadata/ and resources/ anew";

/// The path of an entry: what the headers before it name, or else its own.
fn path(described: &[(Header, Vec<u8>)], header: &Header) -> Result<Vec<u8>, Refusal> {
    let mut path = header.path_bytes().into_owned();
    for (header, data) in described {
        if header.entry_type() == EntryType::GNULongName {
            path = data.strip_suffix(&[0]).unwrap_or(data).to_vec();
            continue;
        }
        let name = lossy(&path);
        for (key, value) in pax::records(data).map_err(|message| Refusal::of(&name, message, NO_BACKUP))? {
            match key {
                "path" => path = value.to_vec(),
                "size" => return Err(Refusal::of(&name, "an entry of 8 GiB or more", NO_BACKUP)),
                _ if key.starts_with("GNU.sparse.") => {
                    return Err(Refusal::of(&name, "a file with gaps", NO_BACKUP));
                }
                _ => {}
            }
        }
    }
    Ok(path)
}

/// Refuses what could do harm where the backup is unpacked.
fn check(path: &[u8], name: &str, of: EntryType) -> Result<(), Refusal> {
    let refuse = |message: String| Err(Refusal::of(name, message, NO_BACKUP));
    let is_absolute = path.first() == Some(&b'/');
    if path.is_empty()
        || path.contains(&0)
        || is_absolute
        || path.split(|byte| *byte == b'/').any(|part| part == b"..")
    {
        return refuse("expected a path within the backup, found one that leads out of it".to_owned());
    }
    match of {
        EntryType::Regular | EntryType::Directory => Ok(()),
        EntryType::Symlink | EntryType::Link => {
            refuse("expected files and folders only, found a link".to_owned())
        }
        other => refuse(format!(
            "expected files and folders only, found an entry of type {:?}",
            char::from(other.as_byte())
        )),
    }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Writes a tar file in gzip.
pub struct Writer<W: Write>(Builder<GzEncoder<W>>);

impl<W: Write> Writer<W> {
    /// Into a file.
    pub fn new(file: W) -> Self {
        Self(Builder::new(GzEncoder::new(file, Compression::default())))
    }

    /// An entry as it was, byte for byte.
    pub fn copy(&mut self, head: &Head, data: impl Read) -> io::Result<()> {
        for (header, data) in &head.described {
            self.0.append(header, data.as_slice())?;
        }
        self.0.append(&head.header, data)
    }

    /// An entry at a path with other data; its mode, owner and time stay.
    pub fn put(&mut self, head: &Head, path: &str, data: &[u8]) -> io::Result<()> {
        let mut header = head.header.clone();
        header.set_size(data.len() as u64);
        let mut records = Vec::new();
        for (header, data) in &head.described {
            if header.entry_type() == EntryType::XHeader {
                records
                    .extend(pax::records(data).map_err(io::Error::other)?.filter(|(key, _)| *key != "path"));
            }
        }
        if !set_name(&mut header, path.as_bytes()) {
            records.push(("path", path.as_bytes()));
        }
        if !records.is_empty() {
            self.describe(&records)?;
        }
        header.set_cksum();
        self.0.append(&header, data)
    }

    /// A header with records for the next entry.
    fn describe(&mut self, records: &[(&str, &[u8])]) -> io::Result<()> {
        let data = pax::write(records);
        let mut header = Header::new_ustar();
        set_name(&mut header, b"PaxHeaders.0/entry");
        header.set_entry_type(EntryType::XHeader);
        header.set_size(data.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        self.0.append(&header, data.as_slice())
    }

    /// The end of the tar file, and of the gzip.
    pub fn finish(self) -> io::Result<W> {
        self.0.into_inner()?.finish()
    }
}

/// Sets the path in a header, if there is room for it; else what is left of its last part, for readers that know no
/// longer ones.
fn set_name(header: &mut Header, path: &[u8]) -> bool {
    let slashes = (0..path.len()).filter(|at| path[*at] == b'/');
    let split = match header.as_ustar_mut() {
        Some(ustar) => {
            ustar.prefix = [0; 155];
            slashes.rev().find(|at| *at <= ustar.prefix.len() && *at > 0)
        }
        None => None,
    };
    let name = &mut header.as_old_mut().name;
    let longest = name.len();
    let mut fill = |part: &[u8]| {
        *name = [0; 100];
        name[..part.len()].copy_from_slice(part);
    };
    match split {
        _ if path.len() <= longest => fill(path),
        Some(at) if (1..=longest).contains(&(path.len() - at - 1)) => {
            fill(&path[at + 1..]);
            if let Some(ustar) = header.as_ustar_mut() {
                ustar.prefix[..at].copy_from_slice(&path[..at]);
            }
        }
        _ => {
            let last = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
            fill(&last[..last.len().min(longest)]);
            return false;
        }
    }
    true
}
