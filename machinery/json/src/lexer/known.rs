//! Finds the end of a value in text that was checked before, without checking it again.

use super::{Lexer, Result};
use crate::block::{Block, SIZE, find, load};

impl<'a> Lexer<'a> {
    /// The text of the next value, in text that is known to be JSON. In other text it is anything.
    ///
    /// # Errors
    /// When the input ends before a value begins.
    pub fn known(&mut self) -> Result<&'a str> {
        let first = self.token();
        let bytes = self.bytes();
        let start = self.position;
        let end = match first {
            b'"' => end_of_string(bytes, start),
            b'{' | b'[' => end_of_container(bytes, start),
            _ => start + bytes[start..].iter().take_while(|byte| !b",]} \n\r\t".contains(byte)).count(),
        };
        // The end follows a byte of ASCII, or is that of the input.
        let end = end.min(bytes.len());
        if end == start {
            return Err(self.syntax("a value"));
        }
        self.position = end;
        Ok(&self.text[start..end])
    }
}

/// The offset after the string that begins at an offset.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    loop {
        at = find(bytes, at, Block::ends);
        match bytes.get(at) {
            Some(b'\\') => at += 2,
            Some(b'"') | None => return at + 1,
            Some(_) => at += 1,
        }
    }
}

/// The offset after the object or array that begins at an offset.
fn end_of_container(bytes: &[u8], start: usize) -> usize {
    let (mut at, mut depth, mut in_string, mut escaped) = (start, 0_u32, false, usize::MAX);
    while at < bytes.len() {
        let rest = &bytes[at..];
        let block = match rest.first_chunk() {
            Some(block) => Block::new(block),
            None => Block::loaded(load(rest)),
        };
        let mut marks = block.structure();
        while marks != 0 {
            let here = at + marks.trailing_zeros() as usize;
            marks &= marks - 1;
            match bytes.get(here) {
                // The second of two backslashes, or a quote after one.
                _ if here == escaped => {}
                Some(b'"') => in_string = !in_string,
                Some(b'\\') => escaped = here + 1,
                _ if in_string => {}
                Some(b'{' | b'[') => depth += 1,
                Some(_) => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return here + 1;
                    }
                }
                None => {}
            }
        }
        at += SIZE;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_end_where_checked_ones_do() {
        let long = format!("{}\\\"{}\\\\", "a".repeat(20), "é".repeat(20));
        let values = [
            "1",
            "-1.5e3",
            "true",
            "null",
            "\"\"",
            "\"a\"",
            "{}",
            "[]",
            r#""\\\"""#,
            r#"{"a]}":[1,{"b":"}"}],"c":{}}"#,
            "[ [ ] , { } ]",
            &format!("\"{long}\""),
            &format!("{{\"{long}\":[\"{long}\"]}}"),
        ];
        for value in values {
            for after in ["", ",", "]", "}", " ,", "\n]"] {
                let text = format!(" {value}{after}");
                assert_eq!(Lexer::over(&text).known().unwrap(), value);
                let mut lexer = Lexer::over(&text);
                assert_eq!(lexer.raw().unwrap(), value);
            }
        }
    }

    #[test]
    fn other_text_ends_somewhere() {
        for text in ["\"a", "\"\\", "{\"a", "[[", "{", "}", "é", "[é", "\"é\\é"] {
            let _ = Lexer::over(text).known();
        }
        assert!(Lexer::over("").known().is_err());
    }
}
