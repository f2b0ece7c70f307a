//! Finds every list and every map that API objects can contain, with the JSON that leads to it.

use std::collections::{BTreeMap, HashSet, VecDeque};

use hubgen_model::{Api, Kind, ListType, Scope, TypeExpr, TypeId, Verb};

/// A list or a map in the objects of a kind.
pub struct Container {
    /// The group of the kind; empty for the core group.
    pub group: String,
    /// The URL path of the kind's collection.
    pub path: String,
    /// Whether it is a list; otherwise it is a map.
    pub is_list: bool,
    /// The JSON before and after the container.
    pub before: String,
    pub after: String,
    /// The shortest valid element or value.
    pub shortest: &'static str,
    /// An element with the placeholder `#` for a number, which makes elements distinct.
    pub distinct: String,
}

/// The name of the objects. It is invalid, but that is checked after everything else.
const NAME: &str = "\"name\":\"not a name!\"";

/// Finds every list and map of every type once, at the kind with the shortest field path to it.
pub fn containers(api: &Api) -> Vec<Container> {
    let mut seen = HashSet::new();
    let mut out = Vec::new();
    for (group_version, version) in &api.versions {
        for ty in version.types.values() {
            let Some(Kind { resource: Some(resource), .. }) = &ty.kind else { continue };
            if !resource.verbs.contains(&Verb::Create) {
                continue;
            }
            let root = if group_version.group.is_empty() || group_version.group == "core" {
                format!("/api/{}", group_version.version)
            } else {
                format!("/apis/{}/{}", group_version.group, group_version.version)
            };
            let namespace = if resource.scope == Scope::Namespaced { "/namespaces/default" } else { "" };
            let path = format!("{root}{namespace}/{}", resource.plural);
            walk(api, &ty.id, &mut seen, &mut |is_list,
                                               before: &str,
                                               after: &str,
                                               field: &TypeExpr,
                                               keys| {
                out.push(Container {
                    group: group_version.group.clone(),
                    path: path.clone(),
                    is_list,
                    before: before.to_owned(),
                    after: after.to_owned(),
                    shortest: shortest(field),
                    distinct: distinct(field, keys),
                });
            });
        }
    }
    out
}

type Found<'a> = &'a mut dyn FnMut(bool, &str, &str, &TypeExpr, &[String]);

/// Visits the fields of a type in breadth-first order.
fn walk(api: &Api, root: &TypeId, seen: &mut HashSet<(TypeId, String)>, found: Found<'_>) {
    let mut visited = HashSet::from([root.clone()]);
    let mut queue = VecDeque::from([(root.clone(), String::new(), String::new())]);
    while let Some((id, before, after)) = queue.pop_front() {
        let Some(ty) = api.find(&id) else { continue };
        let is_root = before.is_empty();
        for field in ty.fields() {
            let name = if is_root && field.name != "metadata" {
                format!("{{\"metadata\":{{{NAME}}},\"{}\":", field.name)
            } else if before.ends_with("\"metadata\":") && is_first(&before) {
                format!("{{{NAME},\"{}\":", field.name)
            } else {
                format!("{{\"{}\":", field.name)
            };
            let mut before = format!("{before}{name}");
            let mut after = format!("}}{after}");
            let keys = match &field.list_type {
                Some(ListType::Map(keys)) => keys.as_slice(),
                _ => &[],
            };
            let mut expr = &field.ty;
            loop {
                match expr {
                    TypeExpr::List(inner) | TypeExpr::Map(inner) => {
                        let is_list = matches!(expr, TypeExpr::List(_));
                        if seen.insert((id.clone(), field.name.clone())) {
                            found(is_list, &before, &after, inner, keys);
                        }
                        before.push_str(if is_list { "[" } else { "{\"k\":" });
                        after.insert(0, if is_list { ']' } else { '}' });
                        expr = inner;
                    }
                    TypeExpr::OrBool(inner) | TypeExpr::OrArray(inner) | TypeExpr::OrStrings(inner) => {
                        expr = inner;
                    }
                    TypeExpr::Strings => {
                        if seen.insert((id.clone(), field.name.clone())) {
                            found(true, &before, &after, &TypeExpr::String, keys);
                        }
                        break;
                    }
                    TypeExpr::Ref(next) => {
                        if visited.insert(next.clone()) {
                            queue.push_back((next.clone(), before, after));
                        }
                        break;
                    }
                    _ => break,
                }
            }
        }
    }
}

fn is_first(before: &str) -> bool {
    before == "{\"metadata\":"
}

fn shortest(element: &TypeExpr) -> &'static str {
    match element {
        TypeExpr::Ref(_) | TypeExpr::Map(_) | TypeExpr::Raw(_) => "{}",
        TypeExpr::List(_) | TypeExpr::Strings => "[]",
        TypeExpr::Bool | TypeExpr::OrBool(_) => "true",
        TypeExpr::Int32 | TypeExpr::Int64 | TypeExpr::Double | TypeExpr::IntOrString => "0",
        TypeExpr::Uint16 | TypeExpr::Uint32 | TypeExpr::Uint64 | TypeExpr::Float => "0",
        TypeExpr::Quantity => "\"0\"",
        TypeExpr::Duration => "\"0s\"",
        TypeExpr::Time => "\"2026-01-01T00:00:00Z\"",
        TypeExpr::MicroTime => "\"2026-01-01T00:00:00.000000Z\"",
        TypeExpr::String | TypeExpr::Bytes => "\"\"",
        TypeExpr::OrArray(_) | TypeExpr::OrStrings(_) => "{}",
    }
}

/// An element with the placeholder `#` for a number.
fn distinct(element: &TypeExpr, keys: &[String]) -> String {
    match element {
        TypeExpr::String => "\"#\"".to_owned(),
        TypeExpr::Int32 | TypeExpr::Int64 => "#".to_owned(),
        TypeExpr::Ref(_) if !keys.is_empty() => {
            let fields: BTreeMap<&str, String> =
                keys.iter().map(|key| (key.as_str(), format!("\"{key}\":{}", value_of(key)))).collect();
            format!("{{{}}}", fields.into_values().collect::<Vec<_>>().join(","))
        }
        other => shortest(other).to_owned(),
    }
}

/// A value of a list key: a string, except for port numbers.
fn value_of(key: &str) -> &'static str {
    match key {
        "port" | "containerPort" => "#",
        _ => "\"#\"",
    }
}
