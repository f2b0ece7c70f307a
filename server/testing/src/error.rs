//! Why a test has no server.

use std::io;
use std::path::PathBuf;

use hubgen_server::store;

/// Why a server cannot start, or not be restored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// It cannot listen, or an object that it begins with is not valid.
    #[error("the server cannot start: {0}")]
    Start(#[source] io::Error),
    /// A setting of the [builder](crate::Builder) is not valid, or a repository has errors.
    #[error("{0}")]
    Setting(String),
    /// A file cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// A text is not YAML, or has something else than objects.
    #[error("{origin}: {message}")]
    Manifest {
        /// The file, or `manifests` for a text.
        origin: String,
        /// What is wrong, and where.
        message: String,
    },
    /// The store has failed.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// Somebody goes on writing while objects are restored.
    #[error("the objects cannot be restored, because somebody goes on writing: stop controllers before")]
    Restless,
    /// A client for the server cannot be made.
    #[cfg(feature = "kube-5")]
    #[error("no client can be made: {0}")]
    Client(#[source] Box<dyn std::error::Error + Send + Sync>),
}
