//! Discovery lists the groups, versions and resources of the server. It lists exactly what is
//! served.

use std::collections::BTreeMap;

use hubgen_machinery::reflect::Words;
use hubgen_machinery::scheme::{KindEntry, Resource, Scheme};

use super::priority;
use crate::wire::{
    ApiGroup, ApiGroupList, ApiResource, ApiResourceList, ApiVersions, GroupVersion, ServerAddress, Status,
    VersionInfo,
};

/// The verbs that this server supports, in discovery's order.
const SERVED: [&str; 6] = ["create", "delete", "deletecollection", "get", "list", "update"];

/// The verbs of a resource that this server supports.
pub(super) fn served(verbs: &Words) -> Vec<&'static str> {
    SERVED.into_iter().filter(|verb| verbs.contains(verb)).collect()
}

/// The verbs of a resource's status that this server supports.
pub(super) fn status_verbs(resource: &Resource) -> Vec<&'static str> {
    let status = resource.subresources.iter().find(|part| part.name == "status");
    status.map_or_else(Vec::new, |status| served(&status.verbs))
}

/// All responses of discovery, created once.
pub(crate) struct Discovery {
    core: ApiVersions,
    groups: ApiGroupList,
    resources: BTreeMap<(String, String), ApiResourceList>,
}

impl Discovery {
    /// Creates the discovery of a Scheme, for a server with this address.
    pub(crate) fn new(scheme: &Scheme, address: String) -> Self {
        let mut resources: BTreeMap<(String, String), ApiResourceList> = BTreeMap::new();
        for entry in scheme.kinds() {
            let Some(resource) = &entry.resource else { continue };
            let list =
                resources.entry((entry.group.to_string(), entry.version.to_string())).or_insert_with(|| {
                    ApiResourceList { group_version: entry.api_version(), resources: Vec::new() }
                });
            list.resources.extend(api_resources(entry, resource));
        }
        for list in resources.values_mut() {
            list.resources.sort_by(|a, b| a.name.cmp(&b.name));
        }
        let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (group, version) in resources.keys() {
            groups.entry(group).or_default().push(version);
        }
        for (group, versions) in &mut groups {
            versions.sort_by_key(|version| priority::of_version(group, version));
        }
        let core = ApiVersions {
            versions: groups.remove("").unwrap_or_default().into_iter().map(str::to_owned).collect(),
            server_addresses: vec![ServerAddress {
                client_cidr: "0.0.0.0/0".to_owned(),
                server_address: address,
            }],
        };
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_by_key(|(group, _)| priority::of_group(group));
        let groups = groups.into_iter().map(|(group, versions)| api_group(group, &versions)).collect();
        Self { core, groups: ApiGroupList { groups }, resources }
    }

    /// The response of `/api`.
    pub(super) fn core(&self) -> &ApiVersions {
        &self.core
    }

    /// The response of `/apis`.
    pub(super) fn groups(&self) -> &ApiGroupList {
        &self.groups
    }

    /// The response of `/apis/<group>`.
    pub(super) fn group(&self, name: &str) -> Result<&ApiGroup, Status> {
        self.groups.groups.iter().find(|group| group.name == name).ok_or_else(Status::no_such_path)
    }

    /// The response of `/apis/<group>/<version>`.
    pub(super) fn resources(&self, group: &str, version: &str) -> Result<&ApiResourceList, Status> {
        let found = self.resources.iter().find(|((of, at), _)| (&**of, &**at) == (group, version));
        found.map(|(_, list)| list).ok_or_else(Status::no_such_path)
    }
}

/// The resource, and its status if that is served.
fn api_resources(entry: &KindEntry, resource: &Resource) -> Vec<ApiResource> {
    let texts = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
    // Only the storage group has short names and categories. In a second group, a short name would
    // be ambiguous to clients, and a category would list every object twice.
    let is_home = entry.group == entry.storage().0;
    let home = |words: &Words| words.iter().filter(|_| is_home).map(str::to_owned).collect::<Vec<_>>();
    let main = ApiResource {
        name: resource.plural.to_string(),
        singular_name: resource.singular.to_string(),
        namespaced: resource.namespaced,
        kind: entry.kind.to_string(),
        verbs: texts(&served(&resource.verbs)),
        short_names: home(&resource.short_names),
        categories: home(&resource.categories),
    };
    let status_verbs = status_verbs(resource);
    let status = (!status_verbs.is_empty()).then(|| ApiResource {
        name: format!("{}/status", resource.plural),
        singular_name: String::new(),
        verbs: texts(&status_verbs),
        short_names: Vec::new(),
        categories: Vec::new(),
        ..main.clone()
    });
    [Some(main), status].into_iter().flatten().collect()
}

fn api_group(group: &str, versions: &[&str]) -> ApiGroup {
    let versions: Vec<GroupVersion> = versions
        .iter()
        .map(|version| GroupVersion {
            group_version: format!("{group}/{version}"),
            version: (*version).to_owned(),
        })
        .collect();
    let preferred_version = versions.first().cloned().unwrap_or_default();
    ApiGroup { name: group.to_owned(), versions, preferred_version }
}

/// The response of `/version`: the reference release of Kubernetes, and the version of this server.
pub(super) fn version() -> VersionInfo {
    VersionInfo {
        major: "1".to_owned(),
        minor: "35".to_owned(),
        git_version: concat!("v1.35.0+hubgen-", env!("CARGO_PKG_VERSION")).to_owned(),
        platform: format!("{}/{}", std::env::consts::OS, std::env::consts::ARCH),
    }
}
