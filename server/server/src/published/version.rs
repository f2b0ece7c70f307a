//! The answer of `/version`.

use hubgen_machinery::ApiType;

/// The reference release of Kubernetes: the two numbers of `1.37`.
pub(crate) const REFERENCE: (u32, u32) = (1, 37);

/// The response of `/version`, in upstream's form, where all of these are required: clients that are generated from published
/// documents refuse an answer without one.
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
    /// Empty: the number of the release tells what the server was built from.
    #[field(omit = never)]
    git_commit: String,
    /// Empty, as of what is built outside of a repository.
    #[field(omit = never)]
    git_tree_state: String,
    /// The beginning of Unix time, as upstream's if nobody told when it was built: the same sources give the same program.
    #[field(omit = never)]
    build_date: String,
    /// Empty: no Go is part of it.
    #[field(omit = never)]
    go_version: String,
    /// `rustc`.
    #[field(omit = never)]
    compiler: String,
    /// `linux/amd64`.
    #[field(omit = never)]
    platform: String,
}

/// The release of Kubernetes for which the server is taken, and the version of this server.
pub(crate) fn version((major, minor): (u32, u32)) -> VersionInfo {
    VersionInfo {
        major: major.to_string(),
        minor: minor.to_string(),
        git_version: git_version((major, minor)),
        git_commit: String::new(),
        git_tree_state: String::new(),
        build_date: "1970-01-01T00:00:00Z".to_owned(),
        go_version: String::new(),
        compiler: "rustc".to_owned(),
        platform: format!("{}/{}", std::env::consts::OS, architecture()),
    }
}

/// A release of Kubernetes, and the version of this server.
pub(crate) fn git_version((major, minor): (u32, u32)) -> String {
    format!("v{major}.{minor}.0+hubgen-{}", env!("CARGO_PKG_VERSION"))
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
