//! How what another server publishes differs from what ours does, and why. docs/server.md explains each reason.

use serde_json::{Value, json};

use super::compare::{Context, Difference};

pub const NOT_SERVED: &str = "What is not served is not published";
const WORDS: &str = "Words of texts are not in the published documents of a release";
const ZERO: &str = "A default that is the zero value is no default";
const UNIONS: &str = "Unions are not in the schemas";
const WHOLE: &str = "That items of a list are replaced as a whole is not known, where the list is, too";
const GRANULAR: &str = "That a map is merged by its keys is its default";
const SHARDS: &str = "Lists are not served in shards";
const YAML: &str = "Answers are not in YAML";
const DELETED: &str = "A deletion answers with a Status";
const DISCOVERY: &str = "Discovery of one group is in JSON only";
const KINDS: &str = "Options of requests are of the group versions that are served";
const VERSION: &str = "The version of the server has fewer facts";

const OLDER: &str = "Kinds and subresources of older releases are served, too";
const ELSEWHERE: &str = "Group versions that the other server does not have are in the document about all";
const NO_WATCH: &str = "ComponentStatuses cannot be watched";

const MAP_TYPE: &str = "x-kubernetes-map-type";
const STATUS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.Status";
const META: &str = "schema io.k8s.apimachinery.pkg.apis.meta.v1";

/// Why a schema or an operation of that name may differ so; `None` if it may not.
pub fn why(name: &str, difference: &Difference, context: &Context<'_>) -> Option<&'static str> {
    match name.split_once(' ')? {
        ("schema", _) => of_schema(name, difference, context),
        (_, path) => of_operation(path, difference, context),
    }
}

fn of_schema(name: &str, difference: &Difference, context: &Context<'_>) -> Option<&'static str> {
    let Difference { at, theirs, ours } = difference;
    let (key, place) = at.split_last().map_or(("", &at[..]), |(key, place)| (&**key, place));
    match (key, theirs, ours) {
        ("", Some(_), None) => (!context.needed.contains(name)).then_some(NOT_SERVED),
        ("", None, Some(_)) => (!context.known.contains(name)).then_some(OLDER),
        ("enum", Some(Value::Array(words)), None) if words.iter().all(Value::is_string) => Some(WORDS),
        ("default", Some(zero), None) if [json!(""), json!(0), json!(false)].contains(zero) => Some(ZERO),
        ("x-kubernetes-unions", Some(Value::Array(_)), None) if place.is_empty() => Some(UNIONS),
        (MAP_TYPE, Some(kind), None) if place.is_empty() && kind == "atomic" => Some(WHOLE),
        (MAP_TYPE, Some(kind), None) if !place.is_empty() && kind == "granular" => Some(GRANULAR),
        ("x-kubernetes-group-version-kind", Some(Value::Array(theirs)), Some(Value::Array(ours))) => {
            let is_served = |kind: &Value| {
                let of = kind.as_str().and_then(|kind| kind.split_once(' '));
                of.is_some_and(|(of, _)| of == "/v1" || context.served.has(&format!("apis/{of}")))
            };
            let has_served = theirs.iter().filter(|kind| is_served(kind)).all(|kind| ours.contains(kind));
            let has_more = !ours.iter().all(is_served);
            (context.is_about_all && name.starts_with(META) && has_served && !has_more).then_some(KINDS)
        }
        _ if name == "schema io.k8s.apimachinery.pkg.version.Info" => {
            let fewer = match (theirs, ours) {
                (Some(theirs), None) => theirs["type"] == "string" || theirs == "",
                (Some(Value::Array(theirs)), Some(Value::Array(ours))) => {
                    ours.iter().all(|name| theirs.contains(name))
                }
                _ => false,
            };
            fewer.then_some(VERSION)
        }
        _ => None,
    }
}

fn of_operation(path: &str, difference: &Difference, context: &Context<'_>) -> Option<&'static str> {
    let Difference { at, theirs, ours } = difference;
    let at: Vec<&str> = at.iter().map(String::as_str).collect();
    match (at.as_slice(), theirs, ours) {
        ([], Some(_), None) => (!context.served.has_path(path)).then_some(NOT_SERVED),
        ([], None, Some(_)) if context.is_elsewhere(path) => Some(ELSEWHERE),
        ([], None, Some(_)) => context.served.is_older(path).then_some(OLDER),
        (["parameters", "query shardSelector"], Some(_), None) => Some(SHARDS),
        (["produces" | "consumes" | "answers", .., "application/yaml"], Some(_), None) => Some(YAML),
        (["produces" | "answers", .., media], Some(_), None) if media.ends_with(";stream=watch") => {
            // That of a list tells whether it can be a watch.
            path.ends_with("componentstatuses").then_some(NO_WATCH)
        }
        (["produces" | "consumes" | "answers", .., "application/vnd.kubernetes.protobuf"], Some(_), None) => {
            path.ends_with('/').then_some(DISCOVERY)
        }
        (["answers", "200" | "202", ..], Some(Value::String(theirs)), Some(ours)) => {
            (ours == STATUS && theirs.starts_with("io.k8s.")).then_some(DELETED)
        }
        _ => None,
    }
}
