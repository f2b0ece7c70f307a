//! What becomes of CustomResourceDefinitions once they are stored: which names they get, when their kinds are served, and how
//! they end.
//!
//! A task [follows](lives) the definitions in the store. It writes into their status what follows from them and from others
//! of their group ([`progress`]), and before a definition ends, another task [removes](removal) its objects. Each write takes
//! the pipeline of all writes and is repeated with what others have written in between, so that several servers on one store
//! come to the same.

mod definition;
mod known;
mod lives;
mod names;
mod progress;
mod removal;

use std::sync::Arc;

use tokio::task::JoinSet;

use self::lives::Lives;
use crate::catalog::Served;
use crate::follow::follow;
use crate::objects::Backing;
use crate::own::Own;

/// Under which name the status is written. It is that of upstream, which clients know.
pub(super) const MANAGER: &str = "kube-apiserver";

/// Follows definitions until the store is closed, if the server knows such a kind.
pub(crate) fn start(served: &Served, backing: &Arc<Backing>, tasks: &mut JoinSet<()>) {
    let Some(lives) = Lives::new(Own::new(served, backing)) else { return };
    let (store, prefix, asked) =
        (Arc::clone(&backing.store), lives.prefix().to_owned(), backing.followers.join());
    tasks.spawn(follow(lives, store, prefix, None, asked));
}
