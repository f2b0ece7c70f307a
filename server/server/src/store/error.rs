use std::path::PathBuf;
use std::sync::Arc;

use super::KeyValue;

/// The error of a store.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The key is not at the revision that the write expects. Nothing was written.
    #[error("{}", conflict(.current.as_deref()))]
    Conflict {
        /// The current key and value; `None` if the key does not exist.
        current: Option<Box<KeyValue>>,
    },
    /// The revision is compacted.
    #[error("revision {requested} is compacted, the oldest available revision is {oldest}: list again")]
    Compacted {
        /// The requested revision.
        requested: u64,
        /// The oldest revision that can still be listed or watched.
        oldest: u64,
    },
    /// The store has not reached the revision yet.
    #[error("revision {requested} does not exist yet, the store is at revision {current}")]
    FutureRevision {
        /// The requested revision.
        requested: u64,
        /// The current revision of the store.
        current: u64,
    },
    /// The data is open in another process, or in another store of this process.
    #[error("{} is in use by another process: stop it or choose another data directory", .path.display())]
    InUse {
        /// The file that is locked.
        path: PathBuf,
    },
    /// The data has another store format, from another version of this program, or is not a store.
    #[error("{} has store format {found}, this program reads format {expected}: use the release that wrote it", .path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The format found in it.
        found: u64,
        /// The format that this program reads and writes.
        expected: u64,
    },
    /// The data directory or the file in it cannot be opened.
    #[error("cannot open {}: {source}", .path.display())]
    Open {
        /// The directory or file.
        path: PathBuf,
        /// The error of the operating system or the storage library.
        source: Arc<dyn std::error::Error + Send + Sync>,
    },
    /// Reading or writing failed. It is unknown whether a write with this error took effect: read
    /// the key again.
    #[error("the store failed: {0}")]
    Failed(#[source] Arc<dyn std::error::Error + Send + Sync>),
    /// The store is shut down. It is unknown whether a write with this error took effect.
    #[error("the store is closed")]
    Closed,
}

fn conflict(current: Option<&KeyValue>) -> String {
    match current {
        Some(current) => format!(
            "{} is at revision {}, which is not the revision that the write expects",
            String::from_utf8_lossy(&current.key),
            current.mod_revision
        ),
        None => "the key does not exist".to_owned(),
    }
}

impl From<redb::Error> for Error {
    fn from(error: redb::Error) -> Self {
        Error::Failed(Arc::new(error))
    }
}
