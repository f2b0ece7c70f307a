//! Writes of the server itself, which are made one after the other.

use std::sync::Arc;
use std::time::Duration;

use hubgen_serve::queue::{Lane, Turn};

use crate::access::{PRIVILEGED, User};
use crate::catalog::Served;
use crate::objects::{Backing, Error, Objects, Warnings, Write};
use crate::status::Failure;

/// Writes of the server itself.
#[derive(Clone)]
pub(crate) struct Own {
    pub(crate) served: Served,
    pub(crate) backing: Arc<Backing>,
    lane: Lane,
}

impl Own {
    pub(crate) fn new(served: &Served, backing: &Arc<Backing>) -> Self {
        let lane = Lane::new(1, Duration::MAX);
        Self { served: served.clone(), backing: Arc::clone(backing), lane }
    }

    /// The same, for writes that may take long, and are made beside the others.
    pub(crate) fn apart(&self) -> Self {
        Self::new(&self.served, &self.backing)
    }

    /// Writes when there is room for it. `manager` is the name under which fields are owned.
    pub(crate) async fn work<T, W>(
        &self,
        manager: &str,
        work: impl FnOnce(Objects, Write) -> W + Send + 'static,
    ) -> Result<T, String>
    where
        T: Send + 'static,
        W: Future<Output = Result<T, Error>> + Send,
    {
        let objects = Objects { catalog: self.served.current(), backing: Arc::clone(&self.backing) };
        let user = User {
            name: "system:apiserver".to_owned(),
            groups: vec![PRIVILEGED.to_owned(), "system:authenticated".to_owned()],
            ..User::default()
        };
        let (user, manager) = (Arc::new(user), manager.to_owned());
        let work = |turn: Turn| async move {
            let failed = |error: Error| Failure::from(error).0.message.to_string();
            work(objects, Write { user, manager, dry_run: false, turn, warnings: Warnings::default() })
                .await
                .map_err(failed)
        };
        let worked = self.lane.work(work).await;
        if let Ok(revision) = self.backing.feeds.revision().await {
            self.backing.followers.note_written(revision);
        }
        let (written, _) = worked.map_err(|error| error.to_string())?;
        written
    }
}
