//! The functions that expressions can call, as Kubernetes declares them.

pub(crate) mod formats;

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::cel::types::Type;

/// One signature of a function.
#[derive(Debug)]
pub(crate) struct Overload {
    /// The name of the signature, by which costs are looked up.
    pub(crate) id: String,
    /// Whether the first argument is the receiver of a method.
    pub(crate) is_method: bool,
    pub(crate) args: Vec<Type>,
    pub(crate) result: Type,
    /// The names of the types that can be any.
    pub(crate) params: Vec<char>,
    /// Whether new expressions cannot call it yet.
    pub(crate) only_stored: bool,
}

/// Types whose values have an order, with their names in overloads.
const COMPARABLE: [(&str, &str, Type); 8] = [
    ("int", "int", Type::Int),
    ("uint", "uint", Type::Uint),
    ("double", "double", Type::Double),
    ("bool", "bool", Type::Bool),
    ("duration", "google.protobuf.Duration", Type::Duration),
    ("timestamp", "google.protobuf.Timestamp", Type::Timestamp),
    ("string", "string", Type::String),
    ("bytes", "bytes", Type::Bytes),
];

/// What comparisons compare, in the order of the checker.
const COMPARED: [(&str, Type, Type); 14] = [
    ("bool", Type::Bool, Type::Bool),
    ("int64", Type::Int, Type::Int),
    ("int64_double", Type::Int, Type::Double),
    ("int64_uint64", Type::Int, Type::Uint),
    ("uint64", Type::Uint, Type::Uint),
    ("uint64_double", Type::Uint, Type::Double),
    ("uint64_int64", Type::Uint, Type::Int),
    ("double", Type::Double, Type::Double),
    ("double_int64", Type::Double, Type::Int),
    ("double_uint64", Type::Double, Type::Uint),
    ("string", Type::String, Type::String),
    ("bytes", Type::Bytes, Type::Bytes),
    ("timestamp", Type::Timestamp, Type::Timestamp),
    ("duration", Type::Duration, Type::Duration),
];

/// The overloads of a function; none if there is no such function.
pub(crate) fn overloads(function: &str) -> Option<&'static [Overload]> {
    static ALL: LazyLock<HashMap<String, Vec<Overload>>> = LazyLock::new(read);
    ALL.get(function).map(Vec::as_slice)
}

fn read() -> HashMap<String, Vec<Overload>> {
    let mut all: HashMap<String, Vec<Overload>> = HashMap::new();
    let mut function = "";
    for line in include_str!("declarations.txt").lines().filter(|line| !line.starts_with('#')) {
        let Some(text) = line.strip_prefix("    ") else {
            function = line;
            continue;
        };
        let overloads = all.entry(function.to_owned()).or_default();
        let only_stored = text.ends_with(" +1.37");
        let (id, signature) = text.trim_end_matches(" +1.37").split_once(' ').unwrap_or((text, ""));
        if signature == "comparison" {
            overloads.extend(COMPARED.map(|(name, left, right)| {
                overload(&id.replace('*', name), false, vec![left, right], Type::Bool)
            }));
            continue;
        }
        if signature.contains("comparable") {
            overloads.extend(COMPARABLE.map(|(short, long, ty)| {
                // Upstream's two libraries name types differently.
                let name = if function == "sort" || function.starts_with('@') { long } else { short };
                let list = format!("list({short})");
                let signature = signature
                    .replace("comparable", &list)
                    .replace(") itself", &format!(") {list}"))
                    .replace(") item", &format!(") {short}"));
                debug_assert_eq!(parse_type(short), ty);
                declared(&id.replace('*', name), &signature)
            }));
            continue;
        }
        overloads.push(Overload { only_stored, ..declared(id, signature) });
    }
    for format in &formats::ALL {
        let name = format!("format.{}", format.function);
        let ty = Type::Struct("kubernetes.NamedFormat".into());
        let made = overload(&name, false, Vec::new(), ty);
        all.insert(name, vec![made]);
    }
    all
}

fn declared(id: &str, signature: &str) -> Overload {
    let (target, rest) = match signature.split_once(".(") {
        Some((target, rest)) => (Some(target), rest),
        None => (None, signature.trim_start_matches('(')),
    };
    // The bracket that closes the arguments is the first that was not opened.
    let mut depth = 0;
    let end = rest
        .find(|c| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            depth < 0
        })
        .unwrap_or(rest.len());
    let (args, result) = rest.split_at(end);
    let mut types: Vec<Type> = target.into_iter().map(parse_type).collect();
    types.extend(split(args).into_iter().map(parse_type));
    let result = parse_type(result.trim_start_matches(')').trim());
    overload(id, target.is_some(), types, result)
}

fn overload(id: &str, is_method: bool, args: Vec<Type>, result: Type) -> Overload {
    let mut params = Vec::new();
    for ty in args.iter().chain([&result]) {
        params_of(ty, &mut params);
    }
    Overload { id: id.to_owned(), is_method, args, result, params, only_stored: false }
}

fn params_of(ty: &Type, out: &mut Vec<char>) {
    if let Type::Param(name) = ty {
        let name = name.chars().next().unwrap_or_default();
        if !out.contains(&name) {
            out.push(name);
        }
    }
    ty.params().into_iter().for_each(|ty| params_of(ty, out));
}

/// Cuts at the commas that are in no bracket.
fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut out) = (0, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                out.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    if !text[start..].trim().is_empty() {
        out.push(text[start..].trim());
    }
    out
}

fn parse_type(text: &str) -> Type {
    if let Some((name, inner)) = text.split_once('(') {
        let inner = inner.strip_suffix(')').unwrap_or(inner);
        let mut of = split(inner).into_iter().map(parse_type);
        let (first, second) = (of.next().unwrap_or(Type::Dyn), of.next().unwrap_or(Type::Dyn));
        return match name {
            "list" => Type::list(first),
            "map" => Type::map(first, second),
            "optional" => Type::optional(first),
            _ => Type::Meta(Some(first.into())),
        };
    }
    match text {
        "dyn" => Type::Dyn,
        "bool" => Type::Bool,
        "int" => Type::Int,
        "uint" => Type::Uint,
        "double" => Type::Double,
        "string" => Type::String,
        "bytes" => Type::Bytes,
        "duration" => Type::Duration,
        "timestamp" => Type::Timestamp,
        "net.IP" => Type::Opaque("net.IP"),
        "net.CIDR" => Type::Opaque("net.CIDR"),
        name if name.starts_with("kubernetes.") => Type::Struct(name.into()),
        param => Type::param(param),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(overload: &Overload) -> String {
        let args: Vec<String> = overload.args.iter().map(ToString::to_string).collect();
        format!("{} {}({}) -> {}", overload.id, overload.is_method, args.join(", "), overload.result)
    }

    #[test]
    fn signatures_are_read() {
        let of = |function| overloads(function).unwrap().iter().map(text).collect::<Vec<_>>();
        assert_eq!(
            of("_[_]")[3],
            "optional_map_index_value false(optional_type(map(K, V)), K) -> optional_type(V)"
        );
        assert_eq!(of("getQuery"), ["url_get_query true(kubernetes.URL) -> map(string, list(string))"]);
        assert_eq!(of("optional.none"), ["optional_none false() -> optional_type(V)"]);
        assert_eq!(of("max")[4], "list_duration_max_duration true(list(duration)) -> duration");
        assert_eq!(
            of("sort")[5],
            "list_google.protobuf.Timestamp_sort true(list(timestamp)) -> list(timestamp)"
        );
        assert_eq!(
            of("@sortByAssociatedKeys")[0],
            "list_int_sortByAssociatedKeys true(list(T), list(int)) -> list(T)"
        );
        assert_eq!(of("_<_").len(), 14);
        assert_eq!(of("format.uuid"), ["format.uuid false() -> kubernetes.NamedFormat"]);
        assert!(overloads("nothing").is_none());
    }

    #[test]
    fn no_overload_is_declared_twice() {
        let mut seen = std::collections::HashSet::new();
        for overload in read().values().flatten() {
            assert!(seen.insert(overload.id.clone()), "{}", overload.id);
        }
        assert!(seen.len() > 200, "{}", seen.len());
    }
}
