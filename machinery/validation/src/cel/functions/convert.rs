//! Conversions between types.

use super::Result;
use crate::cel::time::Time;
use crate::cel::types::Type;
use crate::cel::value::{Value, double_text};
use crate::duration;

pub(super) fn call<'a>(function: &str, args: &[Value<'a>]) -> Option<Result<'a>> {
    let [value] = args else { return None };
    let ty = match function {
        "dyn" => return Some(Ok(value.clone())),
        "type" => return Some(Ok(Value::Type(value.ty()))),
        "bool" => Type::Bool,
        "bytes" => Type::Bytes,
        "double" => Type::Double,
        "duration" => Type::Duration,
        "int" => Type::Int,
        "string" => Type::String,
        "timestamp" => Type::Timestamp,
        _ => Type::Uint,
    };
    if value.ty() == ty {
        return Some(Ok(value.clone()));
    }
    let overflow = || Err("integer overflow".to_owned());
    let unsigned_overflow = || Err("unsigned integer overflow".to_owned());
    Some(match (&ty, value) {
        (Type::Int, Value::Uint(number)) => {
            i64::try_from(*number).map_or_else(|_| overflow(), |n| Ok(Value::Int(n)))
        }
        (Type::Int, Value::Double(number)) => {
            match number.is_finite() && number.abs() < 9_223_372_036_854_775_807.0 {
                true => Ok(Value::Int(*number as i64)),
                false => overflow(),
            }
        }
        (Type::Int, Value::Duration(nanoseconds)) => Ok(Value::Int(*nanoseconds)),
        (Type::Int, Value::Timestamp(time)) => Ok(Value::Int(time.seconds)),
        (Type::Uint, Value::Int(number)) => {
            u64::try_from(*number).map_or_else(|_| unsigned_overflow(), |n| Ok(Value::Uint(n)))
        }
        (Type::Uint, Value::Double(number)) => {
            match number.is_finite() && *number >= 0.0 && *number < 18_446_744_073_709_551_615.0 {
                true => Ok(Value::Uint(*number as u64)),
                false => unsigned_overflow(),
            }
        }
        (Type::Double, Value::Int(number)) => Ok(Value::Double(*number as f64)),
        (Type::Double, Value::Uint(number)) => Ok(Value::Double(*number as f64)),
        (Type::Timestamp, Value::Int(seconds)) => {
            let time = Time::of_seconds(*seconds);
            if time.is_in_range() { Ok(Value::Timestamp(time)) } else { Err("timestamp overflow".to_owned()) }
        }
        (Type::String, Value::Bool(value)) => Ok(Value::text(value.to_string())),
        (Type::String, Value::Int(number)) => Ok(Value::text(number.to_string())),
        (Type::String, Value::Uint(number)) => Ok(Value::text(number.to_string())),
        (Type::String, Value::Double(number)) => Ok(Value::text(double_text(*number))),
        (Type::String, Value::Duration(nanoseconds)) => Ok(Value::text(duration::text(*nanoseconds))),
        (Type::String, Value::Timestamp(time)) => Ok(Value::text(time.to_string())),
        (Type::String, Value::Ip(ip)) => Ok(Value::text(ip.to_string())),
        (Type::String, Value::Cidr(cidr)) => Ok(Value::text(cidr.to_string())),
        (Type::String, Value::Bytes(bytes)) => match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Value::text(text)),
            Err(_) => Err("invalid UTF-8 in bytes, cannot convert to string".to_owned()),
        },
        (_, Value::Text(text)) => of_text(&ty, text),
        _ => return None,
    })
}

fn of_text<'a>(ty: &Type, text: &str) -> Result<'a> {
    let found = match ty {
        Type::Bool => match text {
            "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(Value::Bool(true)),
            "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(Value::Bool(false)),
            _ => None,
        },
        Type::Int => text.parse().ok().map(Value::Int),
        Type::Uint => text.parse().ok().filter(|_| !text.starts_with('+')).map(Value::Uint),
        Type::Double => parse_double(text).map(Value::Double),
        Type::Bytes => Some(Value::Bytes(text.as_bytes().into())),
        Type::Duration => duration::parse(text).map(Value::Duration),
        Type::Timestamp => match Time::parse(text) {
            Some(time) if !time.is_in_range() => return Err("timestamp overflow".to_owned()),
            found => found.map(Value::Timestamp),
        },
        _ => None,
    };
    found.ok_or_else(|| format!("type conversion error from 'string' to '{}'", ty.name()))
}

/// A number as Go reads it. What is too large is an error.
fn parse_double(text: &str) -> Option<f64> {
    let bare = text.trim_start_matches(['+', '-']).to_ascii_lowercase();
    let number = text.parse::<f64>().ok()?;
    let is_named = matches!(bare.as_str(), "inf" | "infinity" | "nan");
    (number.is_finite() || is_named).then_some(number)
}
