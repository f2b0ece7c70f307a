//! Appends compact JSON to a buffer, byte for byte as Go's `encoding/json` writes it. The
//! characters `<`, `>`, `&`, U+2028 and U+2029 are escaped. A float has the fewest digits that
//! parse to the same float.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

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
#[inline]
pub fn string(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    out.push(b'"');
    if is_plain(bytes) {
        out.extend_from_slice(bytes);
    } else {
        escaped(out, text);
    }
    out.push(b'"');
}

/// Appends an integer.
#[inline]
pub fn integer(out: &mut Vec<u8>, value: i64) {
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
    out.extend_from_slice(STANDARD.encode(data).as_bytes());
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
    let magnitude = value.abs();
    let layout = if magnitude != 0.0 && !(1e-6..1e21).contains(&magnitude) {
        Layout::Exponent { digits: 1 }
    } else {
        Layout::Positional
    };
    Shortest::of(value).append(out, layout);
    Ok(())
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
pub(crate) enum Layout {
    /// `0.00012`, `1200`
    Positional,
    /// `1.2e-7`. The exponent always has a sign.
    Exponent {
        /// The least number of digits of the exponent.
        digits: usize,
    },
}

/// The fewest decimal digits that parse to the same float: `0.d₁d₂d₃… × 10^point`.
pub(crate) struct Shortest {
    negative: bool,
    digits: [u8; 24],
    length: usize,
    point: i32,
}

impl Shortest {
    /// The digits of a finite float.
    pub(crate) fn of(value: f64) -> Shortest {
        let mut buffer = ryu::Buffer::new();
        Shortest::read(value.is_sign_negative(), buffer.format_finite(value.abs()))
    }

    /// The digits of a finite 32-bit float.
    pub(crate) fn of_single(value: f32) -> Shortest {
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
    pub(crate) fn exponent(&self) -> i32 {
        self.point - 1
    }

    pub(crate) fn append(&self, out: &mut Vec<u8>, layout: Layout) {
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

const EACH: u64 = u64::MAX / 0xFF;
const HIGH_BITS: u64 = EACH << 7;

/// Whether `bytes` certainly contain nothing to escape. Of text outside ASCII this is false, so that
/// eight bytes can be checked at a time with little arithmetic.
#[inline]
fn is_plain(bytes: &[u8]) -> bool {
    let (eights, rest) = bytes.as_chunks::<8>();
    let mut found = eights.iter().fold(0, |found, eight| found | suspects(u64::from_le_bytes(*eight)));
    if let Some(last) = bytes.last_chunk::<8>() {
        found |= suspects(u64::from_le_bytes(*last));
    } else if let (Some(first), Some(last)) = (rest.first_chunk::<4>(), rest.last_chunk::<4>()) {
        found |= suspects(u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last)));
    } else {
        return !rest.iter().any(|byte| may_need_escape(*byte));
    }
    found & HIGH_BITS == 0
}

/// Whether a byte may need an escape: control characters, `"` `&` `<` `>` `\`, and 0xE2, with which
/// the encodings of U+2028 and U+2029 begin.
#[inline]
fn may_need_escape(byte: u8) -> bool {
    matches!(byte, 0..=0x1F | b'"' | b'&' | b'<' | b'>' | b'\\' | 0xE2)
}

/// Sets a high bit when one of the eight bytes [may need an escape](may_need_escape) or is not ASCII.
#[inline]
fn suspects(word: u64) -> u64 {
    // Sets the high bit of zero bytes and of bytes from 0x81 on; the latter are not ASCII.
    let zero = |word: u64| word.wrapping_sub(EACH);
    // `"` and `&` differ in one bit, and so do `<` and `>`: one comparison for each pair.
    let quote_and = zero((word & !(EACH * 0x04)) ^ (EACH * b'"' as u64));
    let angles = zero((word & !(EACH * 0x02)) ^ (EACH * b'<' as u64));
    let backslash = zero(word ^ (EACH * b'\\' as u64));
    let control = word.wrapping_sub(EACH * 0x20);
    word | control | quote_and | angles | backslash
}

/// Appends `text` with escapes, without the quotes.
#[inline(never)]
fn escaped(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    let mut copied = 0;
    let mut at = 0;
    while at < bytes.len() {
        let width = match bytes[at] {
            0xE2 => match bytes.get(at + 1..at + 3) {
                Some([0x80, 0xA8 | 0xA9]) => 3,
                _ => 0,
            },
            byte if may_need_escape(byte) => 1,
            _ => 0,
        };
        if width == 0 {
            at += 1;
            continue;
        }
        out.extend_from_slice(&bytes[copied..at]);
        match bytes[at] {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            0x08 => out.extend_from_slice(b"\\b"),
            0x0C => out.extend_from_slice(b"\\f"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0xE2 => unicode_escape(out, 0x2000 | u16::from(bytes[at + 2] & 0x3F)),
            byte => unicode_escape(out, u16::from(byte)),
        }
        at += width;
        copied = at;
    }
    out.extend_from_slice(&bytes[copied..]);
}

fn unicode_escape(out: &mut Vec<u8>, unit: u16) {
    out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
}

/// Appends a valid JSON string literal, and also escapes the characters that Go escapes for HTML.
pub(crate) fn literal_for_html(out: &mut Vec<u8>, literal: &str) {
    let mut copied = 0;
    for (at, found) in literal.match_indices(['<', '>', '&', '\u{2028}', '\u{2029}']) {
        out.extend_from_slice(&literal.as_bytes()[copied..at]);
        for unit in found.encode_utf16() {
            unicode_escape(out, unit);
        }
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
