//! Parses request paths.

use percent_encoding::percent_decode_str;

use super::error::Error;
use crate::published::openapi;

/// The target of a request path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// `/healthz`, `/livez` or `/readyz`.
    Health(Probe),
    /// `/metrics`.
    Metrics,
    /// A path of discovery.
    Discovery(Topic),
    /// What others need to verify tokens of service accounts.
    OpenId(OpenId),
    /// A path of OpenAPI.
    OpenApi(openapi::Topic),
    /// A resource path below `/api/<version>` or `/apis/<group>/<version>`.
    Resource(ResourcePath),
}

/// What others need to verify tokens of service accounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpenId {
    /// `/openid/v1/jwks`.
    Keys,
    /// `/.well-known/openid-configuration`.
    Configuration,
}

/// The kind of health check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Probe {
    /// `/healthz`.
    Health,
    /// `/livez`.
    Live,
    /// `/readyz`.
    Ready,
}

impl Probe {
    /// Its path.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Health => "/healthz",
            Self::Live => "/livez",
            Self::Ready => "/readyz",
        }
    }

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        &self.path()[1..]
    }
}

/// The subject of a discovery request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Topic {
    /// `/version`.
    Version,
    /// `/api`.
    Core,
    /// `/apis`.
    Groups,
    /// `/apis/<group>`.
    Group(String),
    /// `/api/<version>` and `/apis/<group>/<version>`.
    GroupVersion(String, String),
}

/// The path of a resource, of an object, or of a subresource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ResourcePath {
    pub(super) group: String,
    pub(super) version: String,
    /// `None` for cluster-scoped paths and for all namespaces.
    pub(super) namespace: Option<String>,
    pub(super) plural: String,
    pub(super) name: Option<String>,
    pub(super) subresource: Option<String>,
    /// Whether it is a path of watches, which clients used before a watch was a parameter.
    pub(super) is_watch: bool,
}

/// The subresources of Namespace. They follow the name, where other paths continue with a resource.
pub(super) const SUBRESOURCES_OF_NAMESPACES: [&str; 2] = ["status", "finalize"];

/// Parses a path.
///
/// # Errors
/// 404 if the path has no known form, 400 if it is not UTF-8.
pub(super) fn parse(path: &str) -> Result<Target, Error> {
    // Like upstream, an escaped slash is a separator.
    let path = percent_decode_str(path)
        .decode_utf8()
        .map_err(|error| Error::Malformed(format!("the path is not UTF-8: {error}")))?;
    match segments(&path).as_slice() {
        ["healthz"] => Ok(Target::Health(Probe::Health)),
        ["livez"] => Ok(Target::Health(Probe::Live)),
        ["readyz"] => Ok(Target::Health(Probe::Ready)),
        ["metrics"] => Ok(Target::Metrics),
        ["version"] => Ok(Target::Discovery(Topic::Version)),
        ["api"] => Ok(Target::Discovery(Topic::Core)),
        ["api", version] => Ok(Target::Discovery(Topic::GroupVersion(String::new(), (*version).to_owned()))),
        ["api", version, rest @ ..] => resource("", version, rest),
        ["apis"] => Ok(Target::Discovery(Topic::Groups)),
        ["apis", group] => Ok(Target::Discovery(Topic::Group((*group).to_owned()))),
        ["apis", group, version] => {
            Ok(Target::Discovery(Topic::GroupVersion((*group).to_owned(), (*version).to_owned())))
        }
        ["apis", group, version, rest @ ..] => resource(group, version, rest),
        ["openid", "v1", "jwks"] => Ok(Target::OpenId(OpenId::Keys)),
        [".well-known", "openid-configuration"] => Ok(Target::OpenId(OpenId::Configuration)),
        ["openapi", "v2"] => Ok(Target::OpenApi(openapi::Topic::Swagger)),
        ["openapi", "v3"] => Ok(Target::OpenApi(openapi::Topic::List)),
        ["openapi", "v3", path @ ..] => Ok(Target::OpenApi(openapi::Topic::Document(path.join("/")))),
        _ => Err(Error::NoSuchPath),
    }
}

/// The segments of a path, of which empty ones do not count.
pub(super) fn segments(path: &str) -> Vec<&str> {
    path.split('/').filter(|segment| !segment.is_empty()).collect()
}

fn resource(group: &str, version: &str, rest: &[&str]) -> Result<Target, Error> {
    let (is_watch, rest) = match rest {
        ["watch", rest @ ..] if !rest.is_empty() => (true, rest),
        _ => (false, rest),
    };
    let (namespace, rest) = match rest {
        ["namespaces", _, part, ..] if SUBRESOURCES_OF_NAMESPACES.contains(part) => (None, rest),
        ["namespaces", namespace, rest @ ..] if !rest.is_empty() => (Some((*namespace).to_owned()), rest),
        _ => (None, rest),
    };
    let (plural, name, subresource) = match rest {
        [plural] => (plural, None, None),
        [plural, name] => (plural, Some(name), None),
        [plural, name, subresource] if !is_watch => (plural, Some(name), Some(subresource)),
        // What follows is a path of the object that is reached through the server.
        [plural, name, subresource @ "proxy", ..] if !is_watch => (plural, Some(name), Some(subresource)),
        _ => return Err(Error::NoSuchPath),
    };
    Ok(Target::Resource(ResourcePath {
        group: group.to_owned(),
        version: version.to_owned(),
        namespace,
        plural: (*plural).to_owned(),
        name: name.map(ToString::to_string),
        subresource: subresource.map(ToString::to_string),
        is_watch,
    }))
}

#[cfg(test)]
mod tests {
    use super::{Error, ResourcePath, Target, parse};

    fn shown(path: &str) -> String {
        match parse(path) {
            Ok(Target::Resource(path)) => {
                let ResourcePath { group, version, namespace, plural, name, subresource, is_watch } = path;
                let part = |part: Option<String>| part.unwrap_or_else(|| "-".to_owned());
                let version = if is_watch { version + " watch" } else { version };
                [group, version, part(namespace), plural, part(name), part(subresource)].join(" ")
            }
            Ok(Target::Discovery(topic)) => format!("{topic:?}"),
            Ok(Target::OpenApi(topic)) => format!("{topic:?}"),
            Ok(Target::Health(probe)) => format!("{probe:?}"),
            Ok(Target::Metrics) => "Metrics".to_owned(),
            Ok(Target::OpenId(asked)) => format!("{asked:?}"),
            Err(Error::NoSuchPath) => "none".to_owned(),
            Err(error) => format!("{error:?}"),
        }
    }

    #[test]
    fn paths_are_parsed() {
        for (path, expected) in [
            ("/api", "Core"),
            ("/apis/", "Groups"),
            ("/apis/apps", "Group(\"apps\")"),
            ("/api/v1", "GroupVersion(\"\", \"v1\")"),
            ("/apis/apps/v1", "GroupVersion(\"apps\", \"v1\")"),
            ("/api/v1/pods", " v1 - pods - -"),
            ("/api/v1/namespaces", " v1 - namespaces - -"),
            ("/api/v1/namespaces/a", " v1 - namespaces a -"),
            ("/api/v1/namespaces/a/status", " v1 - namespaces a status"),
            ("/api/v1/namespaces/a/pods", " v1 a pods - -"),
            ("/api/v1/namespaces/a/pods/b/status", " v1 a pods b status"),
            ("/apis/apps/v1/namespaces/a/deployments/b", "apps v1 a deployments b -"),
            (
                "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode",
                "rbac.authorization.k8s.io v1 - clusterroles system:node -",
            ),
            ("/api/v1/namespaces/a/pods/b%2Fstatus", " v1 a pods b status"),
            ("/api/v1/watch/pods", " v1 watch - pods - -"),
            ("/api/v1/watch/namespaces", " v1 watch - namespaces - -"),
            ("/api/v1/watch/namespaces/a", " v1 watch - namespaces a -"),
            ("/apis/apps/v1/watch/namespaces/a/deployments/b", "apps v1 watch a deployments b -"),
            ("/api/v1/watch/namespaces/a/pods/b/status", "none"),
            ("/api/v1/watch/namespaces/a/status", "none"),
            ("/api/v1/watch", " v1 - watch - -"),
            ("/openapi/v2", "Swagger"),
            ("/openapi/v3/", "List"),
            ("/openapi/v3/apis/apps/v1", "Document(\"apis/apps/v1\")"),
            ("/livez", "Live"),
            ("/readyz", "Ready"),
            ("/healthz", "Health"),
            ("/metrics", "Metrics"),
            ("/api/v1/pods/a/b/c", "none"),
            ("/", "none"),
            ("/nothing", "none"),
            (
                "/api/v1/pods/%ff",
                "Malformed(\"the path is not UTF-8: invalid utf-8 sequence of 1 bytes from index 13\")",
            ),
        ] {
            assert_eq!(shown(path), expected, "{path}");
        }
    }
}
