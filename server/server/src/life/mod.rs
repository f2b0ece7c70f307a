//! What becomes of CustomResourceDefinitions once they are stored: which names they get, when their kinds are served, and how
//! they end.
//!
//! A task [follows](follow) the definitions in the store. It writes into their status what follows from them and from others
//! of their group ([`progress`]), and before a definition ends, another task [removes](removal) its objects. Each write takes
//! the pipeline of all writes and is repeated with what others have written in between, so that several servers on one store
//! come to the same.

mod definition;
mod follow;
mod known;
mod names;
mod progress;
mod removal;

use std::sync::Arc;

use tokio::task::JoinSet;

use self::follow::Follow;
use crate::catalog::Served;
use crate::objects::Backing;
use crate::own::Own;

/// Under which name the status is written. It is that of upstream, which clients know.
const MANAGER: &str = "kube-apiserver";

/// Follows definitions until the store is closed, if the server knows such a kind.
pub(crate) fn start(served: &Served, backing: &Arc<Backing>, tasks: &mut JoinSet<()>) {
    if let Some(follow) = Follow::new(Own::new(served, backing)) {
        tasks.spawn(follow.run());
    }
}
