//! The open database, and how it is opened again after it failed.
//!
//! After an I/O error redb refuses all further work, because it cannot tell what is on disk. What
//! was acknowledged is there, so opening the file again is enough, as soon as the disk allows it.

use std::sync::{Arc, PoisonError, RwLock};

use redb::{Database, ReadableDatabase};

use super::super::Error;
use super::tables::{self, FORMAT, Snapshot};

/// Opens the database: `true` for the first time, when it is made if it is missing.
pub(super) type Open = Box<dyn Fn(bool) -> Result<Database, Error> + Send + Sync>;

/// A database that can be opened again.
pub(super) struct Handle {
    open: Open,
    current: RwLock<Current>,
}

struct Current {
    /// The database, or why there is none.
    database: Result<Arc<Database>, Error>,
    /// How often it was opened: an error of an earlier one says nothing of this one.
    generation: u64,
}

impl Handle {
    /// Opens the database and makes it a store if it is new. Answers its revision as well.
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
    /// Why there is none at the moment.
    pub(super) fn database(&self) -> Result<(Arc<Database>, u64), Error> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        Ok((current.database.clone()?, current.generation))
    }

    /// The store as it is now.
    pub(super) fn snapshot(&self) -> Result<Snapshot, Error> {
        snapshot(&self.database()?.0)
    }

    /// Gives up the database of a generation, for this reason.
    pub(super) fn fail(&self, generation: u64, why: Error) {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        if current.generation == generation && current.database.is_ok() {
            current.database = Err(why);
        }
    }

    /// Whether there is no database at the moment.
    pub(super) fn is_failed(&self) -> bool {
        self.current.read().unwrap_or_else(PoisonError::into_inner).database.is_err()
    }

    /// Opens the database again. Answers its revision, which is `at_least` what was acknowledged.
    pub(super) fn reopen(&self, at_least: u64) -> Result<u64, Error> {
        let opened = (self.open)(false).and_then(|database| {
            let revision = snapshot(&database)?.revision;
            if revision < at_least {
                let why = format!("the file is at revision {revision}, {at_least} was acknowledged");
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

/// Whether an error means that the database has to be opened again: redb does nothing more.
pub(super) fn ends_database(error: &Error) -> bool {
    let Error::Failed(source) = error else { return false };
    matches!(
        source.downcast_ref(),
        Some(redb::Error::Io(_) | redb::Error::PreviousIo | redb::Error::DatabaseClosed)
    )
}

/// The store as a database has it now.
pub(super) fn snapshot(database: &Database) -> Result<Snapshot, Error> {
    let transaction = database.begin_read().map_err(redb::Error::from)?;
    Ok(Snapshot::new(&transaction)?)
}
