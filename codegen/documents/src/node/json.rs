//! Parses JSON.

use std::ops::Range;

use indexmap::IndexMap;

use super::{Node, Value};
use crate::{Diagnostic, Source};

/// Deeper nesting is refused: no schema needs it, and the parser is recursive.
const MAX_DEPTH: usize = 200;

impl Node {
    /// Parses a document.
    ///
    /// # Errors
    /// If the text is not JSON, is nested too deep, or contains a key twice in one object.
    pub fn parse(source: &Source) -> Result<Self, Diagnostic> {
        let text = source.text();
        let mut parser = Parser { text, at: 0 };
        let result = parser.value(0).and_then(|node| {
            parser.space();
            if parser.at == text.len() {
                Ok(node)
            } else {
                Err(parser.wrong("text after the end of the document"))
            }
        });
        result.map_err(|(span, message)| source.error(span, "", message, "the document must be valid JSON"))
    }
}

type Wrong = (Range<usize>, String);

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn wrong(&self, message: &str) -> Wrong {
        let mut end = (self.at + 1).min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        (self.at..end, message.to_owned())
    }

    fn value(&mut self, depth: usize) -> Result<Node, Wrong> {
        if depth > MAX_DEPTH {
            return Err(self.wrong("nested too deep"));
        }
        self.space();
        let start = self.at;
        let value = match self.peek() {
            None => return Err(self.wrong("the document ends where a value is expected")),
            Some(b'{') => self.members(depth)?,
            Some(b'[') => self.elements(depth)?,
            Some(b'"') => Value::String(self.string()?),
            Some(b't') => self.word("true", Value::Bool(true))?,
            Some(b'f') => self.word("false", Value::Bool(false))?,
            Some(b'n') => self.word("null", Value::Null)?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(_) => return Err(self.wrong("a value is expected here")),
        };
        Ok(Node { span: start..self.at, value })
    }

    fn word(&mut self, word: &str, value: Value) -> Result<Value, Wrong> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.wrong("a value is expected here"));
        }
        self.at += word.len();
        Ok(value)
    }

    fn number(&mut self) -> Result<Value, Wrong> {
        let start = self.at;
        while matches!(self.peek(), Some(b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')) {
            self.at += 1;
        }
        serde_json::from_str(&self.text[start..self.at])
            .map(Value::Number)
            .map_err(|_| (start..self.at, "this is not a JSON number".to_owned()))
    }

    fn string(&mut self) -> Result<String, Wrong> {
        let start = self.at;
        let mut escaped = false;
        self.at += 1;
        loop {
            match self.peek() {
                None => return Err((start..start + 1, "this string does not end".to_owned())),
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    self.at += 2;
                }
                Some(0..0x20) => return Err(self.wrong("a control character must be escaped")),
                Some(_) => self.at += 1,
            }
        }
        self.at += 1;
        if !escaped {
            return Ok(self.text[start + 1..self.at - 1].to_owned());
        }
        serde_json::from_str(&self.text[start..self.at]).map_err(|_| {
            (start..self.at, "this string contains an escape sequence that JSON does not have".to_owned())
        })
    }

    fn elements(&mut self, depth: usize) -> Result<Value, Wrong> {
        let mut elements = Vec::new();
        self.at += 1;
        self.space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Value::Array(elements));
        }
        loop {
            elements.push(self.value(depth + 1)?);
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => break,
                _ => return Err(self.wrong("`,` or `]` is expected here")),
            }
        }
        self.at += 1;
        Ok(Value::Array(elements))
    }

    fn members(&mut self, depth: usize) -> Result<Value, Wrong> {
        let mut members = IndexMap::new();
        self.at += 1;
        self.space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Value::Object(members));
        }
        loop {
            self.space();
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.wrong("a key in double quotes is expected here"));
            }
            let key = self.string()?;
            let end = self.at;
            self.space();
            if self.peek() != Some(b':') {
                return Err(self.wrong("`:` is expected here"));
            }
            self.at += 1;
            let value = self.value(depth + 1)?;
            if members.contains_key(&key) {
                return Err((start..end, format!("`{key}` occurs twice in one object")));
            }
            members.insert(key, value);
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => break,
                _ => return Err(self.wrong("`,` or `}` is expected here")),
            }
        }
        self.at += 1;
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_positions() {
        let source = Source::new("a.json", "{\n  \"a\": [1, {\"b\": \"x\\n\"}]\n}");
        let node = Node::parse(&source).unwrap();
        let inner = &node.get("a").unwrap().array().unwrap()[1];
        assert_eq!(inner.get("b").unwrap().str(), Some("x\n"));
        let error = source.error(inner.span.clone(), "a[1]", "wrong", "right");
        assert_eq!((error.line, error.column), (2, 12));
    }

    #[test]
    fn errors_have_positions() {
        for (text, line, column) in [
            ("{\"a\": 1,\n}", 2, 1),
            ("{\"a\": }", 1, 7),
            ("[1 2]", 1, 4),
            ("{} x", 1, 4),
            ("", 1, 1),
            ("{\"a\": 1, \"a\": 2}", 1, 10),
            ("[\"abc]", 1, 2),
            ("\"\\", 1, 1),
            ("[-]", 1, 2),
        ] {
            let error = Node::parse(&Source::new("a.json", text)).unwrap_err();
            assert_eq!((error.line, error.column), (line, column), "{text}: {error}");
        }
        let deep = "[".repeat(100_000);
        assert!(Node::parse(&Source::new("a.json", deep)).unwrap_err().message.contains("deep"));
    }
}
