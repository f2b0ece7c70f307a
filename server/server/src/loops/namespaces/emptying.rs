//! Removes the objects of namespaces that are deleted, and then what keeps the namespaces.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::Value;
use tracing::warn;

use super::super::queue::Queue;
use super::super::record::Change;
use super::content;
use crate::objects::{
    Collection, Error, KEEPER, Objects, TERMINATING, Write, are_kept, kind_of_namespaces, set_condition,
};
use crate::own::Own;
use crate::part::Part;

/// Under which name namespaces are written. It is that of upstream's controller, which clients know.
const MANAGER: &str = "kube-controller-manager";

/// The namespaces that are being deleted.
pub(in super::super) struct Emptying {
    own: Own,
    /// The prefix of the keys of namespaces.
    prefix: String,
    ending: HashSet<String>,
    queue: Queue<String>,
    failed: Vec<String>,
}

impl Emptying {
    /// Knows of none yet; `None` if there is no such kind, or nothing keeps its objects.
    pub(in super::super) fn new(own: &Own) -> Option<Self> {
        let scheme = &own.served.current().scheme;
        let prefix = scheme.storage_prefix(kind_of_namespaces(scheme).filter(|entry| are_kept(entry))?);
        let (queue, ending) = (Queue::default(), HashSet::new());
        Some(Self { own: own.clone(), prefix, ending, queue, failed: Vec::new() })
    }

    pub(in super::super) fn forget(&mut self) {
        self.ending.clear();
        self.queue.clear();
        self.failed.clear();
    }

    /// Notes a change: of a namespace, or of an object in one.
    pub(in super::super) fn note(&mut self, Change { key, old, new }: &Change) {
        if let Some(name) = str::from_utf8(key).ok().and_then(|key| key.strip_prefix(&self.prefix)) {
            if new.as_ref().is_some_and(|new| new.is_being_deleted()) {
                self.ending.insert(name.to_owned());
                self.queue.push(name.to_owned());
            } else {
                self.ending.remove(name);
            }
            return;
        }
        let within = [new, old].into_iter().flatten().map(|record| &*record.metadata.namespace).next();
        if let Some(name) = within.filter(|name| self.ending.contains(*name)) {
            self.queue.push(name.to_owned());
        }
    }

    /// Does all there is to do. Returns whether all of it succeeded.
    pub(in super::super) async fn work(&mut self) -> bool {
        while let Some(name) = self.queue.pop() {
            let namespace = name.clone();
            let work = move |objects: Objects, write: Write| async move {
                empty(&objects, &namespace, &write).await
            };
            if let Err(why) = self.own.work(MANAGER, work).await {
                warn!("the namespace {name} cannot be removed yet: {why}");
                self.failed.push(name);
            }
        }
        self.failed.is_empty()
    }

    /// Tries again what has failed.
    pub(in super::super) fn try_again(&mut self) {
        self.failed.drain(..).for_each(|name| self.queue.push(name));
    }
}

/// Removes the objects of a namespace that is being deleted, and what keeps it if none is left.
async fn empty(objects: &Objects, name: &str, write: &Write) -> Result<(), Error> {
    let Some(entry) = kind_of_namespaces(&objects.catalog.scheme) else { return Ok(()) };
    let collection = Collection { entry: Arc::clone(entry), namespace: String::new() };
    let now = objects.backing.environment.now().to_string();
    let mut is_kept = false;
    let mut begin = |namespace: &mut Value| {
        is_kept = is_ending(namespace) && !finalizers(namespace).is_empty();
        let is_new = is_ending(namespace) && namespace["status"]["phase"] != TERMINATING;
        if is_new {
            namespace["status"]["phase"] = TERMINATING.into();
        }
        is_new
    };
    objects.edit(&collection, name, Part::Status, &mut begin, write).await?;
    if !is_kept {
        return Ok(());
    }
    let left = content::delete_all(objects, name, write).await?;
    let mut tell = |namespace: &mut Value| {
        if !is_ending(namespace) {
            return false;
        }
        for condition in left.conditions() {
            set_condition(&mut namespace["status"], condition, &now);
        }
        true
    };
    objects.edit(&collection, name, Part::Status, &mut tell, write).await?;
    if !left.is_nothing() {
        // What somebody else removes is told as a change.
        return match left.failures.first() {
            None => Ok(()),
            Some(why) => Err(Error::Internal(why.clone())),
        };
    }
    let mut finish = |namespace: &mut Value| {
        if !is_ending(namespace) {
            return false;
        }
        let all = finalizers(namespace);
        let others = all.iter().filter(|finalizer| **finalizer != *KEEPER).cloned().collect();
        namespace["spec"]["finalizers"] = others;
        true
    };
    objects.edit(&collection, name, Part::Finalize, &mut finish, write).await.map(drop)
}

fn is_ending(namespace: &Value) -> bool {
    namespace["metadata"]["deletionTimestamp"].is_string()
}

fn finalizers(namespace: &Value) -> Vec<Value> {
    namespace["spec"]["finalizers"].as_array().cloned().unwrap_or_default()
}
