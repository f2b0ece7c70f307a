//! Functions of texts.

use super::{Result, whole};
use crate::cel::format::{Clause, Hex, fixed, format, scientific};
use crate::cel::value::{Value, Wrong, double_text};
use crate::cel::work::{LIMIT_EXCEEDED, MAX_MADE, Work};
use crate::duration;
use crate::pattern::Pattern;
use crate::text::quoted;

pub(super) fn call<'a>(
    function: &str,
    args: &[Value<'a>],
    pattern: Option<&Pattern>,
    work: &mut Work,
) -> Option<Result<'a>> {
    if function == "strings.quote" {
        let [Value::Text(text)] = args else { return None };
        return Some(Ok(Value::text(quote(text))));
    }
    if let (Some(pattern), [Value::Text(text), Value::Text(_), rest @ ..]) = (pattern, args) {
        return match (function, rest) {
            ("matches", []) => Some(Ok(Value::Bool(pattern.is_match(text)))),
            ("find", []) => Some(Ok(Value::text(pattern.find(text, 1).first().copied().unwrap_or_default()))),
            ("findAll", []) => Some(Ok(Value::texts(pattern.find(text, usize::MAX)))),
            ("findAll", [Value::Int(count)]) => {
                let count = usize::try_from(*count).unwrap_or(usize::MAX);
                Some(Ok(Value::texts(pattern.find(text, count))))
            }
            _ => None,
        };
    }
    let (Value::Text(text), rest) = args.split_first()? else { return None };
    let out_of_range = |at: i64| Some(Err(format!("index out of range: {at}")));
    Some(Ok(match (function, rest) {
        ("contains", [Value::Text(part)]) => Value::Bool(text.contains(&**part)),
        ("startsWith", [Value::Text(part)]) => Value::Bool(text.starts_with(&**part)),
        ("endsWith", [Value::Text(part)]) => Value::Bool(text.ends_with(&**part)),
        ("charAt", [Value::Int(at)]) => match usize::try_from(*at) {
            Ok(index) if index <= text.chars().count() => {
                Value::text(text.chars().nth(index).map(String::from).unwrap_or_default())
            }
            _ => return out_of_range(*at),
        },
        ("indexOf", [Value::Text(part)]) => index_of(text, part, 0),
        ("indexOf", [Value::Text(part), Value::Int(from)]) => match usize::try_from(*from) {
            Ok(from) => index_of(text, part, from),
            Err(_) => return out_of_range(*from),
        },
        ("lastIndexOf", [Value::Text(part)]) => last_index_of(text, part, None),
        ("lastIndexOf", [Value::Text(part), Value::Int(from)]) => match usize::try_from(*from) {
            Ok(from) => last_index_of(text, part, Some(from)),
            Err(_) => return out_of_range(*from),
        },
        ("lowerAscii", []) => Value::text(text.to_ascii_lowercase()),
        ("upperAscii", []) => Value::text(text.to_ascii_uppercase()),
        ("trim", []) => Value::text(text.trim()),
        ("replace", [Value::Text(old), Value::Text(new), rest @ ..]) => {
            let count = match rest {
                [Value::Int(count)] => usize::try_from(*count).unwrap_or(usize::MAX),
                _ => usize::MAX,
            };
            match replace(text, old, new, count, work) {
                Ok(text) => Value::text(text),
                Err(wrong) => return Some(Err(wrong)),
            }
        }
        ("split", [Value::Text(separator), rest @ ..]) => {
            let count = match rest {
                [Value::Int(count)] => *count,
                _ => -1,
            };
            split(text, separator, count)
        }
        ("substring", [Value::Int(start), rest @ ..]) => {
            let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
            let end = match rest {
                [Value::Int(end)] => *end,
                _ => length,
            };
            if !rest.is_empty() && *start > end {
                return Some(Err(format!("invalid substring range. start: {start}, end: {end}")));
            }
            for at in [*start, end] {
                if at < 0 || at > length {
                    return out_of_range(at);
                }
            }
            let (start, end) = (*start as usize, end as usize);
            Value::text(text.chars().skip(start).take(end.saturating_sub(start)).collect::<String>())
        }
        ("format", [Value::List(list)]) => {
            let mut size = text.len();
            let made = format(text, list.len(), |clause, at| {
                let made = clause_text(clause, &list.get(at)?)?;
                size += made.len();
                work.make(size)?;
                Ok(made)
            });
            return Some(made.map(Value::text));
        }
        _ => return None,
    }))
}

fn index_of(text: &str, part: &str, from: usize) -> Value<'static> {
    let length = text.chars().count();
    if part.is_empty() {
        return whole(from.min(length));
    }
    let start = text.char_indices().nth(from).map(|(at, _)| at);
    let found = start.and_then(|start| text[start..].find(part).map(|at| text[..start + at].chars().count()));
    found.map_or(Value::Int(-1), whole)
}

/// The last place of a part that begins at `from` or before.
fn last_index_of(text: &str, part: &str, from: Option<usize>) -> Value<'static> {
    let length = text.chars().count();
    if part.is_empty() {
        return whole(from.unwrap_or(length).min(length));
    }
    if from.is_some_and(|from| from >= length) {
        return Value::Int(-1);
    }
    let end = from.map_or(text.len(), |from| {
        let last = from + part.chars().count();
        text.char_indices().nth(last).map_or(text.len(), |(at, _)| at)
    });
    text[..end].rfind(part).map_or(Value::Int(-1), |at| whole(text[..at].chars().count()))
}

fn replace(
    text: &str,
    old: &str,
    new: &str,
    count: usize,
    work: &mut Work,
) -> std::result::Result<String, Wrong> {
    let places = if old.is_empty() { text.chars().count() + 1 } else { text.matches(old).count() };
    let places = places.min(count);
    let size = places.checked_mul(new.len()).and_then(|size| size.checked_add(text.len()));
    match size {
        Some(size) if size <= MAX_MADE => work.make(size)?,
        _ => return Err(LIMIT_EXCEEDED.to_owned()),
    }
    Ok(text.replacen(old, new, places))
}

fn split(text: &str, separator: &str, count: i64) -> Value<'static> {
    if count == 0 {
        return Value::texts(Vec::<String>::new());
    }
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    if !separator.is_empty() {
        return Value::texts(text.splitn(count, separator));
    }
    let mut parts: Vec<String> = Vec::new();
    let mut chars = text.chars();
    while parts.len() + 1 < count {
        match chars.next() {
            Some(c) => parts.push(c.into()),
            None => return Value::texts(parts),
        }
    }
    if !chars.as_str().is_empty() {
        parts.push(chars.as_str().to_owned());
    }
    Value::texts(parts)
}

/// A text in quotes, with escapes of CEL.
fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            '\\' => out.push_str("\\\\"),
            '"' => out.push_str("\\\""),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn clause_text(clause: Clause, value: &Value<'_>) -> std::result::Result<String, Wrong> {
    let during = |wrong: String| format!("error during formatting: {wrong}");
    let no = || during(clause.error(value.ty().name()));
    let special = |text: &str| match text {
        "NaN" => Some(f64::NAN),
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        _ => None,
    };
    Ok(match (clause, value) {
        (Clause::String, value) => shown(value).map_err(during)?,
        (Clause::Decimal, Value::Int(number)) => number.to_string(),
        (Clause::Decimal, Value::Uint(number)) => number.to_string(),
        (Clause::Fixed(precision), Value::Double(number)) => fixed(*number, precision),
        (Clause::Scientific(precision), Value::Double(number)) => scientific(*number, precision),
        (Clause::Fixed(_) | Clause::Scientific(_), Value::Text(text)) => {
            fixed(special(text).ok_or_else(no)?, 0)
        }
        (Clause::Binary, Value::Int(number)) => signed(*number, format!("{:b}", number.unsigned_abs())),
        (Clause::Binary, Value::Uint(number)) => format!("{number:b}"),
        (Clause::Binary, Value::Bool(value)) => u8::from(*value).to_string(),
        (Clause::Octal, Value::Int(number)) => signed(*number, format!("{:o}", number.unsigned_abs())),
        (Clause::Octal, Value::Uint(number)) => format!("{number:o}"),
        (Clause::Hex { upper }, value) => {
            let text = match value {
                Value::Int(number) => signed(*number, format!("{:x}", number.unsigned_abs())),
                Value::Uint(number) => format!("{number:x}"),
                Value::Text(text) => format!("{:x}", Hex(text.as_bytes())),
                Value::Bytes(bytes) => format!("{:x}", Hex(bytes)),
                _ => return Err(no()),
            };
            if upper { text.to_uppercase() } else { text }
        }
        _ => return Err(no()),
    })
}

fn signed(number: i64, digits: String) -> String {
    if number < 0 { format!("-{digits}") } else { digits }
}

/// What `%s` shows of a value.
fn shown(value: &Value<'_>) -> std::result::Result<String, Wrong> {
    Ok(match value {
        Value::List(list) => {
            let items: Vec<String> =
                list.items().map(|item| shown_inside(&item?)).collect::<std::result::Result<_, _>>()?;
            format!("[{}]", items.join(", "))
        }
        Value::Map(map) => {
            let mut entries = Vec::new();
            for key in map.keys() {
                if !matches!(key, Value::Text(_) | Value::Bool(_) | Value::Int(_) | Value::Uint(_)) {
                    return Err(format!("no formatting function for map key of type {}", key.ty().name()));
                }
                let value = map.find(&key)?.unwrap_or_default();
                entries.push(format!("{}:{}", shown_inside(&key)?, shown_inside(&value)?));
            }
            entries.sort();
            format!("{{{}}}", entries.join(", "))
        }
        Value::Null => "null".to_owned(),
        Value::Text(text) => text.to_string(),
        Value::Double(number) => double_text(*number),
        Value::Bytes(bytes) => String::from_utf8(bytes.to_vec()).map_err(
            |_| "could not convert argument \"invalid UTF-8 in bytes, cannot convert to string\" to string",
        )?,
        Value::Bool(_)
        | Value::Int(_)
        | Value::Uint(_)
        | Value::Type(_)
        | Value::Duration(_)
        | Value::Timestamp(_) => value.shown(),
        other => return Err(Clause::String.error(other.ty().name())),
    })
}

/// What `%s` shows of a value in a list or a map.
fn shown_inside(value: &Value<'_>) -> std::result::Result<String, Wrong> {
    Ok(match value {
        Value::Text(text) => quoted(text),
        Value::Bytes(bytes) => format!("b{}", quoted(&String::from_utf8_lossy(bytes))),
        Value::Double(number) if number.is_finite() => format!("{number:.6}"),
        Value::Double(number) => quoted(&double_text(*number)),
        Value::Duration(nanoseconds) => format!("duration({})", quoted(&duration::text(*nanoseconds))),
        Value::Timestamp(time) => format!("timestamp({})", quoted(&time.to_string())),
        value => shown(value)?,
    })
}
