use std::path::PathBuf;
use std::sync::Arc;

use super::KeyValue;

/// Why a store did not do what it was asked to.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The key is not in the state that the write expects. Nothing was written.
    #[error("{}", conflict(.current.as_deref()))]
    Conflict {
        /// What is there instead; `None` if the key does not exist.
        current: Option<Box<KeyValue>>,
    },
    /// The history no longer reaches back to the revision.
    #[error("revision {requested} is compacted, the oldest one at hand is {oldest}: list anew")]
    Compacted {
        /// The revision asked for.
        requested: u64,
        /// The oldest revision that can be listed or watched from.
        oldest: u64,
    },
    /// The store has not reached the revision yet.
    #[error("revision {requested} is in the future, the store is at {current}")]
    FutureRevision {
        /// The revision asked for.
        requested: u64,
        /// The store's revision.
        current: u64,
    },
    /// Another process, or another store of this one, has the data open.
    #[error("{} is in use by another process: stop it or choose another data directory", .path.display())]
    InUse {
        /// The file that is locked.
        path: PathBuf,
    },
    /// The data was written by another version of this program, or is not a store's.
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
        /// What the system or the storage library says.
        source: Arc<dyn std::error::Error + Send + Sync>,
    },
    /// Reading or writing failed. A write answered so may have happened or not: read it again.
    #[error("the store failed: {0}")]
    Failed(#[source] Arc<dyn std::error::Error + Send + Sync>),
    /// The store is shut down. A write answered so may have happened or not.
    #[error("the store is closed")]
    Closed,
}

fn conflict(current: Option<&KeyValue>) -> String {
    match current {
        Some(current) => format!(
            "{} is at revision {}, not in the state that the write expects",
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
