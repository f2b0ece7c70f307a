//! JSON as compact text, escaped as Go writes it: members keep their order, and numbers their digits.

use std::borrow::Cow;

use crate::block::{Block, find};
use crate::lexer::{Lexer, Result};
use crate::writer;

/// Reads the value at the cursor as compact text.
///
/// # Errors
/// When it is not JSON, or contains a number too large for a 64-bit float, which no reader could use.
pub fn read<'a>(lexer: &mut Lexer<'a>) -> Result<Cow<'a, str>> {
    lexer.peek()?;
    let start = lexer.offset();
    let rest = &lexer.input()[start..];
    if let Some(length) = plain_length(rest.as_bytes()) {
        lexer.pass_checked(length);
        return Ok(Cow::Borrowed(&rest[..length]));
    }
    lexer.skip_finite()?;
    Ok(compact(&lexer.input()[start..lexer.offset()]))
}

/// Whether a text is one value that is compact and has no number and no character outside ASCII. `false` means that it
/// must be read to know: it may be compact, and it may be no JSON.
pub fn is_plain(text: &str) -> bool {
    plain_length(text.as_bytes()) == Some(text.len())
}

/// The length of the JSON value that the bytes begin with, if the value is
/// plain: compact, ASCII, without numbers, and with only the escapes that JSON
/// requires. Nearly all values that servers write are plain. `None` means that
/// the value must be read in full: it may be valid or not.
///
/// This is a shortcut for `managedFields`, which are most of the JSON that is
/// stored as text, and half of many objects.
fn plain_length(bytes: &[u8]) -> Option<usize> {
    /// One level for each bit of `open`, except the bit that ends them.
    const DEEPEST: u64 = 1 << 62;
    let mut at = 0;
    // The open objects (1) and arrays (0), the innermost in the lowest bit.
    let mut open = 1_u64;
    // Whether a member's name must be next.
    let mut name = false;
    loop {
        match *bytes.get(at)? {
            b'"' => {
                at = plain_string_end(bytes, at + 1)?;
                if name {
                    if *bytes.get(at)? != b':' {
                        return None;
                    }
                    at += 1;
                    name = false;
                    continue;
                }
            }
            _ if name => return None,
            b'{' => {
                if *bytes.get(at + 1)? != b'}' {
                    if open >= DEEPEST {
                        return None;
                    }
                    open = open << 1 | 1;
                    at += 1;
                    name = true;
                    continue;
                }
                at += 2;
            }
            b'[' => {
                if *bytes.get(at + 1)? != b']' {
                    if open >= DEEPEST {
                        return None;
                    }
                    open <<= 1;
                    at += 1;
                    continue;
                }
                at += 2;
            }
            _ => {
                let rest = &bytes[at..];
                let word = ["true", "false", "null"].iter().find(|word| rest.starts_with(word.as_bytes()))?;
                at += word.len();
            }
        }
        loop {
            if open == 1 {
                return Some(at);
            }
            match (*bytes.get(at)?, open & 1) {
                (b',', object) => {
                    at += 1;
                    name = object == 1;
                    break;
                }
                (b'}', 1) | (b']', 0) => {
                    open >>= 1;
                    at += 1;
                }
                _ => return None,
            }
        }
    }
}

/// The offset of the end of the string whose text begins at `at`. An escaped
/// quote counts as plain: keys of lists in `managedFields` are JSON in JSON.
#[inline(always)]
fn plain_string_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at = find(bytes, at, Block::unusual);
        if *bytes.get(at)? == b'"' {
            return Some(at + 1);
        }
        if bytes[at] != b'\\' || !matches!(bytes.get(at + 1)?, b'"' | b'\\') {
            return None;
        }
        at += 2;
    }
}

/// JSON without the whitespace between its tokens, escaped as Go writes it.
fn compact(json: &str) -> Cow<'_, str> {
    let suspect = |b: u8| matches!(b, 0..=b' ' | b'<' | b'>' | b'&' | 0xE2);
    // Without an early exit, the compiler can check many bytes at a time.
    if !json.bytes().fold(false, |found, b| found | suspect(b)) {
        return json.into();
    }
    let mut out = Vec::with_capacity(json.len());
    let mut rest = json;
    while let Some(quote) = rest.find('"') {
        let (between, literal) = rest.split_at(quote);
        let (literal, after) = literal.split_at(literal_end(literal));
        out.extend(between.bytes().filter(|b| *b > b' '));
        writer::literal_for_html(&mut out, literal);
        rest = after;
    }
    out.extend(rest.bytes().filter(|b| *b > b' '));
    String::from_utf8(out).expect("whole characters of a text were copied").into()
}

/// The length of the string literal that the text begins with.
fn literal_end(text: &str) -> usize {
    let mut escaped = false;
    let closing = text.bytes().skip(1).position(|b| {
        let closes = b == b'"' && !escaped;
        escaped = b == b'\\' && !escaped;
        closes
    });
    closing.map_or(text.len(), |closing| closing + 2)
}
