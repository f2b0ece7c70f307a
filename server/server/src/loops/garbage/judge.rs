//! Whether an object has to go, and what its deletion waits for.

use std::collections::HashSet;

use hubgen_machinery::Str;
use hubgen_meta::v1::{DeleteOptions, OwnerReference, Preconditions};
use serde_json::Value;

use super::super::record::{Key, Record, Uid};
use super::references::{Standing, Unclear};
use super::{Garbage, Step, blocks};
use crate::objects::{Error, FOREGROUND, ORPHAN};
use crate::part::Part;

/// Under which name objects are written. It is that of upstream's controller, which clients know.
const MANAGER: &str = "kube-controller-manager";

impl Garbage {
    /// Decides about an object as it is stored now.
    pub(super) async fn judge(&mut self, key: &Key) -> Result<(), String> {
        let Some(object) = self.stored(key).await? else { return Ok(()) };
        if object.revision > self.seen {
            self.ahead.push(Step::Judge(Key::clone(key)));
            return Ok(());
        }
        if object.is_kept_by(FOREGROUND) {
            return self.wait(&object).await;
        }
        if object.is_being_deleted() || object.owners().is_empty() {
            return Ok(());
        }
        let (mut solid, mut dangling, mut waiting) = (0, Vec::new(), Vec::new());
        for owner in object.owners() {
            match self.standing(owner, &object).await {
                Ok(Standing::Solid) => solid += 1,
                Ok(Standing::Dangling) => dangling.push(owner.uid.clone()),
                Ok(Standing::Waiting) => waiting.push(owner.uid.clone()),
                Err(Unclear::Ahead) => {
                    self.ahead.push(Step::Judge(Key::clone(key)));
                    return Ok(());
                }
                Err(Unclear::Kind) => {
                    self.unclear.insert(Key::clone(key));
                    return Ok(());
                }
                // Upstream leaves it alone, too: that never becomes right.
                Err(Unclear::Namespace) => return Ok(()),
                Err(Unclear::Store(error)) => return Err(error.to_string()),
            }
        }
        if solid > 0 {
            // Who waits must not wait for an object that stays.
            dangling.append(&mut waiting);
            return if dangling.is_empty() { Ok(()) } else { self.disown(&object, dangling).await };
        }
        let dependents = self.dependents(object.uid()).await?;
        if !waiting.is_empty() && !dependents.is_empty() {
            if dependents.iter().any(|dependent| dependent.is_kept_by(FOREGROUND)) {
                // Its owner may be its dependent as well, and would wait for itself.
                self.unblock(&object).await?;
                return self.delete(&object, "Foreground", None).await;
            }
            return self.delete(&object, "Foreground", Some(object.revision)).await;
        }
        let policy = match () {
            () if object.has_finalizer(ORPHAN) => "Orphan",
            () if object.has_finalizer(FOREGROUND) => "Foreground",
            () => "Background",
        };
        self.delete(&object, policy, Some(object.revision)).await
    }

    /// An owner waits for its dependents, unless nobody is left for whom it has to.
    async fn wait(&mut self, owner: &Record) -> Result<(), String> {
        let uid = owner.uid();
        let is_blocked_by = |of: &OwnerReference| Uid::from(&*of.uid) == uid && blocks(of);
        let mut blocking = self.dependents(uid).await?;
        blocking.retain(|dependent| dependent.owners().iter().any(is_blocked_by));
        if blocking.is_empty() {
            return self.remove_finalizer(owner, FOREGROUND).await;
        }
        for dependent in blocking.iter().filter(|dependent| !dependent.is_being_deleted()) {
            self.queue.push(Step::Judge(Key::clone(&dependent.key)));
        }
        Ok(())
    }

    /// Releases the dependents of an object that is being deleted, and then the object.
    pub(super) async fn orphan(&mut self, key: &Key) -> Result<(), String> {
        let Some(owner) = self.stored(key).await?.filter(|owner| owner.is_kept_by(ORPHAN)) else {
            return Ok(());
        };
        for dependent in self.dependents(owner.uid()).await? {
            self.disown(&dependent, vec![owner.metadata.uid.clone()]).await?;
        }
        self.remove_finalizer(&owner, ORPHAN).await
    }

    /// An object as it is stored now; `None` if it is not, or cannot be read.
    pub(super) async fn stored(&self, key: &Key) -> Result<Option<Record>, String> {
        let found = self.own.backing.store.get(key).await.map_err(|error| error.to_string())?;
        Ok(found.as_ref().and_then(Record::read))
    }

    /// The dependents of an owner as they are stored now.
    async fn dependents(&self, owner: Uid) -> Result<Vec<Record>, String> {
        let mut found = Vec::new();
        for key in self.graph.dependents(owner) {
            let dependent = self.stored(&key).await?;
            let is_one = |dependent: &Record| {
                dependent.owners().iter().any(|reference| Uid::from(&*reference.uid) == owner)
            };
            found.extend(dependent.filter(is_one));
        }
        Ok(found)
    }

    /// Deletes an object, unless it is another one by now or was changed after a revision: then it is looked at again.
    async fn delete(&mut self, object: &Record, policy: &str, revision: Option<u64>) -> Result<(), String> {
        let scheme = &self.own.served.current().scheme;
        let Some(collection) = object.collection(scheme) else {
            return Err("its kind is not known".to_owned());
        };
        let preconditions = Preconditions {
            uid: Some(object.metadata.uid.clone()),
            resource_version: revision.map(|revision| Str::from(revision.to_string())),
        };
        let options = DeleteOptions {
            preconditions: Some(preconditions),
            propagation_policy: Some(policy.into()),
            ..DeleteOptions::default()
        };
        let name = object.metadata.name.to_string();
        let work = self.own.work(MANAGER, move |objects, write| async move {
            match objects.delete(&collection, &name, &options, &write).await {
                Ok(_) | Err(Error::NotFound(_)) => Ok(true),
                Err(Error::Precondition { .. } | Error::Conflict { .. }) => Ok(false),
                Err(error) => Err(error),
            }
        });
        if !work.await? {
            self.queue.push(Step::Judge(Key::clone(&object.key)));
        }
        Ok(())
    }

    /// Removes owners from an object.
    async fn disown(&self, object: &Record, owners: Vec<Str>) -> Result<(), String> {
        let owners: HashSet<String> = owners.iter().map(ToString::to_string).collect();
        self.edit(object, move |metadata| {
            remove_all(metadata, "ownerReferences", |owner| {
                owner["uid"].as_str().is_some_and(|uid| owners.contains(uid))
            })
        })
        .await
    }

    /// Lets an object block none of its owners.
    async fn unblock(&self, object: &Record) -> Result<(), String> {
        self.edit(object, |metadata| {
            let owners = metadata["ownerReferences"].as_array_mut().into_iter().flatten();
            let mut has_changed = false;
            for owner in owners.filter(|owner| owner["blockOwnerDeletion"] == true) {
                owner["blockOwnerDeletion"] = false.into();
                has_changed = true;
            }
            has_changed
        })
        .await
    }

    async fn remove_finalizer(&self, object: &Record, finalizer: &'static str) -> Result<(), String> {
        self.edit(object, move |metadata| remove_all(metadata, "finalizers", |found| *found == *finalizer))
            .await
    }

    /// Changes the metadata of an object, if it is still the same object. `change` returns whether it has changed something.
    async fn edit(
        &self,
        object: &Record,
        change: impl Fn(&mut Value) -> bool + Send + Sync + 'static,
    ) -> Result<(), String> {
        let Some(collection) = object.collection(&self.own.served.current().scheme) else {
            return Err("its kind is not known".to_owned());
        };
        let (name, uid) = (object.metadata.name.to_string(), object.metadata.uid.to_string());
        let work = self.own.work(MANAGER, move |objects, write| async move {
            let mut edit = |document: &mut Value| {
                let metadata = &mut document["metadata"];
                metadata["uid"] == *uid && change(metadata)
            };
            objects.edit(&collection, &name, Part::Main, &mut edit, &write).await
        });
        work.await.map(drop)
    }
}

/// Removes elements of a list of the metadata. Returns whether there were some.
fn remove_all(metadata: &mut Value, list: &str, is_one: impl Fn(&Value) -> bool) -> bool {
    let Some(all) = metadata[list].as_array_mut() else { return false };
    let before = all.len();
    all.retain(|element| !is_one(element));
    all.len() != before
}
