//! What a server offers of Kubernetes' kinds: by default those that a kube-apiserver of the reference release serves.
//!
//! ```
//! use std::sync::Arc;
//!
//! use hubgen_releases::{RuntimeConfig, kinds};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let scheme = Arc::new(hubgen_kubernetes::scheme());
//! let config = RuntimeConfig::parse("batch/v1beta1=true", &scheme)?;
//! // What Kubernetes 1.20 had.
//! let kinds = kinds(scheme, &config, Some("1.20".parse()?))?;
//! assert_eq!(kinds.release, (1, 20));
//! # Ok(())
//! # }
//! ```
//!
//! The crate has no features.

mod archive;
mod offered;
mod runtime_config;

use std::sync::Arc;

use hubgen_diagnostic::Diagnostic;
use hubgen_machinery::scheme::Scheme;
pub use hubgen_model::Release;
use hubgen_server::Kinds;
use hubgen_server::openapi::{self, Sources};

pub use self::archive::kubernetes as archive;
pub use self::offered::is_on_by_default;
use self::offered::{Resources, offered};
pub use self::runtime_config::{InvalidRuntimeConfig, RuntimeConfig};

/// Why the kinds of a release cannot be served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unserved {
    /// There is no such release.
    #[error("the archive has no release {release}")]
    NoSuchRelease {
        /// The release.
        release: Release,
        /// Those that there are.
        known: Vec<Release>,
    },
    /// The archive has errors: a mistake in hubgen.
    #[error("the archive cannot be read: {}", .0.first().map_or("no reason is known", |error| &error.message))]
    Archive(Vec<Diagnostic>),
}

/// The kinds of Kubernetes, and what is offered and published of them: what the reference release serves, or what an emulated
/// release had, as `config` changes it. They are stored at their default versions.
///
/// # Errors
/// If there is no such release.
pub fn kinds(
    scheme: Arc<Scheme>,
    config: &RuntimeConfig,
    emulated: Option<Release>,
) -> Result<Kinds, Unserved> {
    let mut published = Sources::default();
    published.distilled(hubgen_schemas::kubernetes());
    let Some(release) = emulated else {
        let offered = offered(&scheme, config, None);
        return Ok(Kinds { offered, published, ..Kinds::new(scheme) });
    };
    let archive = archive().map_err(Unserved::Archive)?;
    let known = &archive.report.releases;
    if !known.contains(&release) {
        return Err(Unserved::NoSuchRelease { release, known: known.iter().copied().collect() });
    }
    let offered = offered(&scheme, config, Some(&Resources::of(&archive.at(release), release)));
    let (major, minor) = (release.major.into(), release.minor.into());
    published.release(openapi::Release { major, minor });
    Ok(Kinds { offered, published, release: (major, minor), ..Kinds::new(scheme) })
}
