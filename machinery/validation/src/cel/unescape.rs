//! Texts and bytes as they are written in expressions.

use std::borrow::Cow;

/// The bytes of a literal with its quotes, and `r` before them if it is raw. In a text, escapes are characters; in
/// bytes, `\x` and octal escapes are bytes.
pub(crate) fn unescape(literal: &str, is_bytes: bool) -> Result<Vec<u8>, &'static str> {
    const WRONG: &str = "unable to unescape string";
    let literal: Cow<'_, str> = match literal.contains('\r') {
        true => literal.replace("\r\n", "\n").replace('\r', "\n").into(),
        false => literal.into(),
    };
    let raw = literal.starts_with(['r', 'R']);
    let quoted = if raw { &literal[1..] } else { &literal[..] };
    let long = quoted.len() >= 6 && (quoted.starts_with("\"\"\"") || quoted.starts_with("'''"));
    let width = if long { 3 } else { 1 };
    let inner = quoted.get(width..quoted.len().saturating_sub(width)).ok_or(WRONG)?;
    if raw || !inner.contains('\\') {
        return Ok(inner.as_bytes().to_vec());
    }
    let mut out = Vec::with_capacity(inner.len());
    let mut rest = inner.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            push(&mut out, c);
            continue;
        }
        let Some(kind) = rest.next() else {
            return Err("unable to unescape string, found '\\' as last character");
        };
        match kind {
            'a' => out.push(7),
            'b' => out.push(8),
            'f' => out.push(12),
            'n' => out.push(b'\n'),
            'r' => out.push(b'\r'),
            't' => out.push(b'\t'),
            'v' => out.push(11),
            '\\' | '\'' | '"' | '`' | '?' => push(&mut out, kind),
            'u' | 'U' if is_bytes => return Err(WRONG),
            'x' | 'X' => character(&mut out, &mut rest, 2, 16, 0, is_bytes)?,
            'u' => character(&mut out, &mut rest, 4, 16, 0, false)?,
            'U' => character(&mut out, &mut rest, 8, 16, 0, false)?,
            '0'..='3' => {
                character(&mut out, &mut rest, 2, 8, kind as u32 - '0' as u32, is_bytes).map_err(|error| {
                    if error == WRONG { "unable to unescape octal sequence in string" } else { error }
                })?
            }
            _ => return Err(WRONG),
        }
    }
    Ok(out)
}

fn push(out: &mut Vec<u8>, c: char) {
    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

fn character(
    out: &mut Vec<u8>,
    rest: &mut std::str::Chars<'_>,
    digits: usize,
    radix: u32,
    first: u32,
    is_byte: bool,
) -> Result<(), &'static str> {
    let mut code = first;
    for _ in 0..digits {
        let digit = rest.next().and_then(|c| c.to_digit(radix)).ok_or("unable to unescape string")?;
        code = code.wrapping_mul(radix) + digit;
    }
    if is_byte {
        out.push(code as u8);
    } else {
        push(out, char::from_u32(code).ok_or("invalid unicode code point")?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read() {
        let text = |literal| String::from_utf8(unescape(literal, false).unwrap()).unwrap();
        assert_eq!(text(r#""\a\x41\u00e9\U0001F600\101\"""#), "\u{7}Aé😀A\"");
        assert_eq!(text(r"r'\a'"), r"\a");
        assert_eq!(text("'''a'b'''"), "a'b");
        assert_eq!(text("'''a\r\nb'''"), "a\nb");
        assert_eq!(unescape(r"'\xff\377'", true), Ok(vec![255, 255]));
        assert_eq!(unescape(r"'\ud800'", false), Err("invalid unicode code point"));
    }
}
