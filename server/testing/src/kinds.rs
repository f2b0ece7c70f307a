//! Which kinds a server serves. What is made of a choice is made once in a process, and shared by all servers.

use std::sync::Arc;

use hubgen_machinery::scheme::Scheme;
use hubgen_server::{Kinds, StorageVersions};

use crate::error::Error;

/// Which kinds a server serves, and how.
#[derive(Clone, Default)]
pub(crate) struct Choice {
    /// The kinds, if they are not those of Kubernetes.
    pub(crate) scheme: Option<Arc<Scheme>>,
    /// The release of Kubernetes whose kinds are served; empty for the newest.
    pub(crate) release: String,
    pub(crate) runtime_config: String,
    pub(crate) storage_versions: String,
}

impl Choice {
    /// The kinds.
    ///
    /// # Errors
    /// If a text of the choice is not valid.
    pub(crate) fn kinds(&self) -> Result<Kinds, Error> {
        let kinds = match &self.scheme {
            Some(scheme) => Kinds::new(Arc::clone(scheme)),
            None => kubernetes::kinds(&self.release, &self.runtime_config)?,
        };
        if self.storage_versions.is_empty() {
            return Ok(kinds);
        }
        let storage_versions = StorageVersions::parse(&self.storage_versions, &kinds.scheme)
            .map_err(|error| Error::Setting(format!("storage_versions: {error}")))?;
        Ok(Kinds { storage_versions, ..kinds })
    }

    /// Whether objects need a namespace that exists.
    pub(crate) fn has_namespaces(&self) -> bool {
        self.scheme.is_none()
    }
}

#[cfg(feature = "kubernetes")]
pub(crate) mod kubernetes {
    use std::collections::BTreeMap;
    use std::sync::{Arc, LazyLock, Mutex, PoisonError};

    use hubgen_machinery::scheme::Scheme;
    use hubgen_releases::{Release, RuntimeConfig};
    use hubgen_server::Kinds;

    use crate::error::Error;

    /// By the release and the configuration.
    type Made = BTreeMap<(String, String), Kinds>;

    static SCHEME: LazyLock<Arc<Scheme>> = LazyLock::new(|| Arc::new(hubgen_kubernetes::scheme()));
    static MADE: Mutex<Made> = Mutex::new(BTreeMap::new());

    pub(crate) fn kinds(release: &str, config: &str) -> Result<Kinds, Error> {
        let choice = (release.to_owned(), config.to_owned());
        // Those who want the same wait for the one that makes it.
        let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kinds) = made.get(&choice) {
            return Ok(kinds.clone());
        }
        let config = RuntimeConfig::parse(config, &SCHEME)
            .map_err(|error| Error::Setting(format!("runtime_config: {error}")))?;
        let wrong = |why: &dyn std::fmt::Display| Error::Setting(format!("emulated_version: {why}"));
        let release = match release {
            "" => None,
            release => Some(release.parse::<Release>().map_err(|error| wrong(&error))?),
        };
        let kinds = hubgen_releases::kinds(Arc::clone(&SCHEME), &config, release);
        let kinds = kinds.map_err(|error| wrong(&error))?;
        made.insert(choice, kinds.clone());
        Ok(kinds)
    }
}

/// Nothing is known of Kubernetes.
#[cfg(not(feature = "kubernetes"))]
pub(crate) mod kubernetes {
    use crate::error::Error;
    use hubgen_server::Kinds;

    pub(crate) fn kinds(_: &str, _: &str) -> Result<Kinds, Error> {
        let message = "the feature `kubernetes` of hubgen-test-server is off, so the builder needs a Scheme";
        Err(Error::Setting(message.to_owned()))
    }
}
