//! Those who take the place of controllers that a cluster has and no server, such as the one of Deployments.
//!
//! A [`StandIn`] is told which objects have changed, and reads and writes in a [`World`]. Like the other loops it is told by
//! the store, writes through the pipeline of all writes, and is waited for by [`Loops::settled`](super::Loops::settled).

use std::collections::HashMap;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use hubgen_machinery::scalar::Time;
use hubgen_machinery::scheme::Scheme;
use hubgen_meta::v1::DeleteOptions;
use serde_json::Value;
use tracing::{info, warn};

use super::queue::Queue;
use super::record::{Change, Key};
use crate::objects::{Collection, Error, ListQuery, Objects, Write, json_of};
use crate::own::Own;
use crate::part::Part;

/// What a stand-in does, and why it failed.
pub type Done<'a, T = ()> = Pin<Box<dyn Future<Output = Result<T, String>> + Send + 'a>>;

/// A resource at the version at which a stand-in knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Resource {
    /// The group; that of core has no name.
    pub group: &'static str,
    /// The version: `v1`.
    pub version: &'static str,
    /// The name in paths: `deployments`.
    pub plural: &'static str,
}

/// Takes the place of a controller.
pub trait StandIn: Send + Sync {
    /// Its name, which is told in the log: `deployments`.
    fn name(&self) -> &'static str;

    /// The resources of which it wants to know what has changed. Those that the Scheme lacks do not change.
    fn follows(&self) -> &'static [Resource];

    /// Does what follows from a change of an object, of which it may be told more than once. Returns when it wants to be told of
    /// the object again, by the clock of the server, although nothing may have changed.
    ///
    /// # Errors
    /// Why it could not. It is told of the object again, later.
    fn act<'a>(&'a self, changed: &'a Changed, world: &'a World) -> Done<'a, Option<Time>>;
}

impl fmt::Debug for dyn StandIn {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "StandIn({})", self.name())
    }
}

/// An object that has changed.
#[derive(Clone, Debug)]
pub struct Changed {
    /// Its resource, at the version that the stand-in has named.
    pub resource: Resource,
    /// Its namespace, if it has one.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// The object as it is now; `None` if it is gone.
    pub object: Option<Value>,
}

/// Where a stand-in reads and writes.
pub struct World {
    own: Own,
    manager: String,
}

impl World {
    /// The time of the server's clock.
    pub fn now(&self) -> Time {
        self.own.backing.environment.now()
    }

    /// An object as it is now; `None` if there is none of this name.
    ///
    /// # Errors
    /// If it cannot be read.
    pub async fn get(
        &self,
        resource: Resource,
        namespace: &str,
        name: &str,
    ) -> Result<Option<Value>, String> {
        let (namespace, name) = (namespace.to_owned(), name.to_owned());
        let work = move |objects: Objects, write: Write| async move {
            let Some(collection) = collection(&objects, resource, namespace) else { return Ok(None) };
            match objects.get(&collection, &name, None, &write.turn).await {
                Ok(object) => Ok(Some(json_of(&object)?)),
                Err(Error::NotFound(_)) => Ok(None),
                Err(error) => Err(error),
            }
        };
        self.own.work(&self.manager, work).await
    }

    /// The objects of a namespace, or all of them if the namespace has no name.
    ///
    /// # Errors
    /// If one cannot be read.
    pub async fn list(&self, resource: Resource, namespace: &str) -> Result<Vec<Value>, String> {
        let namespace = namespace.to_owned();
        let work = move |objects: Objects, _| async move {
            let Some(collection) = collection(&objects, resource, namespace) else { return Ok(Vec::new()) };
            let all = objects.list(&collection, &ListQuery::default(), |object| json_of(&object)).await?;
            Ok(all.items)
        };
        self.own.work(&self.manager, work).await
    }

    /// Changes the status of an object, if it exists. `change` returns whether it has changed something.
    ///
    /// # Errors
    /// If it cannot be written.
    pub async fn change_status(
        &self,
        resource: Resource,
        namespace: &str,
        name: &str,
        change: impl FnMut(&mut Value) -> bool + Send + 'static,
    ) -> Result<(), String> {
        self.change(resource, namespace, name, Part::Status, change).await
    }

    /// Makes an object that is a document, or changes the one of its name. `change` returns whether it has changed something.
    ///
    /// # Errors
    /// If it cannot be written.
    pub async fn ensure(
        &self,
        resource: Resource,
        document: Value,
        change: impl FnMut(&mut Value) -> bool + Send + 'static,
    ) -> Result<(), String> {
        let text = |at: &str| document.pointer(at).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (namespace, name) = (text("/metadata/namespace"), text("/metadata/name"));
        if self.get(resource, &namespace, &name).await?.is_some() {
            return self.change(resource, &namespace, &name, Part::Main, change).await;
        }
        let work = move |objects: Objects, write: Write| async move {
            match objects.create_document(&document, &write).await {
                // The namespace is going, and takes all with it.
                Ok(()) | Err(Error::NotFound(_) | Error::Terminating { .. }) => Ok(()),
                Err(error) => Err(error),
            }
        };
        self.own.work(&self.manager, work).await
    }

    /// Deletes an object, if it exists, and its dependents after it.
    ///
    /// # Errors
    /// If it cannot be deleted.
    pub async fn delete(&self, resource: Resource, namespace: &str, name: &str) -> Result<(), String> {
        let (namespace, name) = (namespace.to_owned(), name.to_owned());
        let work = move |objects: Objects, write: Write| async move {
            let Some(collection) = collection(&objects, resource, namespace) else { return Ok(()) };
            let propagation_policy = Some("Background".into());
            let options = DeleteOptions { propagation_policy, ..DeleteOptions::default() };
            match objects.delete(&collection, &name, &options, &write).await {
                Ok(_) | Err(Error::NotFound(_)) => Ok(()),
                Err(error) => Err(error),
            }
        };
        self.own.work(&self.manager, work).await
    }

    async fn change(
        &self,
        resource: Resource,
        namespace: &str,
        name: &str,
        part: Part,
        mut change: impl FnMut(&mut Value) -> bool + Send + 'static,
    ) -> Result<(), String> {
        let (namespace, name) = (namespace.to_owned(), name.to_owned());
        let work = move |objects: Objects, write: Write| async move {
            let Some(collection) = collection(&objects, resource, namespace) else { return Ok(()) };
            objects.edit(&collection, &name, part, &mut change, &write).await.map(drop)
        };
        self.own.work(&self.manager, work).await
    }
}

fn collection(objects: &Objects, resource: Resource, namespace: String) -> Option<Collection> {
    let Resource { group, version, plural } = resource;
    let entry = objects.catalog.scheme.resource(group, version, plural)?;
    Some(Collection { entry: Arc::clone(entry), namespace })
}

/// Tells stand-ins of what has changed.
pub(super) struct StandIns {
    all: Vec<Arc<dyn StandIn>>,
    world: World,
    queue: Queue<Work>,
    failed: Vec<Work>,
    /// Of what to tell again at a time, and the first of these times.
    later: HashMap<Work, Time>,
    next: Option<Time>,
}

/// Whom to tell of which object.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Work {
    stand_in: usize,
    resource: Resource,
    /// The length of the prefix that the keys of the resource have.
    prefix: usize,
    key: Key,
}

impl StandIns {
    /// `None` if there are none.
    pub(super) fn new(own: &Own, all: &[Arc<dyn StandIn>]) -> Option<Self> {
        if all.is_empty() {
            return None;
        }
        let names: Vec<&str> = all.iter().map(|one| one.name()).collect();
        info!("in the place of controllers: {}", names.join(", "));
        let world = World { own: own.clone(), manager: "hubgen-stand-ins".to_owned() };
        let (queue, failed, later) = (Queue::default(), Vec::new(), HashMap::new());
        Some(Self { all: all.to_vec(), world, queue, failed, later, next: None })
    }

    pub(super) fn forget(&mut self) {
        self.queue.clear();
        self.failed.clear();
        self.later.clear();
        self.next = None;
    }

    /// Notes a change.
    pub(super) fn note(&mut self, scheme: &Scheme, change: &Change) {
        for (stand_in, one) in self.all.iter().enumerate() {
            for resource in one.follows() {
                let Some(entry) = scheme.resource(resource.group, resource.version, resource.plural) else {
                    continue;
                };
                let prefix = scheme.storage_prefix(entry);
                if change.key.starts_with(prefix.as_bytes()) {
                    let (key, prefix) = (Key::clone(&change.key), prefix.len());
                    self.queue.push(Work { stand_in, resource: *resource, prefix, key });
                }
            }
        }
    }

    /// Does all there is to do. Returns whether all of it succeeded.
    pub(super) async fn work(&mut self) -> bool {
        let now = self.world.now();
        if self.next.is_some_and(|next| next <= now) {
            self.later.extract_if(|_, time| *time <= now).for_each(|(work, _)| self.queue.push(work));
        }
        while let Some(work) = self.queue.pop() {
            let place = String::from_utf8_lossy(&work.key[work.prefix..]).into_owned();
            let (namespace, name) = place.split_once('/').unwrap_or(("", &place));
            let one = Arc::clone(&self.all[work.stand_in]);
            let told = async {
                let object = self.world.get(work.resource, namespace, name).await?;
                let (namespace, name) = (namespace.to_owned(), name.to_owned());
                let changed = Changed { resource: work.resource, namespace, name, object };
                one.act(&changed, &self.world).await
            };
            match told.await {
                Ok(Some(time)) => drop(self.later.insert(work, time)),
                Ok(None) => drop(self.later.remove(&work)),
                Err(why) => {
                    warn!("{} {place}: {why}", one.name());
                    self.failed.push(work);
                }
            }
        }
        self.next = self.later.values().min().copied();
        self.failed.is_empty()
    }

    /// When there will be more to do, although nothing changes.
    pub(super) fn next(&self) -> Option<Time> {
        self.next
    }

    /// Tries again what has failed.
    pub(super) fn try_again(&mut self) {
        self.failed.drain(..).for_each(|work| self.queue.push(work));
    }
}
