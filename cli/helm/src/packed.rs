//! How Helm packs a release: gzip, then base64.
//!
//! The rule is that of `encodeRelease` and `decodeRelease` in Helm's storage drivers, which Helm 3 and 4 share.

use std::io::{Read, Write};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;

use crate::mistake::{DAMAGED, Mistake};

/// The most bytes of JSON that a release may have. Charts have at most 100 MiB in Helm, and the object that carries a
/// release at most 1 MiB, which a thousandfold can come out of.
pub const MOST_OPENED: usize = 128 * 1024 * 1024;

/// What gzip begins with, as Helm looks for it.
const MAGIC: [u8; 3] = [0x1f, 0x8b, 0x08];

/// The bytes that a text in base64 has. Line breaks and blanks around it do not count.
pub fn unbased(text: &str, whose: &str) -> Result<Vec<u8>, Mistake> {
    let text: String = text.split_ascii_whitespace().collect();
    BASE64_STANDARD.decode(text).map_err(|error| {
        let message = format!(
            "expected {whose} base64, found other text ({})",
            error.to_string().trim_end_matches('.')
        );
        Mistake::new(message, DAMAGED)
    })
}

/// The text in base64 of bytes.
pub fn based(bytes: impl AsRef<[u8]>) -> String {
    BASE64_STANDARD.encode(bytes)
}

/// The JSON of a packed release, and whether it was compressed: the first versions of Helm did not do it.
pub fn unpacked(text: &str, most: usize) -> Result<(String, bool), Mistake> {
    let bytes = unbased(text, "Helm's")?;
    let is_compressed = bytes.starts_with(&MAGIC);
    let json = if is_compressed { decompressed(&bytes, most)? } else { bytes };
    // A release of Helm 2 is protobuf, which begins with a field's tag.
    if !json.trim_ascii_start().starts_with(b"{") {
        let help = "releases of Helm 2 are protobuf: make them releases of Helm 3 first, with its plugin 2to3; \
                    anything else is no release";
        return Err(Mistake::new(
            "expected a release in JSON, as of Helm 3 and 4, found another encoding",
            help,
        ));
    }
    let json = String::from_utf8(json).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Mistake::new(format!("expected JSON in UTF-8, found a byte that is not at offset {at}"), DAMAGED)
    })?;
    Ok((json, is_compressed))
}

fn decompressed(bytes: &[u8], most: usize) -> Result<Vec<u8>, Mistake> {
    let mut json = Vec::new();
    // One byte more tells that there is more.
    let mut reader = MultiGzDecoder::new(bytes).take(most as u64 + 1);
    reader
        .read_to_end(&mut json)
        .map_err(|error| Mistake::new(format!("expected data in gzip: {error}"), DAMAGED))?;
    if json.len() > most {
        let message = format!("expected at most {most} bytes after decompression, found more");
        let help = "no chart is that large: find out who wrote this object, and delete it";
        return Err(Mistake::new(message, help));
    }
    Ok(json)
}

/// Packs the JSON of a release.
pub fn packed(json: &str, compresses: bool) -> String {
    if !compresses {
        return based(json);
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let written = encoder.write_all(json.as_bytes()).and_then(|()| encoder.finish());
    based(written.expect("a vector takes all bytes"))
}
