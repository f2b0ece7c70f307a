//! Strings and member names.

use std::borrow::Cow;

use super::{ErrorKind, Lexer, Result};

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
    pub(in crate::json) fn take_key_in_any_case(&mut self, name: &str) -> bool {
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
        let mut text = String::new();
        self.unescape(start, end, &mut text)?;
        Ok(Cow::Owned(text))
    }

    /// Reads a string into `target`. Replaces its contents and reuses its allocation.
    ///
    /// # Errors
    /// When the next value is not a string, or is malformed. `target` is then empty or contains a
    /// part of the string.
    #[inline]
    pub fn string_into(&mut self, target: &mut String) -> Result<()> {
        let (start, end) = self.plain_run()?;
        if self.bytes().get(end) == Some(&b'"') {
            self.position = end + 1;
            let text = &self.text[start..end];
            if target.capacity() < text.len() {
                // One allocation of exactly the length of the text.
                *target = text.to_owned();
            } else {
                target.clear();
                target.push_str(text);
            }
            return Ok(());
        }
        target.clear();
        self.unescape(start, end, target)
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

    /// Reads into `target` a string whose text without escapes is `start..end` up to the first
    /// escape.
    #[inline(never)]
    fn unescape(&mut self, start: usize, end: usize, target: &mut String) -> Result<()> {
        target.push_str(&self.text[start..end]);
        self.position = end;
        loop {
            match self.bytes().get(self.position) {
                Some(b'"') => {
                    self.position += 1;
                    return Ok(());
                }
                Some(b'\\') => target.push(self.escape()?),
                _ => return Err(self.broken_string()),
            }
            let run = self.position;
            self.position = plain_end(self.bytes(), run);
            target.push_str(&self.text[run..self.position]);
        }
    }

    /// Reads one escape, or the two escapes of a surrogate pair.
    fn escape(&mut self) -> Result<char> {
        let escaped = match self.bytes().get(self.position + 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(),
            _ => {
                return Err(self.error(
                    ErrorKind::Syntax,
                    "expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u after a backslash",
                ));
            }
        };
        self.position += 2;
        Ok(escaped)
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

const EACH: u64 = u64::MAX / 0xFF;
const HIGH_BITS: u64 = EACH << 7;

/// The index, from `at` on, of the first byte that ends a run of plain string text: a quote, a
/// backslash or a control character. The length of `bytes` if there is none.
///
/// Checks eight bytes at a time. The arithmetic can mark a byte wrongly only above a byte that is
/// marked correctly, and the lowest marked byte is used.
#[inline]
fn plain_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let word = u64::from_le_bytes(*eight);
        let quote = word ^ (EACH * b'"' as u64);
        let backslash = word ^ (EACH * b'\\' as u64);
        let marks = (word.wrapping_sub(EACH * 0x20) & !word)
            | (quote.wrapping_sub(EACH) & !quote)
            | (backslash.wrapping_sub(EACH) & !backslash);
        let marks = marks & HIGH_BITS;
        if marks != 0 {
            return at + (marks.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    while let Some(byte) = bytes.get(at)
        && !matches!(byte, b'"' | b'\\' | 0..=0x1F)
    {
        at += 1;
    }
    at
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
