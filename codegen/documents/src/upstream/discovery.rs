//! Reads what a server answers to discovery: the short names and categories of resources, and the preferred version of
//! each group.

use hubgen_model::GroupVersion;

use super::Discovered;
use crate::node::Node;
use crate::{Diagnostic, Source};

/// Short names and categories of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiscoveredResource {
    /// The group version that offers it.
    pub group_version: GroupVersion,
    /// Its plural.
    pub plural: String,
    /// `deploy`.
    pub short_names: Vec<String>,
    /// `all`.
    pub categories: Vec<String>,
}

/// Whether a document is an answer to discovery that [`read`] reads.
pub(super) fn is_discovery(document: &Node) -> bool {
    matches!(document.get("kind").and_then(Node::str), Some("APIResourceList" | "APIGroupList"))
}

/// Reads an `APIResourceList` or an `APIGroupList`.
pub(super) fn read(source: &Source, document: &Node) -> Result<Discovered, Vec<Diagnostic>> {
    let mut read = Read { source, errors: Vec::new() };
    let mut found = Discovered::default();
    let items = |name: &str| document.get(name).and_then(Node::array).unwrap_or_default();
    if document.get("kind").and_then(Node::str) == Some("APIGroupList") {
        for (index, group) in items("groups").iter().enumerate() {
            let path = format!("groups[{index}].preferredVersion.groupVersion");
            let preferred = group.get("preferredVersion").and_then(|preferred| preferred.get("groupVersion"));
            found.preferred.extend(read.group_version(group, preferred, &path));
        }
    } else if let Some(group_version) =
        read.group_version(document, document.get("groupVersion"), "groupVersion")
    {
        for (index, resource) in items("resources").iter().enumerate() {
            let Some(name) = resource.get("name").and_then(Node::str) else {
                read.error(resource, &format!("resources[{index}].name"), "a name is missing");
                continue;
            };
            let texts = |name: &str| -> Vec<String> {
                let list = resource.get(name).and_then(Node::array).unwrap_or_default();
                list.iter().filter_map(|text| text.str().map(str::to_owned)).collect()
            };
            // Subresources have neither.
            if !name.contains('/') {
                found.resources.push(DiscoveredResource {
                    group_version: group_version.clone(),
                    plural: name.to_owned(),
                    short_names: texts("shortNames"),
                    categories: texts("categories"),
                });
            }
        }
    }
    if read.errors.is_empty() { Ok(found) } else { Err(read.errors) }
}

struct Read<'a> {
    source: &'a Source,
    errors: Vec<Diagnostic>,
}

impl Read<'_> {
    fn error(&mut self, at: &Node, path: &str, message: &str) {
        let help = "give the answer of a server as it is: kubectl get --raw /apis/apps/v1";
        self.errors.push(self.source.error(at.span.clone(), path, message, help));
    }

    fn group_version(&mut self, around: &Node, node: Option<&Node>, path: &str) -> Option<GroupVersion> {
        let found = node.and_then(Node::str).and_then(GroupVersion::parse);
        if found.is_none() {
            self.error(node.unwrap_or(around), path, "expected a group version such as apps/v1");
        }
        found
    }
}
