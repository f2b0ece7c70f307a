//! Makes and reads backups.
#![allow(dead_code, reason = "not every test needs all of it")]

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use hubgen_velero::{Convert, Outcome, Place, Refusal, rewrite};
use tar::{Archive, Builder, EntryType, Header};

/// An entry: its path, its mode, owner and time, and its data; a folder where it has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub path: String,
    pub mode: u32,
    pub owner: u64,
    pub time: u64,
    pub data: Option<Vec<u8>>,
}

impl Entry {
    pub fn file(path: &str, data: impl Into<Vec<u8>>) -> Self {
        Self { path: path.to_owned(), mode: 0o755, owner: 0, time: 1_700_000_000, data: Some(data.into()) }
    }

    pub fn folder(path: &str) -> Self {
        Self { data: None, ..Self::file(path, "") }
    }

    /// The headers and the data.
    pub fn append<W: Write>(&self, tar: &mut Builder<W>) {
        let mut header = self.header();
        let data = self.data.as_deref().unwrap_or_default();
        let path = self.path.as_bytes();
        if path.len() > 100 {
            return tar.append_data(&mut header, &self.path, data).unwrap();
        }
        // As it is, also if it begins with `./`.
        header.as_old_mut().name[..path.len()].copy_from_slice(path);
        header.set_cksum();
        tar.append(&header, data).unwrap();
    }

    pub fn header(&self) -> Header {
        let mut header = Header::new_gnu();
        header.set_entry_type(if self.data.is_some() { EntryType::Regular } else { EntryType::Directory });
        header.set_mode(self.mode);
        header.set_uid(self.owner);
        header.set_gid(self.owner);
        header.set_mtime(self.time);
        header.set_size(self.data.as_ref().map_or(0, Vec::len) as u64);
        header
    }
}

/// The file that a backup of every format has.
pub fn version() -> Entry {
    Entry::file("metadata/version", "1.1.0\n")
}

/// A tar file.
pub fn tar(entries: &[Entry]) -> Vec<u8> {
    let mut tar = Builder::new(Vec::new());
    entries.iter().for_each(|entry| entry.append(&mut tar));
    tar.into_inner().unwrap()
}

pub fn gzip(data: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    out.write_all(data).unwrap();
    out.finish().unwrap()
}

pub fn gunzip(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    MultiGzDecoder::new(data).read_to_end(&mut out).unwrap();
    out
}

/// The entries of a tar file.
pub fn entries(tar: &[u8]) -> Vec<Entry> {
    let mut archive = Archive::new(tar);
    let entries = archive.entries().unwrap().map(|entry| {
        let mut entry = entry.unwrap();
        let mut data = Vec::new();
        entry.read_to_end(&mut data).unwrap();
        let header = entry.header();
        Entry {
            path: String::from_utf8(entry.path_bytes().into_owned()).unwrap(),
            mode: header.mode().unwrap(),
            owner: header.uid().unwrap(),
            time: header.mtime().unwrap(),
            data: header.entry_type().is_file().then_some(data),
        }
    });
    entries.collect()
}

/// Objects are their own group version, `new.example.com/v1beta1`. Those of old.example.com, and those at v1beta1 and v1beta2, go
/// to new.example.com/v1. What contains `broken` fails. Keeps what it hears.
#[derive(Default)]
pub struct ToV1 {
    pub left_out: Vec<(String, String)>,
    pub too_large: Vec<(String, u64)>,
}

impl Convert for ToV1 {
    fn object(&mut self, _: &str, place: &Place, text: &[u8]) -> Outcome {
        let text = String::from_utf8_lossy(text);
        if text.contains("broken") {
            return Outcome::Fail;
        }
        let (group, version) = text.split_once('/').unwrap_or(("", &text));
        if group == "new.example.com" && version.starts_with("v1\n") {
            return Outcome::Keep;
        }
        if !["old.example.com", "new.example.com"].contains(&group) {
            return Outcome::Keep;
        }
        let resource = format!("{}.new.example.com", place.plural());
        let text = format!("new.example.com/v1\nfrom {text}").into_bytes();
        Outcome::New { resource, version: "v1".to_owned(), text }
    }

    fn too_large(&mut self, entry: &str, bytes: u64) {
        self.too_large.push((entry.to_owned(), bytes));
    }

    fn left_out(&mut self, entry: &str, kept: &str) {
        self.left_out.push((entry.to_owned(), kept.to_owned()));
    }
}

/// What becomes of a file, unpacked, and what is heard.
pub fn rewritten(file: impl Read) -> Result<(Vec<u8>, ToV1), Refusal> {
    let folder = tempfile::tempdir().unwrap();
    let mut heard = ToV1::default();
    let new = rewrite(file, folder.path(), &mut heard);
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, usize::from(new.is_ok()), "files are left");
    let new = std::fs::read(new?.path()).unwrap();
    Ok((gunzip(&new), heard))
}

/// What becomes of a backup with these entries.
pub fn converted(all: &[Entry]) -> (Vec<Entry>, ToV1) {
    let (new, heard) = rewritten(gzip(&tar(all)).as_slice()).unwrap();
    (entries(&new), heard)
}
