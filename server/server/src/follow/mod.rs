//! Follows what is stored: reads all of it, then every change, and again from the beginning when that fails.
//!
//! The server has several [followers](Follow): of definitions, of roles, of everything. Each is a task that waits for changes
//! and for nothing else. Whoever wants to know whether they have done what they have to do [asks](Followers) them.

mod asked;

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use tracing::warn;

pub(crate) use self::asked::{Asked, Followers};
use crate::store::{Error, Event, Store};

/// After how long the store is read again if it fails.
const AGAIN: Duration = Duration::from_millis(100);

/// Who follows what is stored with a prefix.
pub(crate) trait Follow: Send {
    /// Reads all that is stored. Returns the revision of that.
    ///
    /// # Errors
    /// Those of the store.
    fn read(&mut self, store: &dyn Store) -> impl Future<Output = Result<u64, Error>> + Send;

    /// Takes note of changes, in the order in which they were written.
    fn take(&mut self, events: Vec<Event>);

    /// Does what follows from what is known. Returns after how long it is to be called again although nothing has changed, such
    /// as to try again what has failed.
    fn work(&mut self) -> impl Future<Output = Option<Duration>> + Send;

    /// Waits for something else than a change of the store after which there may be work.
    fn woken(&mut self) -> impl Future<Output = ()> + Send {
        pending()
    }
}

/// Follows what is stored with a prefix, until the store is closed. `read` is the revision that has been read already, if any
/// has.
pub(crate) async fn follow(
    mut follower: impl Follow,
    store: Arc<dyn Store>,
    prefix: String,
    mut read: Option<u64>,
    mut asked: Asked,
) {
    loop {
        let revision = match read.take() {
            Some(revision) => Ok(revision),
            None => follower.read(&*store).await,
        };
        let error = match revision {
            Ok(revision) => follow_from(&mut follower, &*store, &prefix, revision, &mut asked).await,
            Err(error) => error,
        };
        if matches!(error, Error::Closed) {
            return;
        }
        warn!("{prefix} is read again: {error}");
        asked.rest(AGAIN).await;
    }
}

/// Follows the changes after a revision, until there is an error.
async fn follow_from(
    follower: &mut impl Follow,
    store: &dyn Store,
    prefix: &str,
    revision: u64,
    asked: &mut Asked,
) -> Error {
    let mut watch = match store.watch(prefix.as_bytes().to_vec(), revision).await {
        Ok(watch) => watch,
        Err(error) => return error,
    };
    loop {
        asked.hear();
        let again = follower.work().await;
        asked.answer(watch.revision());
        let wanted = asked.wanted();
        let next = match wanted {
            Some(revision) => watch.next_until(revision),
            None => watch.next(),
        };
        tokio::select! {
            events = next => match events {
                Ok(events) => follower.take(events),
                Err(error) => return error,
            },
            () = asked.wait() => {}
            () = follower.woken() => {}
            () = async { tokio::time::sleep(again.unwrap_or_default()).await }, if again.is_some() => {}
        }
    }
}
