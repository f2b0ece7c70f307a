//! The kinds of a repository. A repository is read once in a process, and shared by all servers.

use std::sync::Arc;

use hubgen_server::Conversions;
use serde_json::Value;

/// What a server serves of a repository.
#[derive(Clone)]
pub(crate) struct Repository {
    /// The definitions of its kinds.
    pub(crate) definitions: Vec<Value>,
    /// What converts their objects.
    pub(crate) rules: Arc<dyn Conversions>,
}

#[cfg(feature = "repository")]
mod read {
    use std::collections::BTreeMap;
    use std::path::{Path, PathBuf};
    use std::sync::{Arc, Mutex, PoisonError};

    use hubgen_documents::project::Project;

    use super::Repository;
    use crate::error::Error;

    static READ: Mutex<BTreeMap<PathBuf, Repository>> = Mutex::new(BTreeMap::new());

    impl Repository {
        /// The repository that a file describes.
        ///
        /// # Errors
        /// All that is wrong with it.
        pub(crate) fn of(config: &Path) -> Result<Self, Error> {
            // Those who want the same wait for the one that reads it.
            let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(repository) = read.get(config) {
                return Ok(repository.clone());
            }
            let repository =
                Project::named(config).and_then(|project| hubgen_migrate::Repository::read(&project));
            let hubgen_migrate::Repository { definitions, rules } = repository.map_err(|errors| {
                let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
                Error::Setting(errors.join("\n"))
            })?;
            let repository = Self { definitions, rules: Arc::new(rules) };
            read.insert(config.to_owned(), repository.clone());
            Ok(repository)
        }
    }
}

/// Nothing reads repositories.
#[cfg(not(feature = "repository"))]
mod read {
    use std::path::Path;

    use super::Repository;
    use crate::error::Error;

    impl Repository {
        pub(crate) fn of(_: &Path) -> Result<Self, Error> {
            Err(Error::Setting("the feature `repository` of hubgen-test-server is off".to_owned()))
        }
    }
}
