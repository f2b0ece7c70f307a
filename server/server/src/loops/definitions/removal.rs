//! Ends a definition: removes its objects, and then what keeps the definition.

use std::sync::Arc;
use std::time::Duration;

use hubgen_machinery::scheme::{KindEntry, Scheme};
use hubgen_meta::v1::DeleteOptions;
use serde_json::Value;
use tokio::time::{Instant, sleep, sleep_until};
use tracing::warn;

use super::super::remove::remove;
use super::MANAGER;
use super::definition::{Condition, Definition, kind};
use crate::follow::Asked;
use crate::objects::{CLEANUP, Objects, Write, set_condition};
use crate::own::Own;
use crate::store::{self, ListRequest};
use crate::validation::definitions::document;

/// How many objects are deleted in one turn.
const PAGE: usize = 100;
/// How long the deletion of all objects may take before the condition tells that it takes long.
const LONG: Duration = Duration::from_secs(60);
/// How long to wait for further changes before objects are looked at again.
const GATHER: Duration = Duration::from_millis(50);
/// After how long a removal that fails is tried again, at first and at most.
const AGAIN: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(60)];

/// The removal of a definition, which is the one with the uid.
pub(super) struct Removal {
    /// Objects may have to wait for a webhook, and for admission.
    pub(super) own: Own,
    pub(super) name: String,
    pub(super) uid: String,
    pub(super) asked: Asked,
}

impl Removal {
    /// Removes it, however long that takes.
    pub(super) async fn run(mut self) {
        let [mut pause, most] = AGAIN;
        while let Err(why) = self.attempt().await {
            warn!("the definition {} is not removed yet: {why}", self.name);
            self.asked.rest(pause).await;
            pause = most.min(pause * 2);
        }
    }

    async fn attempt(&mut self) -> Result<(), String> {
        let progress =
            terminating("True", "InstanceDeletionInProgress", "CustomResource deletion is in progress");
        let Some(definition) = self.say(progress, false).await? else { return Ok(()) };
        let prefix = format!("/registry/{}/{}/", definition.group, definition.asked.plural);
        let done = if is_of_other(&self.own.served.current().scheme, &definition, &prefix) {
            ("OverlappingBuiltInResource", "instances overlap with built-in resources in storage")
        } else if definition.is("Established") {
            if let Err(why) = self.remove_all(&prefix, &definition).await {
                let failed = terminating("True", "InstanceDeletionFailed", &why);
                self.say(failed, false).await?;
                return Err(why);
            }
            ("InstanceDeletionCompleted", "removed all instances")
        } else {
            ("NeverEstablished", "resource was never established")
        };
        self.say(terminating("False", done.0, done.1), true).await.map(drop)
    }

    /// Writes a condition, and perhaps removes what keeps the definition. Returns the definition as it is then; `None` if it
    /// is gone, or nothing of ours keeps it.
    async fn say(&self, condition: Condition, ends: bool) -> Result<Option<Definition>, String> {
        let (name, uid) = (self.name.clone(), self.uid.clone());
        let now = self.own.backing.environment.now().to_string();
        self.own
            .work(MANAGER, move |objects, write| async move {
                let catalog = Arc::clone(&objects.catalog);
                let Some(entry) = kind(&catalog.scheme) else { return Ok(None) };
                let mut change = |document: &mut Value| {
                    let definition = Definition::of(document);
                    let is_meant = definition.uid == uid && definition.is_ending;
                    if is_meant {
                        set_condition(&mut document["status"], condition.json(), &now);
                        if let Some(all) = document["metadata"]["finalizers"].as_array_mut().filter(|_| ends)
                        {
                            all.retain(|finalizer| finalizer != CLEANUP);
                        }
                    }
                    is_meant
                };
                let stored = objects.change_status(entry, &name, &mut change, &write).await?;
                let definition = stored.map(|object| Definition::of(&document(&*object.value)));
                Ok(definition.filter(|definition| definition.uid == uid && definition.is_ending))
            })
            .await
    }

    /// Deletes all objects, and waits until none is left.
    async fn remove_all(&mut self, prefix: &str, definition: &Definition) -> Result<(), String> {
        let store = Arc::clone(&self.own.backing.store);
        let of_store = |error: store::Error| format!("could not list instances: {error}");
        let mut told = Some(Instant::now() + LONG);
        loop {
            let (left, revision) = self.delete_all(prefix, definition).await?;
            if left == 0 {
                return Ok(());
            }
            let mut watch = store.watch(prefix.as_bytes().to_vec(), revision).await.map_err(of_store)?;
            loop {
                // What keeps objects is removed by others.
                self.asked.answer(watch.revision());
                tokio::select! {
                    next = watch.next() => {
                        next.map_err(of_store)?;
                        break;
                    }
                    () = self.asked.wait() => {}
                    () = async { sleep_until(told.unwrap_or_else(Instant::now)).await }, if told.is_some() => {
                        told = None;
                        let why = "could not confirm zero CustomResources remaining: context deadline exceeded";
                        self.say(terminating("True", "InstanceDeletionCheck", why), false).await?;
                        break;
                    }
                }
            }
            // Many objects may go at once.
            sleep(GATHER).await;
        }
    }

    /// Deletes all objects that are there, or begins to. Returns how many are left, and the revision of that.
    async fn delete_all(&self, prefix: &str, definition: &Definition) -> Result<(usize, u64), String> {
        let store = &self.own.backing.store;
        let mut request =
            ListRequest { prefix: prefix.as_bytes().to_vec(), limit: Some(PAGE), ..ListRequest::default() };
        let mut left = 0;
        loop {
            let page = store.list(request.clone()).await;
            let page = page.map_err(|error| format!("could not list instances: {error}"))?;
            let (prefix, group, plural) =
                (prefix.to_owned(), definition.group.clone(), definition.asked.plural.clone());
            let work = move |objects: Objects, write: Write| async move {
                let catalog = Arc::clone(&objects.catalog);
                let entry = entry_of(&catalog.scheme, &group, &plural, &prefix);
                let options = DeleteOptions::default();
                let mut left = 0;
                for item in &page.items {
                    left += usize::from(!remove(&objects, entry, &prefix, item, &options, &write).await?);
                }
                Ok(left)
            };
            let of_page = self.own.work(MANAGER, work).await;
            left += of_page.map_err(|error| format!("could not issue all deletes: {error}"))?;
            let Some(next) = page.next else { return Ok((left, page.revision)) };
            request = ListRequest { start: Some(next), revision: Some(page.revision), ..request };
        }
    }
}

fn terminating(status: &str, reason: &str, message: &str) -> Condition {
    Condition::new("Terminating", status, reason, message)
}

/// Whether objects of a kind that is not that of the definition are stored in the same place.
fn is_of_other(scheme: &Scheme, definition: &Definition, prefix: &str) -> bool {
    let is_its_own =
        |entry: &KindEntry| *entry.group == *definition.group && *entry.kind == *definition.accepted.kind;
    let mut stored = scheme.kinds().filter(|entry| entry.resource.is_some() && entry.is_built_in);
    stored.any(|entry| !is_its_own(entry) && scheme.storage_prefix(entry) == prefix)
}

/// The kind whose objects are stored with a prefix, if the server knows it.
fn entry_of<'s>(scheme: &'s Scheme, group: &str, plural: &str, prefix: &str) -> Option<&'s Arc<KindEntry>> {
    let is_of = |entry: &KindEntry| {
        let resource = entry.resource.as_ref();
        entry.group == group && resource.is_some_and(|resource| resource.plural == plural)
    };
    let found = scheme.kinds().find(|entry| is_of(entry) && scheme.storage_prefix(entry) == prefix)?;
    // At the version at which they are stored, most objects need not be converted.
    let storage = found.family.as_ref().map(|family| &family.storage);
    let stored = storage.and_then(|name| scheme.kind(&name.group, &name.version, &name.kind));
    Some(stored.unwrap_or(found))
}
