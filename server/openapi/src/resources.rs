//! What a server serves, as its discovery lists it.

/// A group version with its resources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupVersion {
    /// The group; that of core has no name.
    pub group: String,
    /// The version: `v1`.
    pub version: String,
    /// The resources and subresources.
    pub resources: Vec<Resource>,
    /// Whether its resources come from definitions. Documents then have no paths of its discovery, and none at which clients
    /// watched long ago, as upstream's have none.
    pub defined: bool,
}

impl GroupVersion {
    /// The path of its resources without the slash at the beginning, by which the list of documents names it:
    /// `apis/apps/v1`, `api/v1`.
    pub fn path(&self) -> String {
        match self.group.as_str() {
            "" => format!("api/{}", self.version),
            group => format!("apis/{group}/{}", self.version),
        }
    }
}

/// A resource or a subresource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// `deployments`, `deployments/scale`.
    pub name: String,
    /// Whether its objects are in namespaces.
    pub namespaced: bool,
    /// The kind of its objects.
    pub kind: Kind,
    /// The verbs of discovery: `get`, `list`.
    pub verbs: Vec<String>,
    /// The media types in which objects are sent and received.
    pub media: Vec<&'static str>,
    /// The media types of patches.
    pub patches: Vec<&'static str>,
}

/// A group, version and kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The group; that of core has no name.
    pub group: String,
    /// The version: `v1`.
    pub version: String,
    /// The kind: `Deployment`.
    pub kind: String,
}

impl Resource {
    /// Whether it has a verb.
    pub(crate) fn can(&self, verb: &str) -> bool {
        self.verbs.iter().any(|known| known == verb)
    }
}
