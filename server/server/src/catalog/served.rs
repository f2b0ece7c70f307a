//! The kinds that a server serves now: those of the program, and those that stored definitions define.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use hubgen_machinery::scheme::{KindEntry, RegisterError};
use tokio::sync::watch;
use tracing::warn;

use super::{Catalog, Defined, Kinds};

/// The kinds that a server serves now. Clones are of the same server.
#[derive(Clone)]
pub struct Served(Arc<Inner>);

struct Inner {
    /// The address that discovery tells clients.
    address: String,
    /// What the current snapshot is made of. Whoever makes the next one has the lock, so that none is lost.
    parts: Mutex<Parts>,
    current: RwLock<Arc<Catalog>>,
    /// Tells that there is another snapshot.
    changes: watch::Sender<()>,
    /// Up to which revision of the store the written definitions have their effect on the snapshot.
    followed: watch::Sender<u64>,
}

struct Parts {
    /// The kinds of the program.
    kinds: Kinds,
    /// The kinds of stored definitions, in the order of their names.
    defined: Vec<Arc<Defined>>,
    /// Both together. A definition whose kind another one is, or is stored where another one is, has no effect.
    all: Kinds,
    /// Whether there is such a definition.
    is_any_refused: bool,
}

impl Parts {
    fn new(kinds: Kinds) -> Self {
        Self { all: kinds.clone(), kinds, defined: Vec::new(), is_any_refused: false }
    }

    /// Serves other kinds of the program.
    fn replace(&mut self, kinds: Kinds) {
        self.kinds = kinds;
        self.add_all();
    }

    /// Serves the kinds of these definitions, and no longer those of others. Most of thousands are those from before.
    fn define(&mut self, defined: Vec<Arc<Defined>>) {
        let last = std::mem::replace(&mut self.defined, defined);
        let (gone, new) = (without(&last, &self.defined), without(&self.defined, &last));
        // What was refused may have its turn now.
        if self.is_any_refused || self.change(&gone, &new).is_err() {
            self.add_all();
        }
    }

    /// Adds and removes the kinds of some definitions.
    fn change(&mut self, gone: &[Arc<Defined>], new: &[Arc<Defined>]) -> Result<(), RegisterError> {
        let mut scheme = (*self.all.scheme).clone();
        for defined in gone {
            defined.remove_from(&mut scheme);
        }
        for defined in new {
            defined.add_to(&mut scheme)?;
        }
        gone.iter().for_each(|defined| defined.withdraw(&mut self.all.published));
        new.iter().for_each(|defined| defined.publish(&mut self.all.published));
        self.all.scheme = Arc::new(scheme);
        Ok(())
    }

    /// Adds the kinds of all definitions to those of the program, in the order of the definitions.
    fn add_all(&mut self) {
        self.all = self.kinds.clone();
        self.is_any_refused = false;
        let mut scheme = (*self.all.scheme).clone();
        for defined in &self.defined {
            match defined.add_to(&mut scheme) {
                Ok(()) => defined.publish(&mut self.all.published),
                Err(error) => {
                    warn!("{} defines no kind: {error}", defined.name());
                    self.is_any_refused = true;
                }
            }
        }
        self.all.scheme = Arc::new(scheme);
    }
}

/// Those that are not among the others.
fn without(some: &[Arc<Defined>], others: &[Arc<Defined>]) -> Vec<Arc<Defined>> {
    let others: HashSet<_> = others.iter().map(Arc::as_ptr).collect();
    some.iter().filter(|defined| !others.contains(&Arc::as_ptr(defined))).cloned().collect()
}

impl Served {
    /// The first kinds of a server with this address.
    pub(crate) fn new(kinds: Kinds, address: String) -> Self {
        let parts = Parts::new(kinds);
        let current = RwLock::new(Arc::new(Catalog::new(parts.all.clone(), &address)));
        let ((changes, _), (followed, _)) = (watch::channel(()), watch::channel(0));
        Self(Arc::new(Inner { address, parts: Mutex::new(parts), current, changes, followed }))
    }

    /// The address that discovery tells clients.
    pub(crate) fn address(&self) -> &str {
        &self.0.address
    }

    /// The snapshot with which a request that begins now is answered.
    pub(crate) fn current(&self) -> Arc<Catalog> {
        // Nothing panics while it holds the lock, and a snapshot is whole in any case.
        Arc::clone(&self.0.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Serves these kinds from now on, and those of stored definitions. Requests that have begun see the kinds that were
    /// served before. Stored objects of kinds that are not served any more stay where they are.
    pub fn replace(&self, kinds: Kinds) {
        self.change(|parts| parts.replace(kinds));
    }

    /// Serves the kinds of these definitions from now on, and no longer those of others.
    pub(crate) fn define(&self, defined: Vec<Arc<Defined>>) {
        self.change(|parts| parts.define(defined));
    }

    fn change(&self, change: impl FnOnce(&mut Parts)) {
        let Inner { address, parts, current, changes, .. } = &*self.0;
        // Kinds are whole, whatever has happened to whoever changed them.
        let mut parts = parts.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut parts);
        let next = Arc::new(Catalog::new(parts.all.clone(), address));
        let last = std::mem::replace(&mut *current.write().unwrap_or_else(PoisonError::into_inner), next);
        drop(parts);
        // Not while the lock is held: it may be the last to know many types.
        drop(last);
        changes.send_replace(());
    }

    /// Notes that all definitions that were written up to a revision have their effect.
    pub(crate) fn note(&self, revision: u64) {
        self.0.followed.send_if_modified(|followed| {
            let is_newer = *followed < revision;
            *followed = revision.max(*followed);
            is_newer
        });
    }

    /// Waits until a definition that was written at this revision of the store has its effect on the kinds that are served, or
    /// its absence. Without definitions among its kinds, a server follows none, and this waits for ever.
    pub async fn has_followed(&self, revision: u64) {
        let mut followed = self.0.followed.subscribe();
        // The sender is kept as long as this is.
        let _ = followed.wait_for(|followed| *followed >= revision).await;
    }

    /// The prefix of the keys of definitions in the store; `None` if there are none among the kinds.
    pub fn prefix_of_definitions(&self) -> Option<String> {
        let scheme = &self.current().scheme;
        let entry = scheme.kind("apiextensions.k8s.io", "v1", "CustomResourceDefinition")?;
        Some(scheme.storage_prefix(entry))
    }

    /// Tells of each change of the kinds that are served.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.0.changes.subscribe()
    }

    /// Waits until a kind is served.
    pub(crate) async fn has(&self, group: &str, version: &str, kind: &str) {
        let mut changes = self.0.changes.subscribe();
        while self.current().scheme.kind(group, version, kind).is_none() {
            // The sender is kept as long as this is.
            let _ = changes.changed().await;
        }
    }

    /// How long a kind is served as it is; `None` if that is as long as the server runs.
    pub(crate) fn span(&self, entry: &Arc<KindEntry>) -> Option<Span> {
        entry.untyped.as_ref()?;
        let mut changes = self.0.changes.subscribe();
        // It may have gone before.
        changes.mark_changed();
        Some(Span { served: self.clone(), entry: Arc::clone(entry), changes })
    }
}

/// How long a kind is served as it is.
#[derive(Clone)]
pub(crate) struct Span {
    served: Served,
    entry: Arc<KindEntry>,
    changes: watch::Receiver<()>,
}

/// What a look at a [`Span`] has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// Nothing has happened since the last look.
    Same,
    /// Other kinds have come or gone.
    Lasts,
    Over,
}

impl Span {
    /// Whether the kind is still served as it is.
    pub(crate) fn look(&mut self) -> Look {
        match self.changes.has_changed() {
            Ok(false) => Look::Same,
            Ok(true) => {
                self.changes.mark_unchanged();
                if self.lasts() { Look::Lasts } else { Look::Over }
            }
            // The server has ended.
            Err(_) => Look::Over,
        }
    }

    fn lasts(&self) -> bool {
        let (group, version, kind) = self.entry.parts();
        let now = self.served.current();
        now.scheme.kind(group, version, kind).is_some_and(|now| Arc::ptr_eq(now, &self.entry))
    }

    /// Waits until it is not.
    pub(crate) async fn end(mut self) {
        while self.look() != Look::Over {
            // An error is found by the next look.
            let _ = self.changes.changed().await;
            self.changes.mark_changed();
        }
    }
}
