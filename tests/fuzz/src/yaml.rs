//! YAML: any text, and JSON that is written as YAML.

use hubgen_machinery::yaml;

use crate::{memory, peer};

/// Bytes of memory per byte of text. Two bytes of text can be a value in a list or map, whose memory may have grown to
/// twice the size that it needs, and the parser buffers the tokens that it has read ahead.
const MEMORY: u64 = 1000;

/// The memory that aliases may add. Their limit counts 32 bytes for each value, which takes more.
const EXPANSION: u64 = (16 << 20) * 8;

pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    // Without `*` there are no aliases.
    let allowed = if text.contains('*') { MEMORY + EXPANSION / (1 + text.len() as u64) } else { MEMORY };
    let read = memory::bounded(text.len(), allowed, || yaml::to_json(text));
    if let Ok(json) = &read {
        survives(json);
    }
    documents(text);
    if peer::json(data).is_some() {
        survives(data);
    }
}

/// The documents of a text follow one another in it, and each is the same document by itself.
fn documents(text: &str) {
    let Ok(documents) = yaml::documents(text).collect::<Result<Vec<_>, _>>() else { return };
    // Directives precede a document and are not part of it. After one that is not ASCII, the parser counts bytes as
    // characters.
    if text.contains('%') {
        return;
    }
    let mut end = 0;
    for document in documents {
        assert!(document.bytes.start >= end && document.bytes.end >= document.bytes.start, "{document:?}");
        end = document.bytes.end;
        // Spaces before the first line's value are its indentation.
        let start = text[..document.bytes.start].trim_end_matches([' ', '\t']).len();
        let alone = text.get(start..end).expect("documents end between characters");
        // A line also begins after these other line breaks.
        if !text.contains(['\r', '\u{85}', '\u{2028}', '\u{2029}']) {
            let before = text[..document.bytes.start].matches('\n').count();
            assert_eq!(*document.lines.start(), before + 1, "{document:?} in {text:?}");
        }
        // The parser reports that a block scalar begins after its `|`. This does not matter, because objects are not
        // block scalars.
        if document.json.starts_with(b"{") {
            assert_eq!(yaml::to_json(alone).as_deref(), Ok(&*document.json), "{alone:?} in {text:?}");
        }
    }
    assert!(end <= text.len());
}

/// JSON survives a round trip through YAML.
fn survives(json: &[u8]) {
    let value =
        peer::json(json).unwrap_or_else(|| panic!("expected JSON, found {}", String::from_utf8_lossy(json)));
    let Ok(yaml) = yaml::from_json(json) else {
        panic!("expected JSON, found {}", String::from_utf8_lossy(json));
    };
    let again = yaml::to_json(&yaml).unwrap_or_else(|error| panic!("{error} in\n{yaml}"));
    let again = peer::json(&again).expect("YAML becomes JSON");
    assert!(peer::same(&value, &again), "{value}\nbecame\n{again}\nthrough\n{yaml}");
}
