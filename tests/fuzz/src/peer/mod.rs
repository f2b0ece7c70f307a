//! Other implementations (peers) that decode the same bytes.

pub mod protobuf;

use serde::Deserialize;
use serde_json::Value;

/// A JSON document as serde_json reads it, to any depth.
pub fn json(bytes: &[u8]) -> Option<Value> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    deserializer.disable_recursion_limit();
    let value = Value::deserialize(&mut deserializer).ok()?;
    deserializer.end().ok()?;
    Some(value)
}

/// The document with `\ufffd` for each lone surrogate. hubgen reads them so, as Go does; serde_json refuses them.
pub fn without_lone_surrogates(json: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(json.len());
    let mut rest = json;
    while let Some(&byte) = rest.first() {
        let length = match (byte, unit(rest), rest.get(6..).and_then(unit)) {
            (b'\\', Some(0xd800..0xdc00), Some(0xdc00..0xe000)) => 12,
            (b'\\', Some(0xd800..0xe000), _) => {
                out.extend(b"\\ufffd");
                rest = &rest[6..];
                continue;
            }
            (b'\\', Some(_), _) => 6,
            (b'\\', None, _) => rest.len().min(2),
            _ => 1,
        };
        out.extend(&rest[..length]);
        rest = &rest[length..];
    }
    out
}

/// The UTF-16 code unit of the `\uXXXX` that the bytes begin with.
fn unit(bytes: &[u8]) -> Option<u16> {
    let digits = bytes.strip_prefix(b"\\u")?.get(..4)?;
    digits.iter().try_fold(0, |unit, digit| Some(unit << 4 | char::from(*digit).to_digit(16)? as u16))
}

/// Whether the bytes are JSON, independent of the values of numbers and escapes.
pub fn is_json(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok())
}

/// The most objects and arrays that are open at once in a JSON document.
pub fn depth(json: &[u8]) -> u32 {
    outside_of_strings(json)
        .fold((0, 0), |(open, deepest): (u32, u32), byte| match byte {
            b'{' | b'[' => (open + 1, deepest.max(open + 1)),
            b'}' | b']' => (open - 1, deepest),
            _ => (open, deepest),
        })
        .1
}

/// The number of members of all objects in a JSON document.
pub fn members(json: &[u8]) -> usize {
    outside_of_strings(json).filter(|byte| *byte == b':').count()
}

/// The number of members of all objects in a value.
pub fn members_of(value: &Value) -> usize {
    match value {
        Value::Array(elements) => elements.iter().map(members_of).sum(),
        Value::Object(members) => members.len() + members.values().map(members_of).sum::<usize>(),
        _ => 0,
    }
}

fn outside_of_strings(json: &[u8]) -> impl Iterator<Item = u8> {
    let (mut inside, mut escaped) = (false, false);
    json.iter().copied().filter(move |byte| {
        let was_inside = inside;
        if !escaped && *byte == b'"' {
            inside = !inside;
        }
        escaped = inside && !escaped && *byte == b'\\';
        !was_inside && !inside
    })
}

/// Whether two values are equal, independent of the order of members. Zero equals negative zero, and a whole number
/// equals the same number with a decimal point.
pub fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| same(a, b)))
        }
        (a, b) => a == b,
    }
}
