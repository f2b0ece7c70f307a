//! Files of which nothing is written.

mod common;

use std::io::{self, Read};

use common::{Entry, gzip, rewritten, tar, version};
use tar::{Builder, EntryType, Header};

/// Why a file is refused: the entry, and the message.
fn refusal(file: impl Read) -> (String, String) {
    let Err(refusal) = rewritten(file) else { panic!("it is not refused") };
    (refusal.entry, refusal.message)
}

/// A backup with one more entry of a type, whose path is not checked, at its beginning.
fn with(path: &[u8], of: EntryType, size: u64) -> Vec<u8> {
    let mut header = Header::new_ustar();
    header.as_old_mut().name[..path.len()].copy_from_slice(path);
    header.set_entry_type(of);
    header.set_size(size);
    header.set_cksum();
    let mut tar = Builder::new(Vec::new());
    tar.append(&header, io::repeat(b' ').take(size)).unwrap();
    version().append(&mut tar);
    gzip(&tar.into_inner().unwrap())
}

#[test]
fn what_leads_out_of_the_backup() {
    for path in ["../a", "/etc/passwd", "resources/../../a", "resources/pods/cluster/..", ".."] {
        let (entry, message) = refusal(with(path.as_bytes(), EntryType::Regular, 1).as_slice());
        assert_eq!(entry, path);
        assert!(message.contains("leads out of it"), "{message}");
    }
    assert_eq!(refusal(with(b"", EntryType::Regular, 0).as_slice()).0, "");
}

#[test]
fn what_is_neither_a_file_nor_a_folder() {
    for (of, expected) in [
        (EntryType::Symlink, "found a link"),
        (EntryType::Link, "found a link"),
        (EntryType::Fifo, "type '6'"),
        (EntryType::Char, "type '3'"),
        (EntryType::GNUSparse, "type 'S'"),
        (EntryType::XGlobalHeader, "type 'g'"),
    ] {
        let (entry, message) = refusal(with(b"resources/a", of, 0).as_slice());
        assert_eq!(entry, "resources/a");
        assert!(message.ends_with(expected), "{message}");
    }
}

#[test]
fn headers_that_mislead() {
    let (_, message) = refusal(with(b"x", EntryType::XHeader, 70_000).as_slice());
    assert!(message.contains("at most 65536 bytes, found one of 70000"), "{message}");
    for (key, value, expected) in [
        ("size", "1", "8 GiB"),
        ("GNU.sparse.major", "1", "gaps"),
        ("path", "../a", "leads out"),
        ("path", "a\0b", "leads out"),
    ] {
        let mut tar = Builder::new(Vec::new());
        tar.append_pax_extensions([(key, value.as_bytes())]).unwrap();
        version().append(&mut tar);
        let (_, message) = refusal(gzip(&tar.into_inner().unwrap()).as_slice());
        assert!(message.contains(expected), "{key}: {message}");
    }
    let (_, message) = refusal(with(b"x", EntryType::XHeader, 5).as_slice());
    assert!(message.contains("records of a pax header"), "{message}");
}

#[test]
fn files_that_end_too_early() {
    let all = [version(), Entry::file("resources/pods/cluster/a.json", vec![b'x'; 2000])];
    let tar = tar(&all);
    let whole = gzip(&tar);
    for length in 2..whole.len() {
        let (_, message) = refusal(&whole[..length]);
        assert!(message.contains("too early"), "{length}: {message}");
    }
    // The tar file within a gzip that is whole.
    for length in [1024 + 10, 1024 + 512, 1024 + 512 + 1999] {
        let (entry, message) = refusal(gzip(&tar[..length]).as_slice());
        let last = if length < 1024 + 512 { 0 } else { 1 };
        assert_eq!(entry, all[last].path, "{length}: {message}");
        assert!(message.contains("too early") || message.contains("entire block"), "{length}: {message}");
    }
}

#[test]
fn files_that_are_damaged() {
    let mut file = gzip(&tar(&[version(), Entry::file("resources/pods/cluster/a.json", vec![b'x'; 2000])]));
    let checksum = file.len() - 8;
    file[checksum] ^= 1;
    let (entry, message) = refusal(file.as_slice());
    assert_eq!(entry, "resources/pods/cluster/a.json");
    assert!(message.contains("checksum"), "{message}");
}

#[test]
fn files_that_are_something_else() {
    for (file, expected) in [
        (Vec::new(), "found an empty file"),
        (tar(&[version()]), "found the bytes [6d, 65]"),
        (b"{}".to_vec(), "found the bytes [7b, 7d]"),
        (gzip(b"{\"a\": 1}"), "expected a tar file in gzip: "),
        (gzip(&[b'x'; 2000]), "expected a tar file in gzip: "),
        (
            gzip(&tar(&[Entry::file("readme", "text")])),
            "found neither metadata/version nor an object in resources/",
        ),
        (gzip(&[]), "found neither"),
        (
            gzip(&tar(&[Entry::file("metadata/version", "2.0.0\n")])),
            "expected a backup of format 1, found \"2.0.0\"",
        ),
        (
            gzip(&tar(&[Entry::file("metadata/version", "10\n")])),
            "expected a backup of format 1, found \"10\"",
        ),
        (gzip(&tar(&[Entry::file("metadata/version", vec![b'1'; 100])])), "found 100 bytes"),
    ] {
        let (_, message) = refusal(file.as_slice());
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn files_that_grow_without_end() {
    // Zeros after the end of the tar file, where nothing else looks at them.
    let zeros = {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        io::copy(&mut io::repeat(0).take(1 << 20), &mut out).unwrap();
        out.finish().unwrap()
    };
    let file = [gzip(&tar(&[version()])), zeros.repeat(48)].concat();
    let (entry, message) = refusal(file.as_slice());
    assert_eq!(entry, "metadata/version");
    assert!(message.contains("500 times larger"), "{message}");
}

#[test]
fn input_that_cannot_be_read() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("no more"))
        }
    }
    let (_, message) = refusal(Broken);
    assert_eq!(message, "cannot be read: no more");
    let file = gzip(&tar(&[version(), Entry::file("resources/pods/cluster/a.json", "x")]));
    let (_, message) = refusal(file[..40].chain(Broken));
    assert!(message.contains("no more"), "{message}");
}
