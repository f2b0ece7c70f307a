//! Discovery in one answer: all groups with their versions and resources, as clients ask for it since 1.26.

use std::hash::{DefaultHasher, Hash, Hasher};

use hubgen_apidiscovery::v2::{APIGroupDiscovery, APIGroupDiscoveryList};
use hubgen_apidiscovery::v2::{APIResourceDiscovery, APISubresourceDiscovery, APIVersionDiscovery};
use hubgen_apidiscovery::v2beta1;
use hubgen_meta::v1::{APIResource, APIResourceList, GroupVersionKind};

use crate::media::Media;

/// A version of the group `apidiscovery.k8s.io`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AggregatedVersion {
    V2,
    V2beta1,
}

impl AggregatedVersion {
    /// The version of that name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "v2" => Some(Self::V2),
            "v2beta1" => Some(Self::V2beta1),
            _ => None,
        }
    }

    /// The media type by which clients tell this answer from that of a server which does not have it.
    pub(crate) fn media_type(self, media: Media) -> &'static str {
        match (self, media) {
            (Self::V2, Media::Json) => "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
            (Self::V2beta1, Media::Json) => {
                "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"
            }
            (Self::V2, Media::Protobuf) => {
                "application/vnd.kubernetes.protobuf;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
            }
            (Self::V2beta1, Media::Protobuf) => {
                "application/vnd.kubernetes.protobuf;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"
            }
        }
    }
}

/// All groups of `/api` or of `/apis`.
pub(crate) struct Aggregated {
    list: APIGroupDiscoveryList,
    tag: String,
}

impl Aggregated {
    /// The groups with their versions, each as its own path answers.
    pub(super) fn new<'a>(
        groups: impl Iterator<Item = (&'a str, Vec<(&'a str, &'a APIResourceList)>)>,
    ) -> Self {
        let list = APIGroupDiscoveryList {
            items: groups.map(|(group, versions)| group_of(group, &versions)).collect(),
            ..APIGroupDiscoveryList::default()
        };
        let mut hasher = DefaultHasher::new();
        Media::Json.encode_own(&list).hash(&mut hasher);
        Self { tag: format!("\"{:016X}\"", hasher.finish()), list }
    }

    /// The `ETag`, quoted: it changes with the content, and is the same in all encodings.
    pub(crate) fn tag(&self) -> &str {
        &self.tag
    }

    pub(crate) fn encode(&self, version: AggregatedVersion, media: Media) -> Vec<u8> {
        match version {
            AggregatedVersion::V2 => media.encode_own(&self.list),
            AggregatedVersion::V2beta1 => {
                let older = |group: &APIGroupDiscovery| v2beta1::APIGroupDiscovery {
                    metadata: group.metadata.clone(),
                    versions: group.versions.clone(),
                };
                media.encode_own(&v2beta1::APIGroupDiscoveryList {
                    items: self.list.items.iter().map(older).collect(),
                    ..v2beta1::APIGroupDiscoveryList::default()
                })
            }
        }
    }
}

fn group_of(name: &str, versions: &[(&str, &APIResourceList)]) -> APIGroupDiscovery {
    let version = |(version, list): &(&str, &APIResourceList)| APIVersionDiscovery {
        version: (*version).into(),
        resources: resources(&list.resources),
        freshness: "Current".into(),
    };
    let mut group = APIGroupDiscovery {
        versions: versions.iter().map(version).collect(),
        ..APIGroupDiscovery::default()
    };
    group.metadata.name = name.into();
    group
}

/// Resources, each with its subresources. These follow it in a list of the version.
fn resources(list: &[APIResource]) -> Vec<APIResourceDiscovery> {
    let mut resources: Vec<APIResourceDiscovery> = Vec::new();
    for resource in list {
        // Clients of 1.26 need it, even if it is empty.
        let response_kind = Some(GroupVersionKind {
            group: resource.group.clone(),
            version: resource.version.clone(),
            kind: resource.kind.clone(),
        });
        match (resource.name.split_once('/'), resources.last_mut()) {
            (Some((_, subresource)), Some(of)) => of.subresources.push(APISubresourceDiscovery {
                subresource: subresource.into(),
                response_kind,
                verbs: resource.verbs.to_vec(),
                ..APISubresourceDiscovery::default()
            }),
            _ => resources.push(APIResourceDiscovery {
                resource: resource.name.clone(),
                response_kind,
                scope: if resource.namespaced { "Namespaced" } else { "Cluster" }.into(),
                singular_resource: resource.singular_name.clone(),
                verbs: resource.verbs.to_vec(),
                short_names: resource.short_names.clone(),
                categories: resource.categories.clone(),
                subresources: Vec::new(),
            }),
        }
    }
    resources
}
