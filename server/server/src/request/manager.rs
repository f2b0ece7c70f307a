//! The name under which a client owns the fields that it writes: `fieldManager`, or else the name of its program.

use axum::http::{HeaderMap, header};

use crate::validation::Violation;

/// The maximum length of a name, in bytes.
const MAX_BYTES: usize = 128;

/// The name of a client. It is what `User-Agent` has before the first slash if it gives none in the query: as much of it as a
/// name may have, without what is not printed.
pub(super) fn name(given: &str, headers: &HeaderMap) -> String {
    if !given.is_empty() {
        return given.to_owned();
    }
    let agent = headers.get(header::USER_AGENT).map(|agent| String::from_utf8_lossy(agent.as_bytes()));
    let agent = agent.unwrap_or_default();
    let mut name = String::new();
    for c in agent.split('/').next().unwrap_or_default().chars().filter(|c| is_printed(*c)) {
        if name.len() + c.len_utf8() > MAX_BYTES {
            break;
        }
        name.push(c);
    }
    name
}

/// The violations of a name in the query.
pub(super) fn violations(name: &str) -> Vec<Violation> {
    let mut found = Vec::new();
    if name.len() > MAX_BYTES {
        found.push(Violation::too_long("fieldManager", format!("may not be more than {MAX_BYTES} bytes")));
    }
    let characters = name.char_indices().take_while(|(position, _)| *position < MAX_BYTES);
    for (position, c) in characters.filter(|(_, c)| !is_printed(*c)) {
        let why = format!("invalid character U+{:04X} (at position {position})", u32::from(c));
        found.push(Violation::invalid("fieldManager", name, why));
    }
    found
}

/// Whether a character is one of those that upstream prints: letters, marks, numbers, punctuation, symbols, and the space.
fn is_printed(c: char) -> bool {
    /// Those that only tell how others are shown.
    const FORMATS: [(char, char); 15] = [
        ('\u{ad}', '\u{ad}'),
        ('\u{600}', '\u{605}'),
        ('\u{61c}', '\u{61c}'),
        ('\u{6dd}', '\u{6dd}'),
        ('\u{70f}', '\u{70f}'),
        ('\u{180e}', '\u{180e}'),
        ('\u{200b}', '\u{200f}'),
        ('\u{202a}', '\u{202e}'),
        ('\u{2060}', '\u{206f}'),
        ('\u{e000}', '\u{f8ff}'),
        ('\u{feff}', '\u{feff}'),
        ('\u{fff0}', '\u{fffb}'),
        ('\u{1d173}', '\u{1d17a}'),
        ('\u{e0001}', '\u{e007f}'),
        ('\u{f0000}', '\u{10ffff}'),
    ];
    let is_format = || FORMATS.iter().any(|(first, last)| (*first..=*last).contains(&c));
    c == ' ' || !(c.is_control() || c.is_whitespace() || is_format())
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderValue, header};

    use super::*;

    fn of_agent(agent: &[u8]) -> String {
        let mut headers = HeaderMap::new();
        headers.insert(header::USER_AGENT, HeaderValue::from_bytes(agent).unwrap());
        name("", &headers)
    }

    #[test]
    fn a_program_names_its_fields() {
        assert_eq!(of_agent(b"kubectl/v1.37.1 (linux/amd64) kubernetes/abc"), "kubectl");
        assert_eq!(of_agent("my \u{e9}clair\u{200b}\u{a0}/1".as_bytes()), "my \u{e9}clair");
        assert_eq!(of_agent(&[b'x'; 200]).len(), 128);
        // A character is not cut.
        assert_eq!(of_agent("\u{20ac}".repeat(100).as_bytes()), "\u{20ac}".repeat(42));
        assert_eq!(of_agent(b"/"), "");
        assert_eq!(name("", &HeaderMap::new()), "");
        assert_eq!(name("me/2", &HeaderMap::new()), "me/2");
    }

    #[test]
    fn names_are_short_and_printed() {
        assert_eq!(violations("me"), []);
        assert_eq!(violations(&"x".repeat(128)), []);
        let of = |name: &str| violations(name).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(of(&"x".repeat(129)), ["fieldManager: Too long: may not be more than 128 bytes"]);
        let [found] = &of("a\tb")[..] else { panic!("one violation") };
        assert!(found.ends_with("invalid character U+0009 (at position 1)"), "{found}");
    }
}
