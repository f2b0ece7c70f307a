//! Strings and member names.

use std::borrow::Cow;

use super::{ErrorKind, Kind, Lexer, Result};
use crate::block::{Block, SIZE, find};

impl<'a> Lexer<'a> {
    /// Consumes `"name":` if exactly these bytes are next. Otherwise consumes nothing.
    ///
    /// A decoder that knows the order of fields uses this to skip a name without reading it. The
    /// name is compared with the bytes of the input, so it must not contain a character that JSON
    /// escapes.
    #[inline]
    pub fn take_key(&mut self, name: &str) -> bool {
        let rest = &self.bytes()[self.position..];
        let length = name.len();
        // The two bytes after the name are compared first: most names differ there.
        if rest.len() > length + 2
            && rest[length + 1] == b'"'
            && rest[length + 2] == b':'
            && rest[0] == b'"'
            && rest[1..=length] == *name.as_bytes()
        {
            self.position += length + 3;
            true
        } else {
            false
        }
    }

    /// As [`take_key`](Self::take_key), for a name whose first letter may be in either case.
    #[inline]
    pub fn take_key_in_any_case(&mut self, name: &str) -> bool {
        let rest = &self.bytes()[self.position..];
        let (first, length) = (name.as_bytes().first().copied().unwrap_or_default(), name.len());
        let is_it = rest.len() > length + 2
            && rest[length + 1] == b'"'
            && rest[length + 2] == b':'
            && rest[0] == b'"'
            && rest[1].eq_ignore_ascii_case(&first)
            && rest[2..=length] == name.as_bytes()[1..];
        if is_it {
            self.position += length + 3;
        }
        is_it
    }

    /// Reads a member's name and the `:` after it.
    ///
    /// # Errors
    /// When the next token is not a string, or when no colon follows it.
    #[inline]
    pub fn key(&mut self) -> Result<Cow<'a, str>> {
        let name = self.string()?;
        self.colon()?;
        Ok(name)
    }

    /// Skips a member's name and the `:` after it. Returns the name unchanged, with its quotes.
    ///
    /// # Errors
    /// As [`Lexer::key`].
    pub fn raw_key(&mut self) -> Result<&'a str> {
        let name = self.raw_string()?;
        self.colon()?;
        Ok(name)
    }

    #[inline]
    fn colon(&mut self) -> Result<()> {
        if self.token() != b':' {
            return Err(self.syntax("`:` after a member name"));
        }
        self.position += 1;
        Ok(())
    }

    /// Reads a member's name and the `:` after it, if the name contains no escapes and the `:`
    /// follows at once. Otherwise consumes nothing.
    #[inline(always)]
    pub fn plain_key(&mut self) -> Option<&'a str> {
        let start = self.position + 1;
        let end = plain_end(self.bytes(), start);
        let is_plain = self.bytes().get(self.position) == Some(&b'"')
            && self.bytes().get(end..end + 2).is_some_and(|after| after == b"\":");
        if !is_plain {
            return None;
        }
        self.position = end + 2;
        Some(&self.text[start..end])
    }

    /// Reads a string. It is borrowed unless it contains escapes.
    ///
    /// # Errors
    /// When the next value is not a string, or is malformed.
    #[inline]
    pub fn string(&mut self) -> Result<Cow<'a, str>> {
        let (start, end) = self.plain_run()?;
        if self.bytes().get(end) == Some(&b'"') {
            self.position = end + 1;
            return Ok(Cow::Borrowed(&self.text[start..end]));
        }
        let mut unescaped = Vec::new();
        self.unescape(start, &mut unescaped)?;
        Ok(Cow::Owned(String::from_utf8(unescaped).expect("whole characters were copied")))
    }

    /// Reads a string without escapes; `None` if the next value is another string or no string. Then
    /// nothing is consumed.
    ///
    /// # Errors
    /// When the input ends.
    #[inline(always)]
    pub fn plain_string(&mut self) -> Result<Option<&'a str>> {
        if self.peek()? != Kind::String {
            return Ok(None);
        }
        let (start, end) = self.plain_run()?;
        if self.bytes().get(end) != Some(&b'"') {
            return Ok(None);
        }
        self.position = end + 1;
        Ok(Some(&self.text[start..end]))
    }

    /// Reads a string. If it contains escapes, its text is written into `unescaped`, which should be
    /// used again for the next string: it grows to the longest one and then needs no allocation.
    ///
    /// # Errors
    /// When the next value is not a string, or is malformed.
    #[inline]
    pub fn string_in<'t>(&mut self, unescaped: &'t mut Vec<u8>) -> Result<&'t str>
    where
        'a: 't,
    {
        let (start, end) = self.plain_run()?;
        if self.bytes().get(end) == Some(&b'"') {
            self.position = end + 1;
            return Ok(&self.text[start..end]);
        }
        unescaped.clear();
        self.unescape(start, unescaped)?;
        Ok(crate::utf8::text(unescaped).expect("whole characters were copied"))
    }

    /// Returns the offset at which the next string's text begins, and the offset of its first byte
    /// that does not represent itself. In most strings that is the closing quote.
    #[inline]
    fn plain_run(&mut self) -> Result<(usize, usize)> {
        if self.token() != b'"' {
            return Err(self.mismatch("a string"));
        }
        let start = self.position + 1;
        Ok((start, plain_end(self.bytes(), start)))
    }

    /// Appends to `out` the string whose text begins at `at`.
    #[inline(never)]
    fn unescape(&mut self, mut at: usize, out: &mut Vec<u8>) -> Result<()> {
        let bytes = self.bytes();
        loop {
            if let Some(block) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
                // Copying a whole block is quicker than copying the part that is needed.
                out.extend_from_slice(block);
                let ends = Block::new(block).ends();
                if ends == 0 {
                    at += SIZE;
                    continue;
                }
                let plain = ends.trailing_zeros() as usize;
                out.truncate(out.len() - (SIZE - plain));
                at += plain;
            } else {
                let end = plain_end(bytes, at);
                out.extend_from_slice(&bytes[at..end]);
                at = end;
            }
            match bytes.get(at..).unwrap_or_default() {
                [b'"', ..] => {
                    self.position = at + 1;
                    return Ok(());
                }
                [b'\\', escaped, ..] if let Some(byte) = unescaped(*escaped) => {
                    out.push(byte);
                    at += 2;
                }
                [b'\\', ..] => {
                    self.position = at;
                    out.extend_from_slice(self.escape()?.encode_utf8(&mut [0; 4]).as_bytes());
                    at = self.position;
                }
                _ => {
                    self.position = at;
                    return Err(self.broken_string());
                }
            }
        }
    }

    /// Reads one escape, or the two escapes of a surrogate pair.
    fn escape(&mut self) -> Result<char> {
        match self.bytes().get(self.position + 1) {
            Some(b'u') => self.unicode_escape(),
            Some(escaped) if let Some(byte) = unescaped(*escaped) => {
                self.position += 2;
                Ok(char::from(byte))
            }
            _ => Err(self.error(
                ErrorKind::Syntax,
                "expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u after a backslash",
            )),
        }
    }

    fn unicode_escape(&mut self) -> Result<char> {
        let Some(unit) = hex_escape(self.bytes(), self.position) else {
            return Err(self.error(ErrorKind::Syntax, "expected four hexadecimal digits after \\u"));
        };
        self.position += 6;
        if let Some(plain) = char::from_u32(unit) {
            return Ok(plain);
        }
        if let Some(second) = hex_escape(self.bytes(), self.position)
            && (0xD800..0xDC00).contains(&unit)
            && (0xDC00..0xE000).contains(&second)
        {
            self.position += 6;
            let pair = 0x1_0000 + ((unit - 0xD800) << 10) + (second - 0xDC00);
            return Ok(char::from_u32(pair).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        Ok(char::REPLACEMENT_CHARACTER)
    }

    /// Skips a string and returns its text unchanged, with its quotes.
    ///
    /// # Errors
    /// When the next value is not a string, or is malformed.
    #[inline]
    pub fn raw_string(&mut self) -> Result<&'a str> {
        let (start, end) = self.plain_run()?;
        self.position = end;
        if self.bytes().get(end) != Some(&b'"') {
            self.pass_escapes()?;
        }
        self.position += 1;
        Ok(&self.text[start - 1..self.position])
    }

    /// Advances to the string's closing quote.
    #[inline(never)]
    fn pass_escapes(&mut self) -> Result<()> {
        loop {
            match self.bytes().get(self.position) {
                Some(b'"') => return Ok(()),
                Some(b'\\') => {
                    self.escape()?;
                }
                _ => return Err(self.broken_string()),
            }
            self.position = plain_end(self.bytes(), self.position);
        }
    }
}

/// The index, from `at` on, of the first byte that ends a run of plain string text: a quote, a
/// backslash or a control character. The length of `bytes` if there is none.
#[inline]
fn plain_end(bytes: &[u8], at: usize) -> usize {
    find(bytes, at, Block::ends)
}

/// The character of an escape of two characters.
#[inline(always)]
fn unescaped(escaped: u8) -> Option<u8> {
    Some(match escaped {
        b'"' | b'\\' | b'/' => escaped,
        b'b' => 0x08,
        b'f' => 0x0C,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        _ => return None,
    })
}

/// The UTF-16 code unit of the `\uXXXX` at `at`, if there is one.
fn hex_escape(bytes: &[u8], at: usize) -> Option<u32> {
    let [b'\\', b'u', digits @ ..] = bytes.get(at..at + 6)? else {
        return None;
    };
    let mut unit = 0;
    for digit in digits {
        unit = unit << 4 | char::from(*digit).to_digit(16)?;
    }
    Some(unit)
}
