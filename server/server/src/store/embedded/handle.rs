//! The open database, which is reopened after a failure.
//!
//! After an I/O error redb refuses all further operations, because it does not know what is on
//! disk. Everything acknowledged is on disk, so it is enough to reopen the file as soon as the disk
//! works.

use std::sync::{Arc, PoisonError, RwLock};

use redb::{Database, ReadableDatabase};

use super::super::Error;
use super::tables::{self, FORMAT, Snapshot};

/// Opens the database. The argument is `true` the first time, when a missing database is created.
pub(super) type Open = Box<dyn Fn(bool) -> Result<Database, Error> + Send + Sync>;

/// A database that can be reopened.
pub(super) struct Handle {
    open: Open,
    current: RwLock<Current>,
}

struct Current {
    /// The database, or the reason why it is not open.
    database: Result<Arc<Database>, Error>,
    /// The number of times that the database was opened. An error of an earlier generation does not
    /// concern the current one.
    generation: u64,
}

impl Handle {
    /// Opens the database, and initialises it if it is new. Also returns its revision.
    pub(super) fn new(open: Open, path: &std::path::Path) -> Result<(Self, u64), Error> {
        let database = open(true)?;
        let transaction = database.begin_write().map_err(redb::Error::from)?;
        match tables::initialise(&transaction)? {
            None => transaction.commit().map_err(redb::Error::from)?,
            Some(FORMAT) => transaction.abort().map_err(redb::Error::from)?,
            Some(found) => {
                return Err(Error::Format { path: path.into(), found, expected: FORMAT });
            }
        }
        let revision = snapshot(&database)?.revision;
        let current = RwLock::new(Current { database: Ok(Arc::new(database)), generation: 1 });
        Ok((Self { open, current }, revision))
    }

    /// The database and its generation.
    ///
    /// # Errors
    /// The reason why the database is currently not open.
    pub(super) fn database(&self) -> Result<(Arc<Database>, u64), Error> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        Ok((current.database.clone()?, current.generation))
    }

    /// A snapshot of the current store.
    pub(super) fn snapshot(&self) -> Result<Snapshot, Error> {
        snapshot(&self.database()?.0)
    }

    /// Abandons the database of a generation because of an error.
    pub(super) fn fail(&self, generation: u64, why: Error) {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        if current.generation == generation && current.database.is_ok() {
            current.database = Err(why);
        }
    }

    /// Whether the database is currently not open.
    pub(super) fn is_failed(&self) -> bool {
        self.current.read().unwrap_or_else(PoisonError::into_inner).database.is_err()
    }

    /// Reopens the database. Returns its revision, which must be `at_least` the acknowledged one.
    pub(super) fn reopen(&self, at_least: u64) -> Result<u64, Error> {
        let opened = (self.open)(false).and_then(|database| {
            let revision = snapshot(&database)?.revision;
            if revision < at_least {
                let why =
                    format!("the file is at revision {revision}, but revision {at_least} was acknowledged");
                return Err(Error::from(redb::Error::Corrupted(why)));
            }
            Ok((database, revision))
        });
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        match opened {
            Ok((database, revision)) => {
                current.database = Ok(Arc::new(database));
                current.generation += 1;
                Ok(revision)
            }
            Err(error) => {
                current.database = Err(error.clone());
                Err(error)
            }
        }
    }
}

/// Whether the database must be reopened after this error: redb refuses all further operations.
pub(super) fn ends_database(error: &Error) -> bool {
    let Error::Failed(source) = error else { return false };
    matches!(
        source.downcast_ref(),
        Some(redb::Error::Io(_) | redb::Error::PreviousIo | redb::Error::DatabaseClosed)
    )
}

/// A snapshot of a database.
pub(super) fn snapshot(database: &Database) -> Result<Snapshot, Error> {
    let transaction = database.begin_read().map_err(redb::Error::from)?;
    Ok(Snapshot::new(&transaction)?)
}
