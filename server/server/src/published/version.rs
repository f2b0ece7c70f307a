//! The answer of `/version`.

use hubgen_machinery::ApiType;

/// The reference release of Kubernetes.
pub(crate) const RELEASE: (u32, u32) = (1, 37);

/// The response of `/version`, in upstream's form. No published document has this type.
#[derive(ApiType)]
pub(crate) struct VersionInfo {
    /// `1`.
    #[field(omit = never)]
    major: String,
    /// `37`.
    #[field(omit = never)]
    minor: String,
    /// `v1.37.0+hubgen-0.1.0`: the reference release of Kubernetes, and the version of this server.
    #[field(omit = never)]
    git_version: String,
    /// `linux/amd64`.
    #[field(omit = never)]
    platform: String,
}

/// The reference release of Kubernetes, and the version of this server.
pub(crate) fn version() -> VersionInfo {
    VersionInfo {
        major: RELEASE.0.to_string(),
        minor: RELEASE.1.to_string(),
        git_version: concat!("v1.37.0+hubgen-", env!("CARGO_PKG_VERSION")).to_owned(),
        platform: format!("{}/{}", std::env::consts::OS, std::env::consts::ARCH),
    }
}
