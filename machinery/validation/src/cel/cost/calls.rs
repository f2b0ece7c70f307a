//! The cost of calls that were made.

use super::{LIST, PATTERN, TEXT, scaled};
use crate::cel::value::{Value, Wrong};

/// An argument, or a result: a value, or what was wrong.
type Found<'a> = Result<Value<'a>, Wrong>;

/// The cost of a call. Sizes do not look into optional values where upstream's library does not.
pub(crate) fn actual(function: &str, overload: Option<&str>, args: &[Found<'_>], result: &Found<'_>) -> u64 {
    let size = |at: usize| args.get(at).map_or(1, |arg| arg.as_ref().map_or(1, Value::own_size));
    let of_result = || result.as_ref().map_or(1, Value::own_size);
    let text = |at: usize| scaled(size(at), TEXT);
    let pattern = |text: u64, pattern: u64| {
        let text = ((1.0 + text as f64) * TEXT).ceil() as u64;
        text.saturating_mul(scaled(pattern, PATTERN))
    };
    let overload = overload.unwrap_or_default();
    match overload {
        "list_sets_contains_list" | "list_sets_intersects_list" => {
            return 1 + size(0).saturating_mul(size(1));
        }
        "list_sets_equivalent_list" => return 1 + size(0).saturating_mul(size(1)).saturating_mul(2),
        "list_slice" | "lists_range" | "list_reverse" => return allocated(of_result(), 1.0),
        "list_flatten" | "list_flatten_int" => {
            let depth = match args.get(1) {
                Some(Ok(Value::Int(depth))) => *depth as f64,
                _ => 1.0,
            };
            return allocated(size(0), if depth < 0.0 { 1.0 } else { depth });
        }
        "list_distinct" => return compared(args.first()),
        _ if overload.starts_with("list_") && overload.ends_with("_sort") => return compared(args.first()),
        _ if overload.ends_with("_sortByAssociatedKeys") => return compared(args.get(1)),
        _ => {}
    }
    match function {
        "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" | "includes" => {
            args.first().map_or(0, traversal)
        }
        "url" | "lowerAscii" | "upperAscii" | "substring" | "trim" => text(0),
        "replace" | "split" => scaled(size(0), 2.0 * TEXT),
        "join" => scaled(of_result(), 2.0 * TEXT),
        "find" | "findAll" => pattern(size(0), size(1)),
        "ip" if overload == "cidr_ip" => 1,
        "cidr" | "isIP" | "isCIDR" | "ip" | "quantity" | "isQuantity" | "semver" | "isSemver" => text(0),
        "ip.isCanonical" => scaled(size(0), 2.0 * TEXT),
        "containsIP" => {
            let other = if overload == "cidr_contains_ip_string" { text(1) } else { 0 };
            scaled(size(0).saturating_mul(2), TEXT) + other
        }
        "containsCIDR" => {
            let other = if overload == "cidr_contains_cidr_string" { text(1) } else { 0 };
            scaled(size(0).saturating_mul(2), TEXT) + text(0) + 1 + other
        }
        "validate" => match args.first() {
            Some(Ok(Value::Format(format))) => pattern(size(1), format.pattern_size),
            _ => 1,
        },
        "_==_" => match args.first() {
            Some(Ok(
                Value::Quantity(_)
                | Value::Ip(_)
                | Value::Cidr(_)
                | Value::Format(_)
                | Value::Url(_)
                | Value::Semver(_),
            )) => 1,
            _ => standard("equals", args, &pattern),
        },
        _ => standard(overload, args, &pattern),
    }
}

/// The cost of functions of CEL itself.
fn standard(overload: &str, args: &[Found<'_>], pattern: &dyn Fn(u64, u64) -> u64) -> u64 {
    let size = |at: usize| args.get(at).map_or(1, |arg| arg.as_ref().map_or(1, Value::size));
    match overload {
        "starts_with_string" | "ends_with_string" => scaled(size(1), TEXT),
        "string_to_bytes" | "bytes_to_string" | "strings_quote" | "string_format" => scaled(size(0), TEXT),
        "in_list" => size(1),
        "equals" | "not_equals" => scaled(size(0).min(size(1)), TEXT),
        _ if is_order_of_texts(overload) => scaled(size(0).min(size(1)), TEXT),
        "add_string" | "add_bytes" => scaled(size(0).saturating_add(size(1)), TEXT),
        "matches" | "matches_string" => pattern(size(0), size(1)),
        "contains_string" => scaled(size(0), TEXT).saturating_mul(scaled(size(1), TEXT)),
        _ => 1,
    }
}

/// Whether a comparison reads texts or bytes.
pub(super) fn is_order_of_texts(overload: &str) -> bool {
    ["less_", "less_equals_", "greater_", "greater_equals_"]
        .iter()
        .any(|order| matches!(overload.strip_prefix(order), Some("string" | "bytes")))
}

fn allocated(size: u64, factor: f64) -> u64 {
    ((size as f64 * factor) as u64).saturating_add(1 + LIST)
}

/// The cost of comparing all items of a list with each other.
fn compared(list: Option<&Found<'_>>) -> u64 {
    let Some(Ok(Value::List(list))) = list else { return 1 + LIST };
    let first = list.get(0);
    let factor = if matches!(first, Ok(Value::Text(_) | Value::Bytes(_))) { 2.0 + TEXT } else { 2.0 };
    let size = list.len() as u64;
    allocated(size.saturating_mul(size), factor)
}

/// The cost of reading all of a value.
fn traversal(found: &Found<'_>) -> u64 {
    let bytes = |length: usize| (length as f64 * TEXT) as u64;
    match found {
        Ok(Value::Text(text)) => bytes(text.len()),
        Ok(Value::Bytes(value)) => bytes(value.len()),
        Ok(Value::List(list)) => list.items().map(|item| traversal(&item)).sum(),
        Ok(Value::Map(map)) => map
            .keys()
            .into_iter()
            .map(|key| {
                let value = map.find(&key).map(Option::unwrap_or_default);
                traversal(&Ok(key)) + traversal(&value)
            })
            .sum(),
        _ => 1,
    }
}
