//! The forms of an input: bytes as they are, in base64, in hex, or many values as `etcdctl` prints them
//! or a watch sends them.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hubgen_kubernetes::machinery::protobuf::{Envelope, Frames, WatchEvent};
use hubgen_manifest::{Format, Tree};
use serde_json::Value;

use crate::finding::Finding;

/// The values of an input.
///
/// ```
/// use hubgen_stored::Values;
///
/// // `{}`, as a tool prints bytes in hexadecimal digits.
/// let values = Values::parse(b"0x7b7d")?;
/// assert_eq!(values.iter().next().unwrap().bytes, b"{}");
/// # Ok::<(), hubgen_stored::Finding>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Values(Vec<Stored>);

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    /// Its key, where it has one.
    pub key: Option<String>,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// When it was last changed, as etcd counts; an API server shows it as
    /// `metadata.resourceVersion`.
    pub revision: Option<u64>,
}

impl Values {
    /// Finds the values in an input.
    ///
    /// # Errors
    /// When it is the output of `etcdctl` or of a watch, but not whole.
    pub fn parse(input: &[u8]) -> Result<Self, Finding> {
        if let Some(pairs) = pairs(input)? {
            return Ok(Self(pairs));
        }
        if let Some(events) = events(input)? {
            return Ok(Self(events));
        }
        Ok(Self(vec![Stored { key: None, bytes: unpacked(without_newline(input)), revision: None }]))
    }

    /// The values, in the order they came.
    pub fn iter(&self) -> impl Iterator<Item = &Stored> {
        self.0.iter()
    }
}

impl IntoIterator for Values {
    type Item = Stored;
    type IntoIter = std::vec::IntoIter<Stored>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// What `etcdctl get -w json` prints: keys and values in base64.
fn pairs(input: &[u8]) -> Result<Option<Vec<Stored>>, Finding> {
    if !trimmed(input).starts_with(b"{") {
        return Ok(None);
    }
    let Ok(Value::Object(answer)) = serde_json::from_slice(input) else { return Ok(None) };
    if answer.contains_key("apiVersion") || !(answer.contains_key("kvs") || answer.contains_key("header")) {
        return Ok(None);
    }
    let pairs = answer.get("kvs").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let pair = |(index, pair): (usize, &Value)| {
        let text = |name: &str| {
            let text = pair[name].as_str().unwrap_or_default();
            BASE64_STANDARD.decode(text).map_err(|error| {
                let path = format!("kvs[{index}].{name}");
                let text = std::str::from_utf8(input).unwrap_or_default();
                let place = Tree::parse(text, Format::Json).map_or(0..0, |tree| tree.place(&path));
                Finding::new(format!("expected base64, found other text ({error})"))
                    .help("pass on the output of `etcdctl get -w json` as it is")
                    .at(path)
                    .shown(input, place)
            })
        };
        Ok(Stored {
            key: Some(String::from_utf8_lossy(&text("key")?).into_owned()),
            bytes: text("value")?,
            revision: pair["mod_revision"].as_u64(),
        })
    };
    pairs.iter().enumerate().map(pair).collect::<Result<_, Finding>>().map(Some)
}

/// What a watch sends in protobuf: frames, each an event whose object is in an
/// envelope.
fn events(input: &[u8]) -> Result<Option<Vec<Stored>>, Finding> {
    let mut frames = Frames::new(Frames::LIMIT);
    frames.push(input);
    let mut events = Vec::new();
    while let Ok(Some(message)) = frames.next() {
        if !WatchEvent::decode(message).is_ok_and(|event| Envelope::is_one(event.object)) {
            return Ok(None);
        }
        let bytes = Envelope { raw: message, ..Envelope::default() }.encode();
        events.push(Stored { key: None, bytes, revision: None });
    }
    if events.is_empty() {
        return Ok(None);
    }
    let whole = frames.next().map(drop).and_then(|()| frames.finish());
    whole.map_err(|error| {
        Finding::new(format!("{error}: the last event is not whole"))
            .help("cut the input off before that byte")
    })?;
    Ok(Some(events))
}

/// An envelope without the line break that `etcdctl get --print-value-only` prints after it.
fn without_newline(input: &[u8]) -> &[u8] {
    match input.strip_suffix(b"\n") {
        Some(value)
            if Envelope::is_one(input)
                && Envelope::decode(input).is_err()
                && Envelope::decode(value).is_ok() =>
        {
            value
        }
        _ => input,
    }
}

/// The bytes that a text in base64 or hex encodes; other bytes as they are.
fn unpacked(input: &[u8]) -> Vec<u8> {
    let text = trimmed(input);
    if Envelope::is_one(input) || text.starts_with(b"{") {
        return input.to_vec();
    }
    let Ok(text) = std::str::from_utf8(text) else { return input.to_vec() };
    let compact: String = text.split_whitespace().collect();
    if compact.is_empty() {
        return input.to_vec();
    }
    hex(&compact)
        .or_else(|| BASE64_STANDARD.decode(&compact).ok())
        .or_else(|| base64::prelude::BASE64_URL_SAFE_NO_PAD.decode(compact.trim_end_matches('=')).ok())
        .unwrap_or_else(|| input.to_vec())
}

/// `6b387300`, `0x6b387300` or `\x6b\x38`, as other tools print them.
fn hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.replace("\\x", "");
    let digits = digits.strip_prefix("0x").unwrap_or(&digits).as_bytes();
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    digits.chunks(2).map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?)).collect()
}

fn trimmed(input: &[u8]) -> &[u8] {
    input.trim_ascii()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn one(input: &[u8]) -> Vec<u8> {
        let Values(mut values) = Values::parse(input).unwrap();
        values.remove(0).bytes
    }

    #[test]
    fn bytes_come_as_they_are_or_as_text() {
        let bytes = b"k8s\0\x0a\x00";
        for text in
            [&bytes[..], b"6b3873000a00\n", b"0x6b38 7300 0A00", br"\x6b\x38\x73\x00\x0a\x00", b"azhzAAoA\n"]
        {
            assert_eq!(one(text), bytes, "{}", String::from_utf8_lossy(text));
        }
        assert_eq!(one(b"{\"kind\": \"Pod\"}"), b"{\"kind\": \"Pod\"}");
        assert_eq!(one(b"text, but none of ours"), b"text, but none of ours");
    }

    #[test]
    fn a_line_break_after_an_envelope_is_not_part_of_it() {
        let envelope = Envelope { api_version: "v1", kind: "Pod", ..Envelope::default() }.encode();
        assert_eq!(one(&[&envelope[..], b"\n"].concat()), envelope);
        // A field that is not known, and ends with that byte.
        let longer = [&envelope[..], b"\x50\n"].concat();
        assert_eq!(one(&longer), longer);
    }

    #[test]
    fn many_values_come_with_their_keys() {
        let Values(values) = Values::parse(
            br#"{"header":{},"kvs":[{"key":"L2E=","mod_revision":7,"value":"AQ=="}],"count":1}"#,
        )
        .unwrap();
        assert_eq!(values, [Stored { key: Some("/a".to_owned()), bytes: vec![1], revision: Some(7) }]);
        let error = Values::parse(br#"{"kvs":[{"key":"L2E=","value":"?"}]}"#).unwrap_err();
        assert!(error.to_string().starts_with("kvs[0].value: expected base64"), "{error}");
        assert_eq!(error.diagnostic(Path::new("dump")).column, 23);
        assert_eq!(Values::parse(br#"{"header":{},"count":0}"#), Ok(Values(Vec::new())));
    }
}
