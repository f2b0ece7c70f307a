//! The response types of discovery.

use hubgen_machinery::ApiType;

/// The versions of the core group: the response of `/api`.
#[derive(ApiType)]
#[kind(version = "v1", kind = "APIVersions")]
pub struct ApiVersions {
    /// The versions.
    #[field(omit = never)]
    pub versions: Vec<String>,
    /// The addresses at which clients reach the server.
    #[field(name = "serverAddressByClientCIDRs", omit = never)]
    pub server_addresses: Vec<ServerAddress>,
}

/// The address of the server for the clients of a network.
#[derive(ApiType)]
pub struct ServerAddress {
    /// The network, as in `0.0.0.0/0`.
    #[field(name = "clientCIDR", omit = never)]
    pub client_cidr: String,
    /// Host and port.
    #[field(omit = never)]
    pub server_address: String,
}

/// The named groups: the response of `/apis`.
#[derive(ApiType)]
#[kind(version = "v1", kind = "APIGroupList")]
pub struct ApiGroupList {
    /// The groups.
    #[field(omit = never)]
    pub groups: Vec<ApiGroup>,
}

/// One group: the response of `/apis/<group>`.
#[derive(ApiType)]
#[kind(version = "v1", kind = "APIGroup")]
pub struct ApiGroup {
    /// `apps`.
    #[field(omit = never)]
    pub name: String,
    /// Its versions, the most stable and newest first.
    #[field(omit = never)]
    pub versions: Vec<GroupVersion>,
    /// The version that clients should use.
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

/// The resources of one version: the response of `/apis/<group>/<version>`.
#[derive(ApiType)]
#[kind(version = "v1", kind = "APIResourceList")]
pub struct ApiResourceList {
    /// `apps/v1`.
    #[field(omit = never)]
    pub group_version: String,
    /// The resources and their subresources, such as `deployments/status`.
    #[field(omit = never)]
    pub resources: Vec<ApiResource>,
}

/// A resource or a subresource.
#[derive(ApiType)]
pub struct ApiResource {
    /// `deployments`.
    #[field(omit = never)]
    pub name: String,
    /// `deployment`.
    #[field(omit = never)]
    pub singular_name: String,
    /// Whether its objects are namespaced.
    #[field(omit = never)]
    pub namespaced: bool,
    /// `Deployment`.
    #[field(omit = never)]
    pub kind: String,
    /// The supported verbs.
    #[field(omit = never)]
    pub verbs: Vec<String>,
    /// `deploy`.
    pub short_names: Vec<String>,
    /// `all`.
    pub categories: Vec<String>,
}

/// The response of `/version`.
#[derive(ApiType)]
pub struct VersionInfo {
    /// `1`.
    #[field(omit = never)]
    pub major: String,
    /// `35`.
    #[field(omit = never)]
    pub minor: String,
    /// `v1.35.0+hubgen-0.1.0`: the reference release of Kubernetes, and the version of this server.
    #[field(omit = never)]
    pub git_version: String,
    /// `linux/amd64`.
    #[field(omit = never)]
    pub platform: String,
}
