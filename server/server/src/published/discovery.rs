//! Discovery lists the groups, versions and resources of the server. It lists exactly what is
//! served.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hubgen_machinery::Str;
use hubgen_machinery::reflect::Words;
use hubgen_machinery::scheme::{KindEntry, Resource, Scheme};

use hubgen_meta::v1::{
    APIGroup, APIGroupList, APIResource, APIResourceList, APIVersions, GroupVersionForDiscovery,
    ServerAddressByClientCIDR,
};
use ring::digest::{SHA256, digest};

use super::aggregated::Aggregated;
use super::priority;
use crate::part::{self, ServedPart};

/// All responses of discovery, created once; what is aggregated when it is first asked for.
pub(crate) struct Discovery {
    core: APIVersions,
    groups: APIGroupList,
    resources: BTreeMap<(String, String), APIResourceList>,
    all_core: OnceLock<Aggregated>,
    all_groups: OnceLock<Aggregated>,
}

impl Discovery {
    /// Creates the discovery of what is offered of a Scheme, for a server with this address. `stored` is the version at which
    /// a kind is stored.
    pub(crate) fn new<'a>(
        scheme: &'a Scheme,
        offered: &dyn Fn(&'a KindEntry) -> Option<&'a Resource>,
        stored: &dyn Fn(&'a Arc<KindEntry>) -> &'a KindEntry,
        address: &str,
    ) -> Self {
        let mut resources: BTreeMap<(String, String), APIResourceList> = BTreeMap::new();
        for entry in scheme.kinds() {
            let Some(resource) = offered(entry) else { continue };
            let list =
                resources.entry((entry.group.to_string(), entry.version.to_string())).or_insert_with(|| {
                    APIResourceList { group_version: entry.api_version().into(), resources: Vec::new() }
                });
            list.resources.extend(api_resources(scheme, entry, stored(entry), resource));
        }
        for list in resources.values_mut() {
            list.resources.sort_by(|a, b| a.name.cmp(&b.name));
        }
        let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (group, version) in resources.keys() {
            groups.entry(group).or_default().push(version);
        }
        for (group, versions) in &mut groups {
            versions.sort_by_key(|version| priority::of_version(scheme, group, version));
        }
        let core = APIVersions {
            versions: groups.remove("").unwrap_or_default().into_iter().map(Str::from).collect(),
            server_address_by_client_cidrs: vec![ServerAddressByClientCIDR {
                client_cidr: "0.0.0.0/0".into(),
                server_address: address.into(),
            }],
        };
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_by_key(|(group, _)| priority::of_group(scheme, group));
        let groups = groups.into_iter().map(|(group, versions)| api_group(group, &versions)).collect();
        let (all_core, all_groups) = (OnceLock::new(), OnceLock::new());
        Self { core, groups: APIGroupList { groups }, resources, all_core, all_groups }
    }

    /// The response of `/api`.
    pub(crate) fn core(&self) -> &APIVersions {
        &self.core
    }

    /// The response of `/apis`.
    pub(crate) fn groups(&self) -> &APIGroupList {
        &self.groups
    }

    /// The response of `/api` with all resources.
    pub(crate) fn all_core(&self) -> &Aggregated {
        self.all_core.get_or_init(|| {
            let versions = self.core.versions.iter().map(|version| &**version);
            Aggregated::new([("", self.versions("", versions))].into_iter())
        })
    }

    /// The response of `/apis` with all resources.
    pub(crate) fn all_groups(&self) -> &Aggregated {
        self.all_groups.get_or_init(|| {
            Aggregated::new(self.groups.groups.iter().map(|group| {
                let versions = group.versions.iter().map(|version| &*version.version);
                (&*group.name, self.versions(&group.name, versions))
            }))
        })
    }

    /// The resources of versions of a group.
    fn versions<'a>(
        &'a self,
        group: &str,
        versions: impl Iterator<Item = &'a str>,
    ) -> Vec<(&'a str, &'a APIResourceList)> {
        versions.filter_map(|version| Some((version, self.resources(group, version)?))).collect()
    }

    /// The resources of all group versions, each with its group and version.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&str, &str, &[APIResource])> {
        self.resources.iter().map(|((group, version), list)| (&**group, &**version, &*list.resources))
    }

    /// The response of `/apis/<group>`.
    pub(crate) fn group(&self, name: &str) -> Option<&APIGroup> {
        self.groups.groups.iter().find(|group| group.name == name)
    }

    /// The response of `/apis/<group>/<version>`.
    pub(crate) fn resources(&self, group: &str, version: &str) -> Option<&APIResourceList> {
        let found = self.resources.iter().find(|((of, at), _)| (&**of, &**at) == (group, version));
        found.map(|(_, list)| list)
    }
}

/// The resource, whose objects are stored as another kind, and its subresources that are served.
fn api_resources(
    scheme: &Scheme,
    entry: &KindEntry,
    stored: &KindEntry,
    resource: &Resource,
) -> Vec<APIResource> {
    // Only the storage group has short names and categories. In a second group, a short name would
    // be ambiguous to clients, and a category would list every object twice.
    let is_home = entry.group == entry.storage().0;
    let home = |words: &Words| words.iter().filter(|_| is_home).map(Str::from).collect::<Vec<_>>();
    let verbs = part::main(resource).verbs;
    // Reviews are created, and not stored.
    let is_stored = ["create", "get"].iter().all(|verb| verbs.contains(verb));
    let main = APIResource {
        name: Str::from(&*resource.plural),
        singular_name: Str::from(&*resource.singular),
        namespaced: resource.namespaced,
        kind: Str::from(&*entry.kind),
        storage_version_hash: if is_stored { storage_version_hash(stored) } else { Str::new() },
        verbs: verbs.into_iter().collect(),
        short_names: home(&resource.short_names),
        categories: home(&resource.categories),
        ..APIResource::default()
    };
    let subresources = part::subresources(scheme, resource).map(|ServedPart { part, verbs, kind }| {
        // Group and version are there where they are not those of the list.
        let elsewhere = kind.as_deref().filter(|kind| kind.api_version() != entry.api_version());
        let own = |name: fn(&KindEntry) -> &str| elsewhere.map_or(Str::new(), |kind| name(kind).into());
        APIResource {
            name: format!("{}/{}", resource.plural, part.subresource()).into(),
            namespaced: resource.namespaced,
            group: own(|kind| &kind.group),
            version: own(|kind| &kind.version),
            kind: kind.as_deref().map_or_else(|| main.kind.clone(), |kind| (&*kind.kind).into()),
            verbs: verbs.into_iter().collect(),
            ..APIResource::default()
        }
    });
    let subresources: Vec<_> = subresources.collect();
    std::iter::once(main).chain(subresources).collect()
}

/// By which clients see that a kind is stored at another version than before. Upstream hashes the same text.
fn storage_version_hash(stored: &KindEntry) -> Str {
    let text = format!("{}/{}/{}", stored.group, stored.version, stored.kind);
    let digest = digest(&SHA256, text.as_bytes());
    STANDARD.encode(&digest.as_ref()[..8]).into()
}

fn api_group(group: &str, versions: &[&str]) -> APIGroup {
    let versions: Vec<GroupVersionForDiscovery> = versions
        .iter()
        .map(|version| GroupVersionForDiscovery {
            group_version: format!("{group}/{version}").into(),
            version: Str::from(*version),
        })
        .collect();
    let preferred_version = versions.first().cloned().unwrap_or_default();
    APIGroup { name: Str::from(group), versions, preferred_version, ..APIGroup::default() }
}
