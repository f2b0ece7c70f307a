//! `hubgen decode --rewrite`: what to store in the place of values that are at other versions than wanted.

use std::fmt::Write;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hubgen_kubernetes::machinery::scheme::KindEntry;
use hubgen_stored::{Finding, Stored};
use serde_json::{Value, json};

/// What to store in the place of a value, as a line of JSON.
///
/// # Errors
/// When it is not known where and when the value was stored.
pub fn put(stored: &Stored, bytes: &[u8], from: &KindEntry, to: &KindEntry) -> Result<Value, Finding> {
    let (Some(key), Some(revision)) = (&stored.key, stored.revision) else {
        let help = "read a snapshot with --snapshot, or the output of `etcdctl get -w json`";
        return Err(Finding::new("cannot be rewritten: its key and its revision are not known").help(help));
    };
    if key.contains(char::REPLACEMENT_CHARACTER) {
        return Err(Finding::new(
            "cannot be rewritten: its key is not UTF-8, so no API server has written it",
        ));
    }
    Ok(json!({
        "key": BASE64_STANDARD.encode(key),
        "mod_revision": revision,
        "value": BASE64_STANDARD.encode(bytes),
        "from": from.to_string(),
        "to": to.to_string(),
        "txn": txn(key.as_bytes(), revision, bytes),
    }))
}

/// The input of `etcdctl txn`: if the key was last changed at the revision, it gets the value. A lease that
/// it has stays. Three lists, each of which an empty line ends: conditions, what to do then, and what to do
/// else.
fn txn(key: &[u8], revision: u64, value: &[u8]) -> String {
    let (key, value) = (quoted(key), quoted(value));
    format!("mod({key}) = \"{revision}\"\n\nput --ignore-lease {key} {value}\n\n\n")
}

/// Bytes as a text in Go, which `etcdctl` reads. It looks for quotes and spaces before, in a way of its own.
fn quoted(bytes: &[u8]) -> String {
    let mut text = "\"".to_owned();
    for byte in bytes {
        match byte {
            b'!'..=b'~' if !matches!(byte, b'"' | b'\'' | b'\\') => text.push(char::from(*byte)),
            _ => write!(text, "\\x{byte:02x}").expect("memory to write to"),
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_quoted_as_in_go() {
        assert_eq!(quoted(b"k8s\0\n\"a\\b\"\xc3\xa9 '"), r#""k8s\x00\x0a\x22a\x5cb\x22\xc3\xa9\x20\x27""#);
        assert_eq!(
            txn(b"/registry/a", 7, b"\0"),
            "mod(\"/registry/a\") = \"7\"\n\nput --ignore-lease \"/registry/a\" \"\\x00\"\n\n\n"
        );
    }
}
