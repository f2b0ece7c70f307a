//! The answer of `/version`.

use hubgen_machinery::ApiType;

/// The response of `/version`, in upstream's form. No published document has this type.
#[derive(ApiType)]
pub(crate) struct VersionInfo {
    /// `1`.
    #[field(omit = never)]
    major: String,
    /// `37`.
    #[field(omit = never)]
    minor: String,
    /// `v1.37.0+hubgen-0.1.0`: the release of Kubernetes, and the version of this server.
    #[field(omit = never)]
    pub(super) git_version: String,
    /// `linux/amd64`.
    #[field(omit = never)]
    platform: String,
}

/// The reference release of Kubernetes.
const REFERENCE: &str = "1.37";

/// The release of Kubernetes for which the server is taken, by default the reference release, and the version of this
/// server.
pub(crate) fn version(release: Option<&str>) -> VersionInfo {
    let release = release.unwrap_or(REFERENCE);
    let (major, minor) = release.split_once('.').unwrap_or((release, "0"));
    VersionInfo {
        major: major.to_owned(),
        minor: minor.to_owned(),
        git_version: format!("v{major}.{minor}.0+hubgen-{}", env!("CARGO_PKG_VERSION")),
        platform: format!("{}/{}", std::env::consts::OS, architecture()),
    }
}

/// The architecture of this machine, as Go names it.
fn architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        "x86" => "386",
        other => other,
    }
}
