//! What the server does besides answering requests, as the controllers of a cluster do.
//!
//! Each loop is a client of the objects: it follows what is stored and writes through the pipeline of all writes. Most are told
//! of changes by one task (`keeper`); `definitions` has its own. Nothing is asked in intervals.

mod controllers;
pub(crate) mod definitions;
mod expiry;
mod garbage;
mod keeper;
mod namespaces;
mod queue;
mod record;
mod remove;
mod stand_ins;
mod tokens;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;

pub use self::controllers::{Controller, Controllers, UnknownController};
use self::keeper::Keeper;
pub use self::stand_ins::{Changed, Done, Resource, StandIn, World};
use crate::catalog::Served;
use crate::follow::follow;
use crate::objects::{Backing, Objects, Write};
use crate::own::Own;

/// The settings of the loops.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Which loops run, by default all.
    pub controllers: Controllers,
    /// After how long an Event is deleted, and other objects that last for a time only. By default the time of their kind: an hour
    /// for Events.
    pub time_to_live: Option<Duration>,
    /// The certificates, in PEM, with which pods verify the server: those in the ConfigMap `kube-root-ca.crt`, and in Secrets with
    /// tokens. By default
    /// those of [`Settings::tls`](crate::Settings::tls).
    pub root_certificates: Option<String>,
    /// The address of the Service `kubernetes`, by default 10.0.0.1: the first one of the range that a kube-apiserver has by
    /// default.
    pub service_address: Option<IpAddr>,
    /// Who takes the place of controllers that a cluster has besides. By default nobody does.
    pub stand_ins: Vec<Arc<dyn StandIn>>,
}

/// Waits for the loops of a server. Clones are of the same server.
#[derive(Clone)]
pub struct Loops {
    served: Served,
    backing: Arc<Backing>,
}

impl Loops {
    pub(crate) fn new(served: &Served, backing: &Arc<Backing>) -> Self {
        Self { served: served.clone(), backing: Arc::clone(backing) }
    }

    /// Waits until all loops have done what follows from everything that is stored now, and what followed from that. What
    /// waits for somebody else, such as for a finalizer that no loop removes, is not waited for, nor what has failed and is tried
    /// again later. If the store is closed, nothing more will happen.
    pub async fn settled(&self) {
        let (feeds, followers) = (&self.backing.feeds, &self.backing.followers);
        loop {
            let catalog = self.served.current();
            let (joined, _) = followers.state();
            let Ok(revision) = feeds.revision().await else { return };
            followers.reach(revision).await;
            let (joined_since, written) = followers.state();
            let is_same = joined == joined_since && Arc::ptr_eq(&catalog, &self.served.current());
            if is_same && written <= revision {
                return;
            }
        }
    }
}

/// Makes the namespaces that there are from the start, unless nobody cares for namespaces.
///
/// # Errors
/// If one cannot be written.
pub(crate) async fn make_namespaces(served: &Served, backing: &Arc<Backing>) -> Result<(), String> {
    let namespaces = namespaces::system(&served.current().scheme);
    if namespaces.is_empty() || !(backing.empties_namespaces || backing.admission.namespace_lifecycle) {
        return Ok(());
    }
    let work =
        |objects: Objects, write: Write| async move { objects.create_missing(&namespaces, &write).await };
    Own::new(served, backing).work(definitions::MANAGER, work).await.map(drop)
}

/// Starts all loops but that of definitions, for a server that listens on a port. They run until the store is closed.
pub(crate) fn start(
    served: &Served,
    backing: &Arc<Backing>,
    settings: &Settings,
    port: u16,
    tasks: &mut JoinSet<()>,
) {
    if let Some(keeper) = Keeper::new(&Own::new(served, backing), settings, port) {
        let (store, asked) = (Arc::clone(&backing.store), backing.followers.join());
        tasks.spawn(follow(keeper, store, String::new(), None, asked));
    }
}
