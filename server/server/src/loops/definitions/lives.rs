//! Follows the definitions in the store, and takes each step of their lives.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::scheme::Scheme;
use tokio::task::{AbortHandle, JoinSet};
use tracing::warn;

use super::MANAGER;
use super::definition::{Definition, Judged, kind};
use super::known::Known;
use super::names::Used;
use super::progress;
use super::removal::Removal;
use crate::follow::Follow;
use crate::own::Own;
use crate::store::{self, Error, Event, KeyValue, Store};
use crate::validation::definitions::document;

/// How many definitions are read at a time.
const PAGE: usize = 100;
/// After how long what could not be written is written again.
const AGAIN: Duration = Duration::from_secs(1);

/// The lives of definitions.
pub(super) struct Lives {
    own: Own,
    /// The prefix of the keys of definitions.
    prefix: String,
    known: Known,
    /// For what this server has said what it thinks of schemas and approvals.
    judged: HashMap<String, Judged>,
    /// The names of definitions that may have a next step.
    queue: VecDeque<String>,
    /// By the uid of the definition that ends.
    ending: HashMap<String, AbortHandle>,
    tasks: JoinSet<()>,
}

impl Lives {
    /// Knows of none yet; `None` if there is no such kind.
    pub(super) fn new(own: Own) -> Option<Self> {
        let scheme = &own.served.current().scheme;
        let prefix = scheme.storage_prefix(kind(scheme)?);
        Some(Self {
            own,
            prefix,
            known: Known::default(),
            judged: HashMap::new(),
            queue: VecDeque::new(),
            ending: HashMap::new(),
            tasks: JoinSet::new(),
        })
    }

    /// The prefix of the keys of definitions.
    pub(super) fn prefix(&self) -> &str {
        &self.prefix
    }

    fn name(&self, key: &[u8]) -> String {
        String::from_utf8_lossy(key.get(self.prefix.len()..).unwrap_or_default()).into_owned()
    }

    fn definition(&self, scheme: &Scheme, item: &KeyValue) -> Option<Definition> {
        match at_hub(scheme, &item.value) {
            Ok(object) => Some(Definition::of(&document(&*object))),
            Err(why) => {
                warn!("the definition {} cannot be read: {why}", self.name(&item.key));
                None
            }
        }
    }

    /// Notes a change of the store.
    fn note(&mut self, Event { revision, key, current, .. }: Event) {
        let name = self.name(&key);
        if self.known.revision(&name).is_some_and(|known| known > revision) {
            // This server has written it in between.
            return;
        }
        let scheme = &self.own.served.current().scheme;
        match current.and_then(|item| self.definition(scheme, &item)) {
            Some(definition) => drop(self.known.insert(&name, revision, definition)),
            None => {
                if let Some(definition) = self.known.remove(&name) {
                    self.judged.remove(&name);
                    if let Some(task) = self.ending.remove(&definition.uid) {
                        task.abort();
                    }
                    // Its names are free for others.
                    self.queue_group(&definition.group, &name);
                }
                return;
            }
        }
        self.queue_one(name);
    }

    fn queue_one(&mut self, name: String) {
        if !self.queue.contains(&name) {
            self.queue.push_back(name);
        }
    }

    /// Reconsiders all definitions of a group but one.
    fn queue_group(&mut self, group: &str, but: &str) {
        let names: Vec<_> = self.known.of_group(group).filter(|name| *name != but).cloned().collect();
        names.into_iter().for_each(|name| self.queue_one(name));
    }

    /// Takes steps until there are no more. What fails stays in the queue.
    async fn settle(&mut self) {
        let mut failed = VecDeque::new();
        while let Some(name) = self.queue.pop_front() {
            let Some(definition) = self.known.get(&name) else { continue };
            let (judged, uid) = (definition.judged.clone(), definition.uid.clone());
            let used = self.known.used(&definition.group);
            let step = progress::next(definition, &used, self.judged.get(&name) == Some(&judged));
            if definition.is_ending {
                self.end(&name, uid);
            }
            let Some(step) = step else {
                self.judged.insert(name, judged);
                continue;
            };
            if step.establishes() {
                let revision = self.known.revision(&name).unwrap_or_default();
                self.own.served.has_followed(revision).await;
            }
            if let Err(why) = self.step(&name, used).await {
                warn!("the status of the definition {name} is not up to date: {why}");
                failed.push_back(name);
            }
        }
        self.queue = failed;
    }

    /// Writes the next step of a definition, as it is stored now.
    async fn step(&mut self, name: &str, used: Arc<Used>) -> Result<(), String> {
        let (of, judged) = (name.to_owned(), self.judged.get(name).cloned());
        let now = self.own.backing.environment.now().to_string();
        let written = self.own.work(MANAGER, move |objects, write| async move {
            let catalog = Arc::clone(&objects.catalog);
            let Some(entry) = kind(&catalog.scheme) else { return Ok(None) };
            let mut change = |document: &mut serde_json::Value| {
                let definition = Definition::of(document);
                let is_judged = judged.as_ref() == Some(&definition.judged);
                let step = progress::next(&definition, &used, is_judged);
                step.is_some_and(|step| {
                    step.apply(document, &now);
                    true
                })
            };
            let stored = objects.change_status(entry, &of, &mut change, &write).await?;
            Ok(stored.map(|object| document(&*object.value)))
        });
        // What is gone, the watch tells of.
        let Some(stored) = written.await? else { return Ok(()) };
        let revision = stored["metadata"]["resourceVersion"].as_str().and_then(|text| text.parse().ok());
        let definition = Definition::of(&stored);
        let (group, accepted) = (definition.group.clone(), definition.accepted.clone());
        let old = self.known.insert(name, revision.unwrap_or_default(), definition);
        let has_other_names = old.is_some_and(|old| old.accepted != accepted);
        self.queue_one(name.to_owned());
        if has_other_names {
            // It may have given up a name.
            self.queue_group(&group, name);
        }
        Ok(())
    }

    /// Begins to remove the objects of a definition.
    fn end(&mut self, name: &str, uid: String) {
        if !self.ending.contains_key(&uid) {
            let asked = self.own.backing.followers.join();
            let removal = Removal { own: self.own.apart(), name: name.to_owned(), uid: uid.clone(), asked };
            let task = self.tasks.spawn(removal.run());
            self.ending.insert(uid, task);
        }
        // Those that have ended are forgotten.
        while self.tasks.try_join_next().is_some() {}
    }
}

impl Follow for Lives {
    /// In the order in which they were created.
    async fn read(&mut self, store: &dyn Store) -> Result<u64, Error> {
        let (items, revision) = store::read_all(store, &self.prefix, PAGE).await?;
        let scheme = &self.own.served.current().scheme;
        let mut found = Vec::new();
        for item in items {
            // A large one takes a while, and others want to be served.
            tokio::task::yield_now().await;
            if let Some(definition) = self.definition(scheme, &item) {
                found.push((item.create_revision, self.name(&item.key), item.mod_revision, definition));
            }
        }
        found.sort_by_key(|(created, ..)| *created);
        self.known = Known::default();
        self.queue.clear();
        for (_, name, revision, definition) in found {
            self.queue.push_back(name.clone());
            self.known.insert(&name, revision, definition);
        }
        Ok(revision)
    }

    fn take(&mut self, events: Vec<Event>) {
        events.into_iter().for_each(|event| self.note(event));
    }

    async fn work(&mut self) -> Option<Duration> {
        self.settle().await;
        (!self.queue.is_empty()).then_some(AGAIN)
    }
}

/// A stored object at its hub.
fn at_hub(scheme: &Scheme, value: &[u8]) -> Result<Box<dyn Reflect>, String> {
    let object = scheme.decode_stored(value).map_err(|error| error.to_string())?;
    object.copy_at_hub().map_err(|error| error.to_string())
}
