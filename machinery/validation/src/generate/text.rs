//! Generates texts: words, texts of a format, and texts that match a pattern.

use regex_syntax::hir::{Class, Hir, HirKind};

use super::source::Source;
use crate::format::Format;

/// Texts that are hard for programs.
const WORDS: [&str; 9] = ["", "a", "b", "name", "80", "é✓𝒳", "\"<&>\\\u{2028}", "x.y/z", " "];

/// A text with a length between two numbers of characters. `None` is no limit.
pub(super) fn word(min: Option<i64>, max: Option<i64>, source: &mut Source<'_>) -> String {
    let mut text = (*source.one_of(&WORDS)).to_owned();
    let size = |limit: Option<i64>| limit.map(|limit| usize::try_from(limit).unwrap_or(0));
    if let Some(min) = size(min) {
        let missing = min.saturating_sub(text.chars().count());
        text.extend(std::iter::repeat_n('a', missing));
    }
    if let Some(max) = size(max) {
        text = text.chars().take(max).collect();
    }
    text
}

/// A text that matches a pattern, apart from assertions such as word boundaries. A repetition without a limit repeats
/// up to `reach` times more than it has to.
pub(super) fn matching(pattern: &str, reach: usize, source: &mut Source<'_>) -> Option<String> {
    let parsed = regex_syntax::ParserBuilder::new().utf8(false).build().parse(pattern).ok()?;
    let mut text = String::new();
    push(&parsed, reach, source, &mut text);
    Some(text)
}

fn push(hir: &Hir, reach: usize, source: &mut Source<'_>, text: &mut String) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.push_str(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(class) => text.extend(character(class, source)),
        HirKind::Repetition(repetition) => {
            let min = repetition.min as usize;
            let more = repetition.max.map_or(reach, |max| (max as usize).saturating_sub(min).min(reach));
            for _ in 0..min + source.below(more + 1) {
                push(&repetition.sub, reach, source, text);
            }
        }
        HirKind::Capture(capture) => push(&capture.sub, reach, source, text),
        HirKind::Concat(parts) => parts.iter().for_each(|part| push(part, reach, source, text)),
        HirKind::Alternation(parts) => push(source.one_of(parts), reach, source, text),
    }
}

/// A character of a class: one that can be printed, if there is one.
fn character(class: &Class, source: &mut Source<'_>) -> Option<char> {
    let ranges: Vec<(u32, u32)> = match class {
        Class::Unicode(class) => {
            class.ranges().iter().map(|range| (range.start().into(), range.end().into())).collect()
        }
        Class::Bytes(class) => {
            class.ranges().iter().map(|range| (range.start().into(), range.end().min(0x7f).into())).collect()
        }
    };
    let printed: Vec<(u32, u32)> = ranges
        .iter()
        .map(|(start, end)| ((*start).max(0x20), (*end).min(0x7e)))
        .filter(|(start, end)| start <= end)
        .collect();
    // Letters before signs, so that few bytes give texts for people.
    let letters = printed.iter().position(|(start, _)| (0x30..0x7b).contains(start)).unwrap_or(0);
    let usual = if printed.is_empty() { &ranges } else { &printed };
    let chosen = if source.below(16) == 15 { &ranges } else { usual };
    if chosen.is_empty() {
        return None;
    }
    let first = if printed.is_empty() { 0 } else { letters };
    let (start, end) = chosen[(first + source.below(chosen.len())) % chosen.len()];
    let size = usize::try_from(end.saturating_sub(start)).unwrap_or(0) + 1;
    let at = source.below(size.min(256));
    char::from_u32(start + u32::try_from(at).unwrap_or(0)).or_else(|| char::from_u32(start))
}

/// A text of a format. Times, durations and bytes are as Go writes them.
pub(super) fn formatted(format: Format, source: &mut Source<'_>) -> String {
    (*source.one_of(samples(format))).to_owned()
}

fn samples(format: Format) -> &'static [&'static str] {
    match format {
        Format::BsonObjectId => &["507f1f77bcf86cd799439011"],
        Format::Byte => &["YQ==", "AAEC", "/w=="],
        Format::Cidr => &["10.0.0.0/8", "192.168.1.0/24", "2001:db8::/32"],
        Format::CreditCard => &["4111111111111111"],
        Format::Date => &["2006-01-02", "1970-01-01"],
        Format::DateTime => &["2006-01-02T15:04:05Z", "1970-01-01T00:00:00Z"],
        Format::Duration => &["0s", "1h30m0s", "15m0s"],
        Format::Email => &["a@example.com", "x.y@example.org"],
        Format::HexColor => &["#fff", "#00ff7f"],
        Format::Hostname => &["example.com", "a", "www.example.org"],
        Format::Ipv4 => &["10.0.0.1", "0.0.0.0"],
        Format::Ipv6 => &["::1", "2001:db8::2"],
        Format::Isbn | Format::Isbn10 => &["0306406152"],
        Format::Isbn13 => &["9780306406157"],
        Format::LongName => &["a", "example.com", "a-b.c1"],
        Format::Mac => &["01:23:45:67:89:ab"],
        Format::Password => &["", "a", "é✓𝒳"],
        Format::RgbColor => &["rgb(1,2,3)"],
        Format::ShortName => &["a", "a-b", "c1"],
        Format::Ssn => &["111-22-3333"],
        Format::Uri => &["https://example.com", "https://example.com/a?b=c", "/a/b"],
        Format::Uuid | Format::Uuid4 => &["f47ac10b-58cc-4372-a567-0e02b2c3d479"],
        Format::Uuid3 => &["6fa459ea-ee8a-3ca4-894e-db77e160355e"],
        Format::Uuid5 => &["886313e1-3b8a-5372-9b90-0c9aee199e5d"],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Pattern;

    #[test]
    fn samples_have_their_formats() {
        let names = [
            "bsonobjectid",
            "byte",
            "cidr",
            "creditcard",
            "date",
            "date-time",
            "duration",
            "email",
            "hexcolor",
            "hostname",
            "ipv4",
            "ipv6",
            "isbn",
            "isbn10",
            "isbn13",
            "k8s-long-name",
            "k8s-short-name",
            "mac",
            "password",
            "rgbcolor",
            "ssn",
            "uri",
            "uuid",
            "uuid3",
            "uuid4",
            "uuid5",
        ];
        for name in names {
            let format = Format::named(name).unwrap();
            for text in samples(format) {
                assert!(format.accepts(text), "{text} is not of format {name}");
            }
        }
    }

    #[test]
    fn texts_match_their_patterns() {
        for text in [
            "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
            "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE])?$",
            "^([0-9]{1,5}(h|m|s|ms)){1,4}$",
            "^[^/%\\s]+$",
            "a|b|",
            "^\\p{Greek}{2,3}\\pN$",
            "(?i)^abc$",
            "^.{3}x{12,}$",
        ] {
            let pattern = Pattern::new(text).unwrap();
            for seed in 0..200_u8 {
                let bytes: Vec<u8> =
                    (0..40).map(|at: u8| seed.wrapping_mul(37).wrapping_add(at.wrapping_mul(seed))).collect();
                let text = matching(pattern.translated(), 3, &mut Source::new(&bytes)).unwrap();
                assert!(pattern.is_match(&text), "{text:?} does not match {pattern:?}");
            }
        }
    }
}
