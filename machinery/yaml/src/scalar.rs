//! Resolves scalars to values, by the rules of YAML 1.1 as Go's library implements them.
//!
//! Booleans are `y`, `yes`, `on`, `true` and their opposites, in lower case, in upper case or
//! capitalized. Integers are decimal, `0x`, `0o`, `0b`, or octal after a leading zero, with
//! underscores anywhere. Numbers to the base 60 are not recognized; they are strings.

/// The value of a scalar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scalar {
    Null,
    Bool(bool),
    Integer(i64),
    /// Above the range of `i64`.
    Unsigned(u64),
    Float(f64),
    /// A string: the scalar's own text.
    Text,
}

/// Resolves a scalar that has neither quotes nor a tag.
pub(super) fn resolve(text: &str) -> Scalar {
    let first = text.bytes().next();
    match first {
        None => Scalar::Null,
        Some(b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~') => word(text),
        Some(b'.') => special(text).unwrap_or_else(|| fraction(text)),
        Some(b'+' | b'-') => special(text).unwrap_or_else(|| number(text)),
        Some(b'0'..=b'9') => number(text),
        Some(_) => Scalar::Text,
    }
}

fn word(text: &str) -> Scalar {
    match text {
        "~" | "null" | "Null" | "NULL" => Scalar::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Scalar::Bool(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Scalar::Bool(false)
        }
        _ => Scalar::Text,
    }
}

fn special(text: &str) -> Option<Scalar> {
    match text {
        ".nan" | ".NaN" | ".NAN" => Some(Scalar::Float(f64::NAN)),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Some(Scalar::Float(f64::INFINITY)),
        "-.inf" | "-.Inf" | "-.INF" => Some(Scalar::Float(f64::NEG_INFINITY)),
        _ => None,
    }
}

fn number(text: &str) -> Scalar {
    let plain = text.replace('_', "");
    integer(&plain).unwrap_or_else(|| float(&plain))
}

fn integer(text: &str) -> Option<Scalar> {
    let (sign, digits) = match text.as_bytes().first()? {
        b'+' => ("+", &text[1..]),
        b'-' => ("-", &text[1..]),
        _ => ("", text),
    };
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', _, ..] => (16, &digits[2..]),
        [b'0', b'o' | b'O', _, ..] => (8, &digits[2..]),
        [b'0', b'b' | b'B', _, ..] => (2, &digits[2..]),
        [b'0', _, ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    // A sign is also allowed after `0b`, but after no other prefix.
    let is_late = radix == 2 && sign.is_empty();
    if !is_late && digits.starts_with(['+', '-']) {
        return None;
    }
    if let Ok(value) = i64::from_str_radix(&format!("{sign}{digits}"), radix) {
        return Some(Scalar::Integer(value));
    }
    if sign.is_empty() {
        return u64::from_str_radix(digits, radix).ok().map(Scalar::Unsigned);
    }
    None
}

/// Resolves a scalar that begins with a decimal point. Unlike in other numbers, each underscore must
/// be between two digits.
fn fraction(text: &str) -> Scalar {
    let bytes = text.as_bytes();
    let is_digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    let separates = |at: usize| is_digit(at.checked_sub(1)) && is_digit(Some(at + 1));
    if text.match_indices('_').all(|(at, _)| separates(at)) {
        float(&text.replace('_', ""))
    } else {
        Scalar::Text
    }
}

/// A float if the text is decimal digits with a point, an exponent or both, in range; otherwise a
/// string.
fn float(text: &str) -> Scalar {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_number = unsigned.starts_with(|c: char| c == '.' || c.is_ascii_digit())
        && unsigned.bytes().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    match text.parse::<f64>() {
        Ok(value) if is_number && value.is_finite() => Scalar::Float(value),
        _ => Scalar::Text,
    }
}

/// Resolves a scalar with one of YAML's own tags (`tag` is `int` for `!!int`). `None` if the text
/// does not match the tag. Any other tag makes the scalar a string.
pub(super) fn resolve_tagged(tag: &str, text: &str) -> Option<Scalar> {
    match (tag, resolve(text)) {
        ("int", found @ (Scalar::Integer(_) | Scalar::Unsigned(_))) => Some(found),
        ("bool", found @ Scalar::Bool(_)) => Some(found),
        ("null", Scalar::Null) => Some(Scalar::Null),
        ("float", Scalar::Integer(value)) => Some(Scalar::Float(value as f64)),
        ("float", Scalar::Unsigned(value)) => Some(Scalar::Float(value as f64)),
        ("float", found @ Scalar::Float(_)) => Some(found),
        ("timestamp", Scalar::Text) if is_timestamp(text) => Some(Scalar::Text),
        ("int" | "bool" | "null" | "float" | "timestamp", _) => None,
        _ => Some(Scalar::Text),
    }
}

/// Whether an unquoted string would be another type in YAML 1.1, so that it must be quoted.
///
/// Differs from Go for `<<`: Go writes it without quotes, and then reads such a key as a merge.
pub(super) fn is_ambiguous(text: &str) -> bool {
    text == "<<" || resolve(text) != Scalar::Text || is_timestamp(text) || is_sexagesimal(text)
}

/// Whether the text is a timestamp, such as `2006-01-02` and `2006-1-2T15:4:5Z`.
fn is_timestamp(text: &str) -> bool {
    let Some((year, rest)) = take_digits(text, 4..=4).filter(|(_, rest)| rest.starts_with('-')) else {
        return false;
    };
    let Some((month, rest)) = take_digits(&rest[1..], 1..=2) else {
        return false;
    };
    let Some((day, rest)) = rest.strip_prefix('-').and_then(|rest| take_digits(rest, 1..=2)) else {
        return false;
    };
    if !(1..=12).contains(&month) || day < 1 || i64::from(day) > days_of_month(year, month) {
        return false;
    }
    match rest.as_bytes().first() {
        None => true,
        Some(b'T' | b't') => clock(&rest[1..]).is_some_and(is_zone),
        Some(b' ') => clock(rest.trim_start_matches(' ')).is_some_and(str::is_empty),
        Some(_) => false,
    }
}

fn days_of_month(year: u32, month: u32) -> i64 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Skips a time such as `15:04:05.999`, with or without leading zeros, and returns the rest.
fn clock(text: &str) -> Option<&str> {
    let (hour, rest) = take_digits(text, 1..=2)?;
    let (minute, rest) = take_digits(rest.strip_prefix(':')?, 1..=2)?;
    let (second, rest) = take_digits(rest.strip_prefix(':')?, 1..=2)?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    Some(match rest.strip_prefix(['.', ',']) {
        Some(fraction) if fraction.starts_with(|c: char| c.is_ascii_digit()) => {
            fraction.trim_start_matches(|c: char| c.is_ascii_digit())
        }
        _ => rest,
    })
}

fn is_zone(text: &str) -> bool {
    match text.as_bytes() {
        [b'Z'] => true,
        [b'+' | b'-', _, _, b':', _, _] => {
            let hour = take_digits(&text[1..], 2..=2);
            let minute = text.get(4..).and_then(|text| take_digits(text, 2..=2));
            hour.is_some_and(|(hour, _)| hour <= 24) && minute.is_some_and(|(minute, _)| minute <= 60)
        }
        _ => false,
    }
}

/// Takes as many digits as there are, up to the end of `count`. Returns their number and the rest of
/// the text; `None` if there are fewer digits than the start of `count`.
fn take_digits(text: &str, count: std::ops::RangeInclusive<usize>) -> Option<(u32, &str)> {
    let found = text.bytes().take(*count.end()).take_while(u8::is_ascii_digit).count();
    if found < *count.start() {
        return None;
    }
    let (digits, rest) = text.split_at(found);
    Some((digits.parse().ok()?, rest))
}

/// Whether the text is a number to the base 60, such as `1:20:30.5`. Other readers of YAML 1.1
/// recognize these.
fn is_sexagesimal(text: &str) -> bool {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    let mut parts = text.split(':');
    let Some(first) = parts.next() else {
        return false;
    };
    if !first.starts_with(|c: char| c.is_ascii_digit()) || !is_underscored(first) {
        return false;
    }
    let mut rest: Vec<&str> = parts.collect();
    let Some(last) = rest.pop() else {
        return false;
    };
    let (last, fraction) = last.split_once('.').unwrap_or((last, ""));
    rest.into_iter().chain([last]).all(is_minute) && is_underscored(fraction)
}

fn is_underscored(digits: &str) -> bool {
    digits.bytes().all(|b| b.is_ascii_digit() || b == b'_')
}

fn is_minute(text: &str) -> bool {
    matches!(text.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9'])
}
