//! Functions of Kubernetes' libraries, and of times.

use std::net::IpAddr;
use std::sync::Arc;

use super::Result;
use crate::cel::address::{self, Cidr, parse_ip};
use crate::cel::library::formats;
use crate::cel::quantity::Quantity;
use crate::cel::semver::Version;
use crate::cel::time::Time;
use crate::cel::url::Url;
use crate::cel::value::{Made, Map, Text, Value};
use crate::duration::SECOND;

pub(super) fn call<'a>(function: &str, args: &[Value<'a>]) -> Option<Result<'a>> {
    if let Some(name) = function.strip_prefix("format.").filter(|name| *name != "named") {
        return formats::named(name).map(|format| Ok(Value::Format(format)));
    }
    match args.split_first()? {
        (Value::Text(text), rest) => of_text(function, text, rest),
        (Value::Url(url), []) => of_url(function, url),
        (Value::Quantity(quantity), rest) => of_quantity(function, *quantity, rest),
        (Value::Semver(version), rest) => of_version(function, version, rest),
        (Value::Ip(ip), []) => Some(Ok(of_ip(function, *ip)?)),
        (Value::Cidr(cidr), rest) => of_cidr(function, *cidr, rest),
        (Value::Format(format), [Value::Text(text)]) if function == "validate" => {
            let mistakes = (format.mistakes)(text);
            Some(Ok(if mistakes.is_empty() {
                Value::Optional(None)
            } else {
                Value::some(Value::texts(mistakes))
            }))
        }
        (Value::Timestamp(time), rest) => of_time(function, *time, rest),
        (Value::Duration(nanoseconds), []) => {
            let unit = match function {
                "getHours" => 3600 * SECOND,
                "getMinutes" => 60 * SECOND,
                "getSeconds" => SECOND,
                "getMilliseconds" => 1_000_000,
                _ => return None,
            };
            Some(Ok(Value::Int(nanoseconds / unit)))
        }
        _ => None,
    }
}

fn of_text<'a>(function: &str, text: &Text<'a>, rest: &[Value<'a>]) -> Option<Result<'a>> {
    let version =
        |tolerant: bool| if tolerant { Version::parse_tolerantly(text) } else { Version::parse(text) };
    Some(match (function, rest) {
        ("url", []) => Url::parse(text).map(|url| Value::Url(Arc::new(url))),
        ("isURL", []) => Ok(Value::Bool(Url::is_url(text))),
        ("quantity", []) => Quantity::parse(text).map(Value::Quantity).map_err(str::to_owned),
        ("isQuantity", []) => Ok(Value::Bool(Quantity::parse(text).is_ok())),
        ("semver", []) => version(false).map(|version| Value::Semver(Arc::new(version))),
        ("semver", [Value::Bool(tolerant)]) => {
            version(*tolerant).map(|version| Value::Semver(Arc::new(version)))
        }
        ("isSemver", []) => Ok(Value::Bool(version(false).is_ok())),
        ("isSemver", [Value::Bool(tolerant)]) => Ok(Value::Bool(version(*tolerant).is_ok())),
        ("ip", []) => parse_ip(text).map(Value::Ip),
        ("isIP", []) => Ok(Value::Bool(parse_ip(text).is_ok())),
        ("ip.isCanonical", []) => parse_ip(text).map(|ip| Value::Bool(ip.to_string() == **text)),
        ("cidr", []) => Cidr::parse(text).map(Value::Cidr),
        ("isCIDR", []) => Ok(Value::Bool(Cidr::parse(text).is_ok())),
        ("format.named", []) => {
            Ok(Value::Optional(formats::named(text).map(|format| Arc::new(Value::Format(format)))))
        }
        _ => return None,
    })
}

fn of_url<'a>(function: &str, url: &Url) -> Option<Result<'a>> {
    Some(Ok(match function {
        "getScheme" => Value::text(url.scheme.as_str()),
        "getHost" => Value::text(url.host.as_str()),
        "getHostname" => Value::text(url.hostname()),
        "getPort" => Value::text(url.port()),
        "getEscapedPath" => Value::text(url.escaped_path()),
        "getQuery" => {
            let mut made = Made::default();
            for (key, values) in url.query() {
                made.set(Value::text(key), Value::texts(values));
            }
            Value::Map(Map::Made(Arc::new(made)))
        }
        _ => return None,
    }))
}

fn of_quantity<'a>(function: &str, quantity: Quantity, rest: &[Value<'a>]) -> Option<Result<'a>> {
    let other = match rest {
        [] => None,
        [Value::Quantity(other)] => Some(*other),
        [Value::Int(other)] if matches!(function, "add" | "sub") => Some(Quantity::of_int(*other)),
        _ => return None,
    };
    Some(Ok(match (function, other) {
        ("sign", None) => Value::Int(quantity.sign()),
        ("isInteger", None) => Value::Bool(quantity.as_int().is_some()),
        ("asInteger", None) => {
            return Some(
                quantity.as_int().map(Value::Int).ok_or("cannot convert value to integer".to_owned()),
            );
        }
        ("asApproximateFloat", None) => Value::Double(quantity.as_float()),
        ("isGreaterThan", Some(other)) => Value::Bool(quantity > other),
        ("isLessThan", Some(other)) => Value::Bool(quantity < other),
        ("compareTo", Some(other)) => Value::Int(quantity.cmp(&other) as i64),
        ("add", Some(other)) => Value::Quantity(quantity.add(other)),
        ("sub", Some(other)) => Value::Quantity(quantity.sub(other)),
        _ => return None,
    }))
}

fn of_version<'a>(function: &str, version: &Version, rest: &[Value<'a>]) -> Option<Result<'a>> {
    let number = |at: usize| Value::Int(version.numbers[at] as i64);
    Some(Ok(match (function, rest) {
        ("major", []) => number(0),
        ("minor", []) => number(1),
        ("patch", []) => number(2),
        ("isGreaterThan", [Value::Semver(other)]) => Value::Bool(version.compare(other).is_gt()),
        ("isLessThan", [Value::Semver(other)]) => Value::Bool(version.compare(other).is_lt()),
        ("compareTo", [Value::Semver(other)]) => Value::Int(version.compare(other) as i64),
        _ => return None,
    }))
}

fn of_ip<'a>(function: &str, ip: IpAddr) -> Option<Value<'a>> {
    match function {
        "family" => Some(Value::Int(if ip.is_ipv4() { 4 } else { 6 })),
        "isUnspecified"
        | "isLoopback"
        | "isLinkLocalMulticast"
        | "isLinkLocalUnicast"
        | "isGlobalUnicast" => Some(Value::Bool(address::is(function, ip))),
        _ => None,
    }
}

fn of_cidr<'a>(function: &str, cidr: Cidr, rest: &[Value<'a>]) -> Option<Result<'a>> {
    Some(Ok(match (function, rest) {
        ("ip", []) => Value::Ip(cidr.ip),
        ("prefixLength", []) => Value::Int(cidr.bits.into()),
        ("masked", []) => Value::Cidr(cidr.masked()),
        ("containsIP", [Value::Ip(ip)]) => Value::Bool(cidr.contains(*ip)),
        // Upstream has no more words for an address that is none.
        ("containsIP", [Value::Text(text)]) => {
            return Some(
                parse_ip(text)
                    .map(|ip| Value::Bool(cidr.contains(ip)))
                    .map_err(|_| "no such overload".to_owned()),
            );
        }
        ("containsCIDR", [Value::Cidr(other)]) => Value::Bool(cidr.contains_cidr(*other)),
        ("containsCIDR", [Value::Text(text)]) => {
            return Some(Cidr::parse(text).map(|other| Value::Bool(cidr.contains_cidr(other))));
        }
        _ => return None,
    }))
}

fn of_time<'a>(function: &str, time: Time, rest: &[Value<'a>]) -> Option<Result<'a>> {
    let zone = match rest {
        [] => None,
        [Value::Text(zone)] => Some(&**zone),
        _ => return None,
    };
    let clock = match time.clock(zone) {
        Ok(clock) => clock,
        Err(wrong) => return Some(Err(wrong)),
    };
    Some(Ok(Value::Int(match function {
        "getFullYear" => clock.year,
        "getMonth" => clock.month - 1,
        "getDayOfYear" => clock.day_of_year,
        "getDayOfMonth" => clock.day - 1,
        "getDate" => clock.day,
        "getDayOfWeek" => clock.weekday,
        "getHours" => clock.hour,
        "getMinutes" => clock.minute,
        "getSeconds" => clock.second,
        "getMilliseconds" => i64::from(time.nanos) / 1_000_000,
        _ => return None,
    })))
}
