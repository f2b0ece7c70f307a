//! What clients ask first: which groups, versions and resources there are.

use hubgen_machinery::ApiType;

/// The versions of the core group, the answer of `/api`.
#[derive(ApiType)]
#[kind(version = "v1", kind = "APIVersions")]
pub struct ApiVersions {
    /// The versions.
    #[field(omit = never)]
    pub versions: Vec<String>,
    /// Where clients reach the server.
    #[field(name = "serverAddressByClientCIDRs", omit = never)]
    pub server_addresses: Vec<ServerAddress>,
}

/// Where clients of a network reach the server.
#[derive(ApiType)]
pub struct ServerAddress {
    /// The network, as in `0.0.0.0/0`.
    #[field(name = "clientCIDR", omit = never)]
    pub client_cidr: String,
    /// Host and port.
    #[field(omit = never)]
    pub server_address: String,
}

/// The named groups, the answer of `/apis`.
#[derive(ApiType)]
#[kind(version = "v1", kind = "APIGroupList")]
pub struct ApiGroupList {
    /// The groups.
    #[field(omit = never)]
    pub groups: Vec<ApiGroup>,
}

/// One group, the answer of `/apis/<group>`.
#[derive(ApiType)]
#[kind(version = "v1", kind = "APIGroup")]
pub struct ApiGroup {
    /// `apps`.
    #[field(omit = never)]
    pub name: String,
    /// Its versions, the most stable and newest first.
    #[field(omit = never)]
    pub versions: Vec<GroupVersion>,
    /// The one that clients should take.
    pub preferred_version: GroupVersion,
}

/// A version of a group.
#[derive(ApiType)]
pub struct GroupVersion {
    /// `apps/v1`.
    #[field(omit = never)]
    pub group_version: String,
    /// `v1`.
    #[field(omit = never)]
    pub version: String,
}

/// The resources of one version, the answer of `/apis/<group>/<version>`.
#[derive(ApiType)]
#[kind(version = "v1", kind = "APIResourceList")]
pub struct ApiResourceList {
    /// `apps/v1`.
    #[field(omit = never)]
    pub group_version: String,
    /// The resources, and their parts as `deployments/status`.
    #[field(omit = never)]
    pub resources: Vec<ApiResource>,
}

/// A resource, or a part of one.
#[derive(ApiType)]
pub struct ApiResource {
    /// `deployments`.
    #[field(omit = never)]
    pub name: String,
    /// `deployment`.
    #[field(omit = never)]
    pub singular_name: String,
    /// Whether its objects live in namespaces.
    #[field(omit = never)]
    pub namespaced: bool,
    /// `Deployment`.
    #[field(omit = never)]
    pub kind: String,
    /// What clients may do with it here.
    #[field(omit = never)]
    pub verbs: Vec<String>,
    /// `deploy`.
    pub short_names: Vec<String>,
    /// `all`.
    pub categories: Vec<String>,
}

/// The answer of `/version`.
#[derive(ApiType)]
pub struct VersionInfo {
    /// `1`.
    #[field(omit = never)]
    pub major: String,
    /// `35`.
    #[field(omit = never)]
    pub minor: String,
    /// `v1.35.0`, with what this server is behind it.
    #[field(omit = never)]
    pub git_version: String,
    /// `linux/amd64`.
    #[field(omit = never)]
    pub platform: String,
}
