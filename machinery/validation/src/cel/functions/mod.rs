//! What functions do.

mod arithmetic;
mod convert;
mod kubernetes;
mod lists;
mod texts;

use crate::cel::ast::operator;
use crate::cel::value::{NO_OVERLOAD, Value, Wrong};
use crate::cel::work::Work;
use crate::pattern::Pattern;

type Result<'a> = std::result::Result<Value<'a>, Wrong>;

/// Calls a function with values; the first is the receiver, if it is a method. `pattern` is the compiled argument of
/// those that take one.
pub(crate) fn call<'a>(
    function: &str,
    overload: Option<&str>,
    args: &[Value<'a>],
    pattern: Option<&Pattern>,
    work: &mut Work,
) -> Result<'a> {
    let found = match function {
        operator::NOT
        | operator::NEGATE
        | operator::ADD
        | "_-_"
        | "_*_"
        | "_/_"
        | "_%_"
        | "_<_"
        | "_<=_"
        | "_>_"
        | "_>=_" => return arithmetic::call(function, args, work),
        operator::IN => lists::is_in(args, work),
        operator::MAP_INSERT => lists::insert(args),
        "bool" | "bytes" | "double" | "duration" | "dyn" | "int" | "string" | "timestamp" | "type"
        | "uint" => convert::call(function, args),
        "size" => size(args),
        "optional.of" | "optional.ofNonZeroValue" | "optional.none" | "value" | "hasValue" => {
            optional(function, args)
        }
        _ => texts::call(function, args, pattern, work)
            .or_else(|| lists::call(function, overload, args, work))
            .or_else(|| kubernetes::call(function, args)),
    };
    found.unwrap_or_else(|| Err(no_overload(function, overload, args)))
}

/// The error for arguments of types that a function does not take.
fn no_overload(function: &str, overload: Option<&str>, args: &[Value<'_>]) -> Wrong {
    if matches!(function, "size" | "matches" | "@in") {
        return if overload.is_some() || args.len() != 2 {
            NO_OVERLOAD.to_owned()
        } else {
            format!("{NO_OVERLOAD}: {function}")
        };
    }
    let types: Vec<String> = args.iter().map(|arg| arg.ty().name().to_owned()).collect();
    format!("{NO_OVERLOAD}: {function}({})", types.join(", "))
}

fn size<'a>(args: &[Value<'a>]) -> Option<Result<'a>> {
    match args {
        [value @ (Value::Text(_) | Value::Bytes(_) | Value::List(_) | Value::Map(_))] => {
            Some(Ok(Value::Int(i64::try_from(value.own_size()).unwrap_or(i64::MAX))))
        }
        _ => None,
    }
}

fn optional<'a>(function: &str, args: &[Value<'a>]) -> Option<Result<'a>> {
    Some(Ok(match (function, args) {
        ("optional.of", [value]) => Value::some(value.clone()),
        ("optional.ofNonZeroValue", [value]) if value.is_zero() => Value::Optional(None),
        ("optional.ofNonZeroValue", [value]) => Value::some(value.clone()),
        ("optional.none", []) => Value::Optional(None),
        ("hasValue", [Value::Optional(value)]) => Value::Bool(value.is_some()),
        ("value", [Value::Optional(value)]) => match value {
            Some(value) => (**value).clone(),
            None => return Some(Err("optional.none() dereference".to_owned())),
        },
        _ => return None,
    }))
}

/// A whole number as a position.
fn whole(number: usize) -> Value<'static> {
    Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
}
