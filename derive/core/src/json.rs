//! The little of JSON that attributes need: texts are quoted, and what users write as JSON is checked. The derive has
//! no parser of JSON, to stay quick to compile.

use std::fmt::Write as _;

use syn::LitStr;

/// A text as JSON.
pub(crate) fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Checks that a text is one value of JSON.
pub(crate) fn value(text: &LitStr, example: &str) -> syn::Result<String> {
    let json = text.value();
    let mut rest = Rest(json.as_bytes());
    let is_value = rest.value(0) && rest.0.is_empty();
    if is_value {
        return Ok(json.trim().to_owned());
    }
    let at = json.len() - rest.0.len();
    let found = match json.get(at..).and_then(|rest| rest.chars().next()) {
        Some(c) => format!("`{c}` after {at} bytes"),
        None => "the end".to_owned(),
    };
    Err(syn::Error::new(text.span(), format!("expected JSON, such as `{example}`; it goes wrong at {found}")))
}

/// Checks that a text is an object of JSON.
pub(crate) fn object(text: &LitStr, example: &str) -> syn::Result<String> {
    let json = value(text, example)?;
    if json.starts_with('{') {
        return Ok(json);
    }
    Err(syn::Error::new(text.span(), format!("expected an object of JSON, such as `{example}`")))
}

/// How deep values may be inside each other.
const MAX_DEPTH: usize = 100;

/// What is left of a text.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    fn blanks(&mut self) {
        self.0 = self.0.trim_ascii_start();
    }

    fn take(&mut self, expected: &[u8]) -> bool {
        let rest = self.0.strip_prefix(expected);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    /// A value, and blanks around it.
    fn value(&mut self, depth: usize) -> bool {
        self.blanks();
        let is_value = match self.0.first() {
            _ if depth > MAX_DEPTH => false,
            Some(b'{') => self.elements(b"{", b"}", |rest| rest.member(depth + 1)),
            Some(b'[') => self.elements(b"[", b"]", |rest| rest.value(depth + 1)),
            Some(b'"') => self.text(),
            Some(b't') => self.take(b"true"),
            Some(b'f') => self.take(b"false"),
            Some(b'n') => self.take(b"null"),
            _ => self.number(),
        };
        self.blanks();
        is_value
    }

    fn elements(&mut self, open: &[u8], close: &[u8], mut element: impl FnMut(&mut Self) -> bool) -> bool {
        self.take(open);
        self.blanks();
        if self.take(close) {
            return true;
        }
        loop {
            if !element(self) {
                return false;
            }
            if !self.take(b",") {
                return self.take(close);
            }
        }
    }

    fn member(&mut self, depth: usize) -> bool {
        self.blanks();
        let has_name = self.text();
        self.blanks();
        has_name && self.take(b":") && self.value(depth)
    }

    fn text(&mut self) -> bool {
        if !self.take(b"\"") {
            return false;
        }
        loop {
            match *self.0 {
                [b'"', ref rest @ ..] => {
                    self.0 = rest;
                    return true;
                }
                [b'\\', b'u', a, b, c, d, ref rest @ ..]
                    if [a, b, c, d].iter().all(u8::is_ascii_hexdigit) =>
                {
                    self.0 = rest;
                }
                [b'\\', c, ref rest @ ..] if b"\"\\/bfnrt".contains(&c) => self.0 = rest,
                [c, ref rest @ ..] if c >= b' ' && c != b'\\' => self.0 = rest,
                _ => return false,
            }
        }
    }

    fn digits(&mut self) -> bool {
        let count = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.0 = &self.0[count..];
        count > 0
    }

    fn number(&mut self) -> bool {
        self.take(b"-");
        let is_whole = self.take(b"0") || self.digits();
        let has_fraction = !self.take(b".") || self.digits();
        let has_exponent = !(self.take(b"e") || self.take(b"E")) || {
            let _ = self.take(b"+") || self.take(b"-");
            self.digits()
        };
        is_whole && has_fraction && has_exponent
    }
}

#[cfg(test)]
mod tests {
    use proc_macro2::Span;

    use super::*;

    fn is_json(text: &str) -> bool {
        value(&LitStr::new(text, Span::call_site()), "1").is_ok()
    }

    #[test]
    fn values_are_told_from_other_texts() {
        let values = [
            "1",
            " -0.5e+3 ",
            "0",
            "true",
            "null",
            r#""a\"\u00e9\n""#,
            "[]",
            "[1, [2]]",
            "{}",
            r#"{"a": {"b": [1]}, "c": ""}"#,
        ];
        for text in values {
            assert!(is_json(text), "{text}");
        }
        let others = [
            "",
            "01",
            "1.",
            "1e",
            "-",
            "+1",
            "tru",
            "'a'",
            r#""a"#,
            r#""\x""#,
            r#""\u12g4""#,
            "\"\n\"",
            "[1,]",
            "[1",
            "{a: 1}",
            r#"{"a" 1}"#,
            r#"{"a": 1,}"#,
            "1 2",
            "{}}",
        ];
        for text in others {
            assert!(!is_json(text), "{text}");
        }
        assert!(!is_json(&"[".repeat(100_000)));
    }

    #[test]
    fn texts_are_quoted() {
        assert_eq!(quote("a\"\\\n\u{1}é"), "\"a\\\"\\\\\\n\\u0001é\"");
    }
}
