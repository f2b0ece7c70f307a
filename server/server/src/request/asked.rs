//! What a request asks for, as far as those need to know who decide who may: from its method, path and query alone, whether
//! such a path exists or not. Nobody learns what exists by asking for what they may not read.

use axum::http::request::Parts;
use axum::http::{Method, Uri};
use percent_encoding::percent_decode_str;

use super::path::{SUBRESOURCES_OF_NAMESPACES, segments};
use super::query::Query;
use crate::access::{Attributes, ResourceAttributes, User};

/// What a request asks for.
pub(crate) struct Asked {
    verb: String,
    path: String,
    resource: Option<Resource>,
}

#[derive(Default)]
struct Resource {
    group: String,
    version: String,
    namespace: String,
    resource: String,
    subresource: String,
    name: String,
}

impl Asked {
    /// Reads the head of a request.
    pub(crate) fn of(head: &Parts) -> Self {
        // Upstream, too, takes an escaped slash for a separator.
        let path = percent_decode_str(head.uri.path()).decode_utf8_lossy().into_owned();
        let found = match segments(&path).as_slice() {
            ["api", version, rest @ ..] if !rest.is_empty() => resource(head, "", version, rest),
            ["apis", group, version, rest @ ..] if !rest.is_empty() => resource(head, group, version, rest),
            _ => None,
        };
        match found {
            Some((verb, resource)) => Self { verb, path, resource: Some(resource) },
            None => Self { verb: head.method.as_str().to_lowercase(), path, resource: None },
        }
    }

    /// That a user asks for it.
    pub(crate) fn by<'a>(&'a self, user: &'a User) -> Attributes<'a> {
        let resource = self.resource.as_ref().map(|of| ResourceAttributes {
            group: &of.group,
            version: &of.version,
            resource: &of.resource,
            subresource: &of.subresource,
            namespace: &of.namespace,
            name: &of.name,
        });
        Attributes { user, verb: &self.verb, path: &self.path, resource }
    }
}

fn resource(head: &Parts, group: &str, version: &str, rest: &[&str]) -> Option<(String, Resource)> {
    let (before, rest) = match rest {
        [verb @ ("watch" | "proxy"), rest @ ..] => (Some(*verb), rest),
        rest => (None, rest),
    };
    let by_method = match head.method {
        Method::POST => "create",
        Method::GET | Method::HEAD => "get",
        Method::PUT => "update",
        Method::PATCH => "patch",
        Method::DELETE => "delete",
        _ => "",
    };
    let (namespace, rest) = match rest {
        [] => return None,
        ["namespaces", namespace, part, ..] if SUBRESOURCES_OF_NAMESPACES.contains(part) => {
            (*namespace, rest)
        }
        ["namespaces", namespace, rest @ ..] if !rest.is_empty() => (*namespace, rest),
        ["namespaces", namespace] => (*namespace, rest),
        rest => ("", rest),
    };
    let [resource, below @ ..] = rest else { return None };
    let (name, subresource) = match below {
        [] => ("", ""),
        [name, subresource, ..] if before.is_none() => (*name, *subresource),
        [name, ..] => (*name, ""),
    };
    let (verb, name) = match (before.unwrap_or(by_method), name) {
        ("get", "") => of_collection(&head.uri),
        ("delete", "") => ("deletecollection", String::new()),
        (verb, name) => (verb, name.to_owned()),
    };
    let of = Resource {
        group: group.to_owned(),
        version: version.to_owned(),
        namespace: namespace.to_owned(),
        resource: (*resource).to_owned(),
        subresource: subresource.to_owned(),
        name,
    };
    Some((verb.to_owned(), of))
}

/// Whether a collection is listed or watched, and the name of the only object of which it is.
fn of_collection(uri: &Uri) -> (&'static str, String) {
    let Ok(query) = Query::parse(uri) else { return ("list", String::new()) };
    (if query.watch { "watch" } else { "list" }, query.only_name().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    fn shown(method: &str, path: &str) -> String {
        let (head, ()) = Request::builder().method(method).uri(path).body(()).unwrap().into_parts();
        let Asked { verb, path, resource } = Asked::of(&head);
        match resource {
            None => format!("{verb} {path}"),
            Some(Resource { group, version, namespace, resource, subresource, name }) => {
                format!("{verb} [{group} {version}] [{namespace}] {resource}/{subresource} {name}")
            }
        }
    }

    #[test]
    fn paths_are_read_as_upstream_does() {
        for (method, path, expected) in [
            ("GET", "/", "get /"),
            ("POST", "/metrics", "post /metrics"),
            ("GET", "/healthz/a%20b/", "get /healthz/a b/"),
            ("GET", "/api/v1", "get /api/v1"),
            ("GET", "/apis/apps/v1", "get /apis/apps/v1"),
            ("GET", "/api/v1/pods", "list [ v1] [] pods/ "),
            ("GET", "/api/v1/pods?watch=true", "watch [ v1] [] pods/ "),
            ("GET", "/api/v1/namespaces/a/pods?fieldSelector=metadata.name%3Db", "list [ v1] [a] pods/ b"),
            ("GET", "/api/v1/pods?fieldSelector=metadata.name%21%3Db", "list [ v1] [] pods/ "),
            ("GET", "/api/v1/namespaces/a/pods/b", "get [ v1] [a] pods/ b"),
            ("HEAD", "/api/v1/namespaces/a/pods/b", "get [ v1] [a] pods/ b"),
            ("GET", "/api/v1/namespaces/a/pods/b/log", "get [ v1] [a] pods/log b"),
            ("POST", "/api/v1/namespaces/a/pods/b/proxy/c/d", "create [ v1] [a] pods/proxy b"),
            ("GET", "/api/v1/namespaces", "list [ v1] [] namespaces/ "),
            ("GET", "/api/v1/namespaces/a", "get [ v1] [a] namespaces/ a"),
            ("PUT", "/api/v1/namespaces/a/status", "update [ v1] [a] namespaces/status a"),
            (
                "DELETE",
                "/apis/apps/v1/namespaces/a/deployments",
                "deletecollection [apps v1] [a] deployments/ ",
            ),
            ("DELETE", "/apis/apps/v1/namespaces/a/deployments/b", "delete [apps v1] [a] deployments/ b"),
            ("PATCH", "/apis/apps/v1/namespaces/a/deployments/b", "patch [apps v1] [a] deployments/ b"),
            ("GET", "/api/v1/watch/namespaces/a/pods/b", "watch [ v1] [a] pods/ b"),
            ("GET", "/api/v1/watch/namespaces/a/pods/b/log", "watch [ v1] [a] pods/ b"),
            ("GET", "/apis/no/v1/nothing/a/b/c", "get [no v1] [] nothing/b a"),
            ("OPTIONS", "/api/v1/pods", " [ v1] [] pods/ "),
            ("GET", "//api//v1/pods", "list [ v1] [] pods/ "),
            ("GET", "/apis/a/v1/namespaces/b/status/c", "get [a v1] [b] namespaces/status b"),
        ] {
            assert_eq!(shown(method, path), expected, "{method} {path}");
        }
    }
}
