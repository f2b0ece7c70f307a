//! Deletes objects whose owners are gone, and keeps owners until their dependents are, as upstream's garbage collector does.
//!
//! What owns what is [noted](Garbage::note) with each change ([`graph`]). That queues objects, which are then looked at as they
//! are stored ([`judge`]): whether an owner exists is asked of the store, never of the graph. The graph may be behind the store. It
//! is asked for dependents only when it has come to where the owner was written.

mod graph;
mod judge;
mod references;
mod report;

use std::collections::HashSet;
use std::sync::Arc;

use hubgen_machinery::scheme::Scheme;
use hubgen_meta::v1::OwnerReference;
use tracing::warn;

use self::graph::Graph;
use self::references::key_of_owner;
use super::queue::Queue;
use super::record::{Change, Key, Record, Uid};
use crate::objects::{FOREGROUND, ORPHAN};
use crate::own::Own;

/// The garbage collector.
pub(super) struct Garbage {
    own: Own,
    graph: Graph,
    queue: Queue<Step>,
    /// Objects with an owner of a kind that is not served: they are looked at again when there are other kinds.
    unclear: HashSet<Key>,
    /// What has failed, and is tried again.
    failed: Vec<Step>,
    /// Up to which revision all changes are noted.
    seen: u64,
    /// What is about objects that have changed since: until that is noted, they may have dependents that nobody knows.
    ahead: Vec<Step>,
    scheme: Arc<Scheme>,
}

/// What is to be done about an object.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Step {
    /// It may have to go, or to be released.
    Judge(Key),
    /// Its dependents are to have it as an owner no longer.
    Orphan(Key),
    /// It may name an owner in another namespace, which somebody should know.
    Report(Key),
}

impl Garbage {
    pub(super) fn new(own: Own) -> Self {
        let scheme = Arc::clone(&own.served.current().scheme);
        Self {
            own,
            graph: Graph::default(),
            queue: Queue::default(),
            unclear: HashSet::new(),
            failed: Vec::new(),
            seen: 0,
            ahead: Vec::new(),
            scheme,
        }
    }

    /// Forgets everything, because all is told anew.
    pub(super) fn forget(&mut self) {
        self.graph = Graph::default();
        self.queue.clear();
        self.unclear.clear();
        self.failed.clear();
        self.ahead.clear();
    }

    /// All changes up to a revision are noted.
    pub(super) fn reach(&mut self, revision: u64) {
        self.seen = revision;
        self.ahead.drain(..).for_each(|step| self.queue.push(step));
    }

    /// Notes a change. What is `new_to_us` was there before.
    pub(super) fn note(&mut self, scheme: &Scheme, Change { key, old, new }: &Change, new_to_us: bool) {
        if [new, old].into_iter().flatten().any(|record| expires(scheme, record)) {
            return;
        }
        let owners = |record: &Option<Record>| -> Vec<OwnerReference> {
            record.iter().flat_map(Record::owners).cloned().collect()
        };
        let (before, now) = (owners(old), owners(new));
        let namespace =
            [old, new].into_iter().flatten().map(|record| record.metadata.namespace.clone()).next();
        let namespace = namespace.unwrap_or_default();
        for owner in &before {
            let left = now.iter().find(|other| other.uid == owner.uid);
            if left.is_none() {
                self.graph.remove(Uid::from(&*owner.uid), key);
            }
            let is_freed = blocks(owner) && !left.is_some_and(blocks);
            if new.is_none() || is_freed {
                // The owner may have waited for it.
                let owner = key_of_owner(scheme, owner, &namespace);
                owner.into_iter().for_each(|owner| self.queue.push(Step::Judge(owner)));
            }
        }
        let added: Vec<_> =
            now.iter().filter(|owner| !before.iter().any(|other| other.uid == owner.uid)).collect();
        for owner in &added {
            self.graph.add(Uid::from(&*owner.uid), key);
        }
        if !added.is_empty() {
            if !new_to_us {
                self.queue.push(Step::Report(Key::clone(key)));
            }
            self.queue.push(Step::Judge(Key::clone(key)));
        }
        match new {
            None => {
                self.unclear.remove(key);
                for dependent in old.iter().flat_map(|old| self.graph.lose(old)) {
                    self.queue.push(Step::Judge(dependent));
                }
            }
            Some(new) => {
                let begins = |finalizer: &str| {
                    new.is_kept_by(finalizer) && !old.as_ref().is_some_and(|old| old.is_kept_by(finalizer))
                };
                if begins(ORPHAN) {
                    self.queue.push(Step::Orphan(Key::clone(key)));
                } else if begins(FOREGROUND) {
                    for dependent in self.graph.dependents(new.uid()) {
                        self.queue.push(Step::Judge(dependent));
                    }
                    self.queue.push(Step::Judge(Key::clone(key)));
                }
            }
        }
    }

    /// Does all there is to do. Returns whether all of it succeeded.
    pub(super) async fn work(&mut self) -> bool {
        let scheme = Arc::clone(&self.own.served.current().scheme);
        if !Arc::ptr_eq(&scheme, &self.scheme) {
            self.scheme = scheme;
            self.unclear.drain().for_each(|key| self.queue.push(Step::Judge(key)));
        }
        while let Some(step) = self.queue.pop() {
            let done = match &step {
                Step::Judge(key) => self.judge(key).await,
                Step::Orphan(key) => self.orphan(key).await,
                Step::Report(key) => self.report(key).await,
            };
            if let Err(why) = done {
                let (Step::Judge(key) | Step::Orphan(key) | Step::Report(key)) = &step;
                warn!("{} cannot be collected yet: {why}", String::from_utf8_lossy(key));
                self.failed.push(step);
            }
        }
        self.failed.is_empty()
    }

    /// Tries again what has failed.
    pub(super) fn try_again(&mut self) {
        self.failed.drain(..).for_each(|step| self.queue.push(step));
    }
}

/// Whether a reference keeps its owner, when that waits for its dependents.
fn blocks(owner: &OwnerReference) -> bool {
    owner.block_owner_deletion == Some(true)
}

/// Whether an object goes by itself: as upstream's Events, it takes no part.
fn expires(scheme: &Scheme, record: &Record) -> bool {
    record.entry(scheme).is_some_and(|entry| entry.behaviour.time_to_live.is_some())
}
