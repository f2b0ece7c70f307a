//! Where a backup has an object.

use std::fmt;

/// The end of the name of a folder with the version that the cluster preferred.
const PREFERRED: &str = "-preferredversion";

/// The path of an object in a backup: `resources/deployments.apps/namespaces/default/web.json`, or with a folder for
/// the version, `resources/deployments.apps/v1-preferredversion/namespaces/default/web.json`.
///
/// ```
/// use hubgen_velero::Place;
///
/// let path = "resources/clusterroles.rbac.authorization.k8s.io/v1beta1/cluster/admin.json";
/// let place = Place::parse(path).unwrap();
/// assert_eq!((place.plural(), place.group()), ("clusterroles", "rbac.authorization.k8s.io"));
/// assert_eq!((place.namespace.as_deref(), &*place.name), (None, "admin"));
/// assert_eq!(place.to_string(), path);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// `./` where the paths of the backup begin so.
    prefix: String,
    /// The folder of its version.
    pub folder: Folder,
    /// Its namespace, of an object that has one.
    pub namespace: Option<String>,
    /// Its name.
    pub name: String,
}

/// A folder with all objects of a resource, or those at one version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Folder {
    /// `deployments.apps`; `pods` for the core group.
    pub resource: String,
    /// The version, where the folder is one of a version.
    pub version: Option<Version>,
}

/// The folder of a version within that of its resource.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// `v1`.
    pub name: String,
    /// Whether the cluster preferred this version of the group.
    pub is_preferred: bool,
}

impl Place {
    /// The place that a path is; `None` where Velero has no objects.
    pub fn parse(path: &str) -> Option<Self> {
        let rest = path.trim_start_matches("./");
        let prefix = path[..path.len() - rest.len()].to_owned();
        let mut parts = rest.strip_suffix(".json")?.strip_prefix("resources/")?.split('/');
        let resource = parts.next()?.to_owned();
        let parts: Vec<&str> = parts.collect();
        let (version, scope) = match *parts {
            [scope @ "namespaces", _, _] | [scope @ "cluster", _] => (None, scope),
            [version, scope @ "namespaces", _, _] | [version, scope @ "cluster", _] => (Some(version), scope),
            _ => return None,
        };
        let [.., namespace, name] = *parts else { return None };
        if resource.is_empty() || parts.iter().any(|part| part.is_empty() || *part == ".") {
            return None;
        }
        let folder = Folder { resource, version: version.map(Version::parse) };
        let namespace = (scope == "namespaces").then(|| namespace.to_owned());
        Some(Self { prefix, folder, namespace, name: name.to_owned() })
    }

    /// `deployments`.
    pub fn plural(&self) -> &str {
        self.folder.resource.split_once('.').map_or(&self.folder.resource, |(plural, _)| plural)
    }

    /// `apps`; empty for the core group.
    pub fn group(&self) -> &str {
        self.folder.resource.split_once('.').map_or("", |(_, group)| group)
    }

    /// The same object in another folder.
    pub fn within(&self, folder: &Folder) -> Self {
        Self { folder: folder.clone(), ..self.clone() }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { prefix, folder, namespace, name } = self;
        match namespace {
            Some(namespace) => write!(f, "{prefix}{folder}/namespaces/{namespace}/{name}.json"),
            None => write!(f, "{prefix}{folder}/cluster/{name}.json"),
        }
    }
}

impl Folder {
    /// The folder for objects of another resource and version, as this one is for theirs.
    pub fn moved(&self, resource: &str, version: &str) -> Self {
        let version = self.version.as_ref().map(|old| Version { name: version.to_owned(), ..old.clone() });
        Self { resource: resource.to_owned(), version }
    }

    /// What is the same for all folders that a restore takes for the same version of a resource.
    pub fn without_preference(&self) -> Self {
        let version = self.version.clone().map(|version| Version { is_preferred: false, ..version });
        Self { version, ..self.clone() }
    }

    /// Whether the objects are those that a restore takes first.
    pub fn is_preferred(&self) -> bool {
        self.version.as_ref().is_none_or(|version| version.is_preferred)
    }

    /// Whether a path of a folder is this one, or within it.
    pub fn contains(&self, path: &str) -> bool {
        let rest = path.trim_start_matches("./").strip_prefix(&self.to_string());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

impl fmt::Display for Folder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "resources/{}", self.resource)?;
        match &self.version {
            Some(Version { name, is_preferred: true }) => write!(f, "/{name}{PREFERRED}"),
            Some(Version { name, .. }) => write!(f, "/{name}"),
            None => Ok(()),
        }
    }
}

impl Version {
    fn parse(folder: &str) -> Self {
        match folder.strip_suffix(PREFERRED) {
            Some(name) => Self { name: name.to_owned(), is_preferred: true },
            None => Self { name: folder.to_owned(), is_preferred: false },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_written_as_they_were_read() {
        for path in [
            "resources/pods/namespaces/default/web.json",
            "resources/pods/v1-preferredversion/namespaces/default/web.json",
            "./resources/nodes/cluster/a.json",
            "resources/nodes/v1/cluster/a.json",
            "resources/ingresses.networking.k8s.io/v1beta1/namespaces/cluster/cluster.json",
            "resources/clusterroles.rbac.authorization.k8s.io/cluster/system:admin.json.json",
        ] {
            assert_eq!(Place::parse(path).map(|place| place.to_string()).as_deref(), Some(path));
        }
    }

    #[test]
    fn other_paths_are_no_places() {
        for path in [
            "metadata/version",
            "resources/pods/namespaces/default/web.yaml",
            "resources/pods/namespaces/web.json",
            "resources/pods/v1/other/default/web.json",
            "resources/pods/v1/namespaces/default/deep/web.json",
            "resources/pods//namespaces/default/web.json",
            "resources//cluster/a.json",
            "resources/nodes/cluster/.json",
            "resources/nodes/./cluster/a.json",
            "other/resources/nodes/cluster/a.json",
        ] {
            assert_eq!(Place::parse(path), None, "{path}");
        }
    }

    #[test]
    fn a_folder_contains_itself_and_what_is_below() {
        let place = Place::parse("resources/pods/v1/namespaces/default/web.json").unwrap();
        for (path, expected) in [
            ("resources/pods/v1", true),
            ("./resources/pods/v1/", true),
            ("resources/pods/v1/namespaces", true),
            ("resources/pods", false),
            ("resources/pods/v1-preferredversion", false),
        ] {
            assert_eq!(place.folder.contains(path), expected, "{path}");
        }
    }
}
