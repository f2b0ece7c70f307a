//! Writes values as Go does: `%v` and `%q` of `fmt`, and `encoding/json`. The API server's messages contain them.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::number::Number;

/// A value in a message: texts quoted, numbers with Go's `%v`, all else as JSON.
pub(crate) fn value(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Number(number) => Number::of(number).to_string(),
        _ => json(value),
    }
}

/// What `unicode.IsPrint` accepts: letters, marks, numbers, punctuation and symbols.
static PRINTABLE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^[\p{L}\p{M}\p{N}\p{P}\p{S}]$").ok());

pub(crate) fn is_printable(c: char) -> bool {
    if c.is_ascii() {
        return matches!(c, ' '..='~');
    }
    PRINTABLE.as_ref().is_some_and(|printable| printable.is_match(c.encode_utf8(&mut [0; 4])))
}

/// Quotes a text like Go's `%q`.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if is_printable(c) => out.push(c),
            '\x07' => out.push_str("\\a"),
            '\x08' => out.push_str("\\b"),
            '\x0c' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x0b' => out.push_str("\\v"),
            c => match u32::from(c) {
                code @ (..0x20 | 0x7f) => out.push_str(&format!("\\x{code:02x}")),
                code @ ..0x10000 => out.push_str(&format!("\\u{code:04x}")),
                code => out.push_str(&format!("\\U{code:08x}")),
            },
        }
    }
    out.push('"');
    out
}

/// Writes JSON like Go: members sorted by name, and `<`, `>` and `&` escaped.
pub(crate) fn json(value: &Value) -> String {
    let mut out = String::new();
    write_json(value, &mut out);
    out
}

fn write_json(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => out.push_str(&Number::of(number).json()),
        Value::String(text) => write_text(text, out),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_json(item, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut sorted: Vec<(&String, &Value)> = members.iter().collect();
            sorted.sort_unstable_by_key(|(name, _)| *name);
            out.push('{');
            for (at, (name, member)) in sorted.into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_text(name, out);
                out.push(':');
                write_json(member, out);
            }
            out.push('}');
        }
    }
}

fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\x08' => out.push_str("\\b"),
            '\x0c' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | ..' ' => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_are_quoted_like_go() {
        assert_eq!(
            quoted("a\u{a0}b\u{200b}\u{7f}\u{feff}é\u{1f600}<\"\n\u{1}\u{e0001}"),
            r#""a\u00a0b\u200b\x7f\ufeffé😀<\"\n\x01\U000e0001""#
        );
    }

    #[test]
    fn json_is_written_like_go() {
        assert_eq!(
            json(&json!({"b<": "&\u{2028}\u{8}\u{7f}\u{1}", "a": [1, 1e20, 1e21, 1e-7, 1.5, null, true]})),
            "{\"a\":[1,100000000000000000000,1e+21,1e-7,1.5,null,true],\"b\\u003c\":\"\\u0026\\u2028\\b\u{7f}\\u0001\"}"
        );
    }

    #[test]
    fn numbers_are_written_like_go() {
        let of = |number| value(&json!(number));
        assert_eq!(
            [1.0, 1.5, 1e6, 1e20, 123456789.0, 1e-5, 0.0001, 1234567.5, 100000.0, -2.5].map(of),
            [
                "1",
                "1.5",
                "1e+06",
                "1e+20",
                "1.23456789e+08",
                "1e-05",
                "0.0001",
                "1.2345675e+06",
                "100000",
                "-2.5"
            ]
        );
    }
}
