//! What a server does for roles and bindings when it starts, and as long as it runs.

use std::io;
use std::sync::Arc;

use tokio::task::JoinSet;

use super::bootstrap::Bootstrap;
use super::escalation::Escalation;
use super::follow::{Followed, GROUP, VERSION};
use super::told::Told;
use super::work::Work;
use super::{Rbac, aggregate};
use crate::access::Authorize;
use crate::admission;
use crate::catalog::Served;
use crate::follow::Followers;
use crate::objects::Backing;
use crate::store::Store;

/// Roles and bindings, between the start of the policy and that of the server.
pub(crate) struct Starting {
    policy: Arc<Followed>,
    bootstrap: Option<Bootstrap>,
}

impl Starting {
    /// Reads the policy. From then on the store tells it of writes, in tasks, and admission refuses those that grant too much.
    ///
    /// # Errors
    /// If the kinds are not served, or the store cannot be read.
    pub(crate) async fn new(
        rbac: &Rbac,
        served: &Served,
        store: &mut Arc<dyn Store>,
        steps: &mut admission::Chain,
        authorize: &Arc<dyn Authorize>,
        followers: &Followers,
        tasks: &mut JoinSet<()>,
    ) -> io::Result<Self> {
        let unserved = || {
            let message = format!("roles and bindings decide who may, and {GROUP}/{VERSION} is not served");
            io::Error::new(io::ErrorKind::InvalidInput, message)
        };
        let policy = Followed::new(served).ok_or_else(unserved)?;
        policy.start(store, followers, tasks).await.map_err(io::Error::other)?;
        if rbac.0.policy.set(Arc::clone(&policy)).is_err() {
            let message = "the roles and bindings of a server cannot decide for another one";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        *store = Arc::new(Told { store: Arc::clone(store), policy: Arc::clone(&policy) });
        // After all that may change the object.
        steps.mutating.push(Box::new(Escalation { rbac: rbac.clone(), authorize: Arc::clone(authorize) }));
        Ok(Self { policy, bootstrap: rbac.0.bootstrap.clone() })
    }

    /// Makes the roles and bindings that are missing, and keeps aggregated ones from then on, in tasks.
    ///
    /// # Errors
    /// If one cannot be written.
    pub(crate) async fn finish(
        self,
        served: &Served,
        backing: &Arc<Backing>,
        tasks: &mut JoinSet<()>,
    ) -> io::Result<()> {
        let Self { policy, bootstrap } = self;
        let work = Work::new(served, backing);
        let aggregate = aggregate::Aggregate { policy, work: work.clone() };
        if let Some(bootstrap) = bootstrap {
            work.make(bootstrap).await.map_err(io::Error::other)?;
            aggregate.all().await;
        }
        tasks.spawn(aggregate.run(backing.followers.join()));
        Ok(())
    }
}
