//! YAML: any text, and JSON laid out as YAML.

use hubgen_machinery::yaml;

use crate::{memory, peer};

/// Bytes of memory per byte of text: a value of two bytes takes its place in a list or map that may have grown to
/// twice its size, while the parser keeps what it has read ahead.
const MEMORY: u64 = 1000;

/// What aliases may add, in values that count 32 bytes each and take more.
const EXPANSION: u64 = (16 << 20) * 8;

pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    // Without aliases nothing is added.
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

/// The documents of a text lie in it one after the other, and each of them says the same alone.
fn documents(text: &str) {
    let Ok(documents) = yaml::documents(text).collect::<Result<Vec<_>, _>>() else { return };
    // Directives stand before a document and are not part of it. After one that is not ASCII, the parser counts bytes
    // as characters.
    if text.contains('%') {
        return;
    }
    let mut end = 0;
    for document in documents {
        assert!(document.bytes.start >= end && document.bytes.end >= document.bytes.start, "{document:?}");
        end = document.bytes.end;
        // Blanks before the first line's value are its indentation.
        let start = text[..document.bytes.start].trim_end_matches([' ', '\t']).len();
        let alone = text.get(start..end).expect("documents end between characters");
        // A line begins after other breaks as well, and where the text begins with a mark of its byte order.
        if !text.contains(['\r', '\u{85}', '\u{2028}', '\u{2029}']) {
            let before = text[..document.bytes.start].matches('\n').count();
            assert_eq!(*document.lines.start(), before + 1, "{document:?} in {text:?}");
        }
        // The parser says of a text in a block that it begins after its `|`, which matters to nobody: objects begin
        // otherwise.
        if document.json.starts_with(b"{") {
            assert_eq!(yaml::to_json(alone).as_deref(), Ok(&*document.json), "{alone:?} in {text:?}");
        }
    }
    assert!(end <= text.len());
}

/// JSON, laid out as YAML and read again, says the same.
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
