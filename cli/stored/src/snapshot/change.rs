//! An entry of etcd's history: its revision, and the key and value that it set.

use hubgen_kubernetes::machinery::protobuf::{PartValue, parts};

/// A revision, as the key of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revision {
    /// The number that clients see.
    pub main: u64,
    /// Whether the key was deleted.
    pub is_deletion: bool,
}

impl Revision {
    /// The bytes of the longest one.
    pub const LONGEST: u32 = 18;

    /// Reads `MAIN_SUB`, or `MAIN_SUBt` for a deletion.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let (main, is_deletion) = match bytes {
            [main @ .., b'_', _, _, _, _, _, _, _, _] if main.len() == 8 => (main, false),
            [main @ .., b'_', _, _, _, _, _, _, _, _, b't'] if main.len() == 8 => (main, true),
            _ => {
                let shown: String = bytes.iter().take(24).map(|byte| format!("{byte:02x}")).collect();
                return Err(format!("expected a revision of etcd (8 bytes, `_`, 8 bytes), found 0x{shown}"));
            }
        };
        Ok(Self { main: u64::from_be_bytes(main.try_into().expect("8 bytes")), is_deletion })
    }
}

/// A message `KeyValue`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyValue<'a> {
    /// The key.
    pub key: &'a [u8],
    /// When it was last changed.
    pub changed: u64,
    /// Its value.
    pub value: &'a [u8],
}

impl<'a> KeyValue<'a> {
    /// Reads a message.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, String> {
        let mut found = Self::default();
        for part in parts(bytes) {
            let part = part.map_err(|error| format!("expected a key and a value: {error}"))?;
            match (part.number, part.value) {
                (1, PartValue::Bytes(key)) => found.key = key,
                (3, PartValue::Varint(changed)) => found.changed = changed,
                (5, PartValue::Bytes(value)) => found.value = value,
                _ => {}
            }
        }
        if found.key.is_empty() {
            return Err("expected a key and a value, found no key".to_owned());
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revisions_are_of_17_or_18_bytes() {
        let text = b"\0\0\0\0\0\0\x01\x02_\0\0\0\0\0\0\0\x05t";
        assert_eq!(Revision::parse(text), Ok(Revision { main: 258, is_deletion: true }));
        assert_eq!(Revision::parse(&text[..17]), Ok(Revision { main: 258, is_deletion: false }));
        for wrong in
            [&text[..16], &text[1..], b"", b"consistent_index00", b"\0\0\0\0\0\0\x01\x02_\0\0\0\0\0\0\0\x05u"]
        {
            let error = Revision::parse(wrong).unwrap_err();
            assert!(error.starts_with("expected a revision of etcd"), "{error}");
        }
    }

    #[test]
    fn messages_have_a_key() {
        let bytes = b"\x0a\x02/a\x10\x03\x18\x07\x20\x02\x2a\x01v\x30\x09";
        assert_eq!(KeyValue::parse(bytes), Ok(KeyValue { key: b"/a", changed: 7, value: b"v" }));
        assert!(KeyValue::parse(b"").unwrap_err().ends_with("found no key"));
        assert!(KeyValue::parse(b"\x0a\x05/a").unwrap_err().starts_with("expected a key and a value: byte "));
    }
}
