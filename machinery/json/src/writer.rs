//! Appends compact JSON to a buffer, byte for byte as Go's `encoding/json` writes it. The
//! characters `<`, `>`, `&`, U+2028 and U+2029 are escaped. A float has the fewest digits that
//! parse to the same float.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::block::{Block, SIZE, load};

/// The error of a float that is infinite or NaN, which JSON cannot represent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotFinite;

impl std::fmt::Display for NotFinite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("expected a finite number, found an infinite one or NaN")
    }
}

impl std::error::Error for NotFinite {}

/// Appends `text` as a JSON string.
// The encoder is in another unit of code generation, or in the same one, as the compiler divides the crate.
#[inline]
pub fn string(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    if bytes.len() + 2 > SIZE {
        return long(out, bytes);
    }
    let text = load(bytes);
    if Block::loaded(text).escapes() & ((1 << bytes.len()) - 1) != 0 {
        return short(out, bytes);
    }
    const QUOTE: u128 = b'"' as u128;
    append(out, QUOTE | text << 8 | QUOTE << (8 * (bytes.len() + 1)), bytes.len() + 2);
}

/// Appends bytes unchanged. Most are few, for which a call of `memcpy` takes longer.
#[inline(always)]
pub fn plain(out: &mut Vec<u8>, bytes: &[u8]) {
    if bytes.len() < SIZE {
        append(out, load(bytes), bytes.len());
    } else {
        out.extend_from_slice(bytes);
    }
}

/// Appends the first bytes of a block. Appending all and removing the rest is quicker than a call of
/// `memcpy`.
#[inline(always)]
fn append(out: &mut Vec<u8>, block: u128, length: usize) {
    out.extend_from_slice(&block.to_le_bytes());
    out.truncate(out.len() - (SIZE - length));
}

/// Appends an integer.
#[inline]
pub fn integer(out: &mut Vec<u8>, value: i64) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Appends an integer that is too large for `i64`. These are rare, and its buffer would make the function larger that
/// encodes all values.
#[cold]
#[inline(never)]
pub fn unsigned(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Appends `true` or `false`.
#[inline]
pub fn bool(out: &mut Vec<u8>, value: bool) {
    out.extend_from_slice(if value { b"true" } else { b"false" });
}

/// Appends `null`.
#[inline]
pub fn null(out: &mut Vec<u8>) {
    out.extend_from_slice(b"null");
}

/// Appends `data` as a string in standard base64 with padding.
pub fn base64(out: &mut Vec<u8>, data: &[u8]) {
    out.push(b'"');
    let start = out.len();
    if let Some(length) = base64::encoded_len(data.len(), true) {
        out.resize(start + length, b'"');
    }
    STANDARD.encode_slice(data, &mut out[start..]).expect("there is room for all of it");
    out.push(b'"');
}

/// Appends a float: with an exponent only below 1e-6 and from 1e21 on, and without `.0` after whole
/// numbers.
///
/// # Errors
/// When `value` is not finite. Nothing is appended then.
pub fn float(out: &mut Vec<u8>, value: f64) -> Result<(), NotFinite> {
    if !value.is_finite() {
        return Err(NotFinite);
    }
    Shortest::of(value).append(out, layout(value == 0.0 || (1e-6..1e21).contains(&value.abs())));
    Ok(())
}

/// Appends a 32-bit float, as [`float`] does: the fewest digits that are this float, and not another one of 32 bits.
///
/// # Errors
/// When `value` is not finite. Nothing is appended then.
pub fn single(out: &mut Vec<u8>, value: f32) -> Result<(), NotFinite> {
    if !value.is_finite() {
        return Err(NotFinite);
    }
    // The limits as 32-bit floats, as Go compares them.
    Shortest::of_single(value).append(out, layout(value == 0.0 || (1e-6..1e21).contains(&value.abs())));
    Ok(())
}

/// The notation of a number, which depends on its magnitude.
fn layout(is_usual: bool) -> Layout {
    if is_usual { Layout::Positional } else { Layout::Exponent { digits: 1 } }
}

/// Appends any value.
pub fn value(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Null => null(out),
        Value::Bool(value) => bool(out, *value),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => integer(out, whole),
            (None, Some(value)) if number.is_f64() => {
                float(out, value).expect("a JSON number is finite");
            }
            _ => out.extend_from_slice(number.to_string().as_bytes()),
        },
        Value::String(text) => string(out, text),
        Value::Array(elements) => {
            out.push(b'[');
            for (index, element) in elements.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                self::value(out, element);
            }
            out.push(b']');
        }
        Value::Object(members) => {
            out.push(b'{');
            for (index, (name, value)) in members.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                string(out, name);
                out.push(b':');
                self::value(out, value);
            }
            out.push(b'}');
        }
    }
}

/// The notation of a float.
#[derive(Clone, Copy)]
pub enum Layout {
    /// `0.00012`, `1200`
    Positional,
    /// `1.2e-7`. The exponent always has a sign.
    Exponent {
        /// The least number of digits of the exponent.
        digits: usize,
    },
}

/// The fewest decimal digits that parse to the same float: `0.d₁d₂d₃… × 10^point`.
pub struct Shortest {
    negative: bool,
    digits: [u8; 24],
    length: usize,
    point: i32,
}

impl Shortest {
    /// The digits of a finite float.
    pub fn of(value: f64) -> Shortest {
        let mut buffer = ryu::Buffer::new();
        Shortest::read(value.is_sign_negative(), buffer.format_finite(value.abs()))
    }

    /// The digits of a finite 32-bit float.
    pub fn of_single(value: f32) -> Shortest {
        let mut buffer = ryu::Buffer::new();
        Shortest::read(value.is_sign_negative(), buffer.format_finite(value.abs()))
    }

    /// The digits of text that ryu wrote, such as `12.5` and `1e-7`.
    fn read(negative: bool, text: &str) -> Shortest {
        let text = text.as_bytes();
        let (mantissa, exponent) = match text.iter().position(|b| *b == b'e') {
            Some(at) => (&text[..at], decimal(&text[at + 1..])),
            None => (text, 0),
        };
        let whole = mantissa.iter().position(|b| *b == b'.').unwrap_or(mantissa.len());
        let mut shortest =
            Shortest { negative, digits: [b'0'; 24], length: 0, point: whole as i32 + exponent };
        for digit in mantissa.iter().filter(|b| **b != b'.') {
            if shortest.length == 0 && *digit == b'0' {
                shortest.point -= 1;
                continue;
            }
            shortest.digits[shortest.length] = *digit;
            shortest.length += 1;
        }
        while shortest.length > 0 && shortest.digits[shortest.length - 1] == b'0' {
            shortest.length -= 1;
        }
        if shortest.length == 0 {
            shortest.length = 1;
            shortest.point = 1;
        }
        shortest
    }

    /// The exponent in scientific notation.
    pub fn exponent(&self) -> i32 {
        self.point - 1
    }

    /// Appends the number.
    pub fn append(&self, out: &mut Vec<u8>, layout: Layout) {
        let digits = &self.digits[..self.length];
        if self.negative {
            out.push(b'-');
        }
        match layout {
            Layout::Exponent { digits: least } => {
                out.push(digits[0]);
                if digits.len() > 1 {
                    out.push(b'.');
                    out.extend_from_slice(&digits[1..]);
                }
                out.push(b'e');
                out.push(if self.exponent() < 0 { b'-' } else { b'+' });
                let exponent = self.exponent().unsigned_abs();
                out.extend_from_slice(format!("{exponent:0least$}").as_bytes());
            }
            Layout::Positional if self.point <= 0 => {
                out.extend_from_slice(b"0.");
                out.extend((self.point..0).map(|_| b'0'));
                out.extend_from_slice(digits);
            }
            Layout::Positional => {
                let whole = self.point as usize;
                if whole >= digits.len() {
                    out.extend_from_slice(digits);
                    out.extend((digits.len()..whole).map(|_| b'0'));
                } else {
                    out.extend_from_slice(&digits[..whole]);
                    out.push(b'.');
                    out.extend_from_slice(&digits[whole..]);
                }
            }
        }
    }
}

/// A decimal integer with an optional minus sign, as ryu writes exponents.
fn decimal(text: &[u8]) -> i32 {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    let value = digits.iter().fold(0, |value, digit| value * 10 + i32::from(digit - b'0'));
    if negative { -value } else { value }
}

/// Appends a short string that contains escapes.
#[inline(never)]
fn short(out: &mut Vec<u8>, bytes: &[u8]) {
    out.push(b'"');
    by_byte(out, bytes);
    out.push(b'"');
}

/// Appends a string.
#[inline(never)]
fn long(out: &mut Vec<u8>, bytes: &[u8]) {
    out.reserve(bytes.len() + 2);
    out.push(b'"');
    let mut copied = 0;
    let mut at = 0;
    while let Some(block) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let escapes = Block::new(block).escapes();
        if escapes == 0 {
            at += SIZE;
            continue;
        }
        let end = at + escapes.trailing_zeros() as usize;
        run(out, &bytes[copied..], end - copied);
        at = end + escaped(out, &bytes[end..]);
        copied = at;
    }
    let left = bytes.len() - at;
    let escapes = match bytes.last_chunk() {
        // The last block overlaps what has been searched.
        Some(block) => Block::new(block).escapes() >> (SIZE - left),
        None => Block::loaded(load(bytes)).escapes() & ((1 << left) - 1),
    };
    if escapes == 0 {
        run(out, &bytes[copied..], bytes.len() - copied);
    } else {
        out.extend_from_slice(&bytes[copied..at]);
        by_byte(out, &bytes[at..]);
    }
    out.push(b'"');
}

/// Appends the first `length` bytes of a text.
#[inline(always)]
fn run(out: &mut Vec<u8>, bytes: &[u8], length: usize) {
    match bytes.first_chunk::<SIZE>() {
        Some(block) if length <= SIZE => {
            out.extend_from_slice(block);
            out.truncate(out.len() - (SIZE - length));
        }
        _ => out.extend_from_slice(&bytes[..length]),
    }
}

#[inline(never)]
fn by_byte(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut at = 0;
    while at < bytes.len() {
        at += escaped(out, &bytes[at..]);
    }
}

/// Appends the first character of a text, escaped if Go escapes it. If it is outside ASCII and not
/// escaped, appends its first byte. Returns the number of bytes of the text that this represents.
#[inline(always)]
fn escaped(out: &mut Vec<u8>, bytes: &[u8]) -> usize {
    let (escape, width) = match bytes {
        [0xE2, 0x80, 0xA8, ..] => (&SEPARATORS[0], 3),
        [0xE2, 0x80, 0xA9, ..] => (&SEPARATORS[1], 3),
        [byte, ..] => (&ESCAPES[usize::from(*byte)], 1),
        [] => return 0,
    };
    let [_, _, _, _, _, _, _, length] = *escape;
    out.extend_from_slice(escape);
    out.truncate(out.len() - (escape.len() - usize::from(length)));
    width
}

/// An escape, padded, and its length in the last byte.
type Escape = [u8; 8];

/// The escape of each byte; the byte itself if Go does not escape it.
static ESCAPES: [Escape; 256] = {
    let mut escapes = [[0; 8]; 256];
    let mut byte = 0;
    while byte < escapes.len() {
        escapes[byte] = match byte as u8 {
            short @ (b'"' | b'\\') => [b'\\', short, 0, 0, 0, 0, 0, 2],
            0x08 => *b"\\b\0\0\0\0\0\x02",
            0x0C => *b"\\f\0\0\0\0\0\x02",
            b'\n' => *b"\\n\0\0\0\0\0\x02",
            b'\r' => *b"\\r\0\0\0\0\0\x02",
            b'\t' => *b"\\t\0\0\0\0\0\x02",
            0..=0x1F | b'<' | b'>' | b'&' => escape_of(byte as u16),
            plain => [plain, 0, 0, 0, 0, 0, 0, 1],
        };
        byte += 1;
    }
    escapes
};

/// The escapes of U+2028 and U+2029.
static SEPARATORS: [Escape; 2] = [escape_of(0x2028), escape_of(0x2029)];

/// `\u` and four digits.
const fn escape_of(unit: u16) -> Escape {
    const fn digit(value: u16) -> u8 {
        b"0123456789abcdef"[(value & 0xF) as usize]
    }
    [b'\\', b'u', digit(unit >> 12), digit(unit >> 8), digit(unit >> 4), digit(unit), 0, 6]
}

/// Appends a valid JSON string literal, and also escapes the characters that Go escapes for HTML.
pub(crate) fn literal_for_html(out: &mut Vec<u8>, literal: &str) {
    let mut copied = 0;
    for (at, found) in literal.match_indices(['<', '>', '&', '\u{2028}', '\u{2029}']) {
        out.extend_from_slice(&literal.as_bytes()[copied..at]);
        escaped(out, found.as_bytes());
        copied = at + found.len();
    }
    out.extend_from_slice(&literal.as_bytes()[copied..]);
}

/// Indents JSON as Go's `json.Indent` does with two spaces: one item per line, `{}` and `[]` on one
/// line, no newline at the end. Whitespace between tokens of the input is dropped.
///
/// The input must be JSON; it is not checked.
pub fn pretty(json: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(json.len() * 2);
    let mut depth = 0;
    let mut at = 0;
    // An opening bracket breaks the line only if something other than its closing bracket follows.
    let mut opened = false;
    while at < json.len() {
        let byte = json[at];
        at += 1;
        if matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
            continue;
        }
        let closes = matches!(byte, b'}' | b']');
        if opened && !closes {
            depth += 1;
            break_line(&mut out, depth);
        } else if closes && !opened {
            depth = depth.saturating_sub(1);
            break_line(&mut out, depth);
        }
        opened = matches!(byte, b'{' | b'[');
        out.push(byte);
        match byte {
            b',' => break_line(&mut out, depth),
            b':' => out.push(b' '),
            b'"' => {
                let start = at;
                while at < json.len() && json[at] != b'"' {
                    at += if json[at] == b'\\' { 2 } else { 1 };
                }
                at = json.len().min(at + 1);
                out.extend_from_slice(&json[start..at]);
            }
            _ => {}
        }
    }
    out
}

fn break_line(out: &mut Vec<u8>, depth: usize) {
    out.push(b'\n');
    out.resize(out.len() + 2 * depth, b' ');
}
