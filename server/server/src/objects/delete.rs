//! Deletes objects.

use std::sync::Arc;

use hubgen_machinery::meta;
use hubgen_machinery::reflect::Slot;
use hubgen_machinery::scheme::Object;
use hubgen_meta::v1::DeleteOptions;
use hubgen_serve::queue::Turn;

use super::error::{Error, ObjectName};
use super::hub::Hub;
use super::list::{List, ListQuery};
use super::target::{Target, Write};
use super::transform::Transform;
use super::write::Written;
use super::{Collection, Objects};
use crate::objectmeta;
use crate::part::Part;
use crate::store;

/// The result of a deletion.
pub(crate) enum Deleted {
    /// The object of this uid is removed.
    Gone { uid: String },
    /// A value that could not be read is removed.
    GoneUnread,
    /// The object still exists, until its finalizers are removed.
    Waiting(Object),
}

impl Deleted {
    /// Whether nothing is left.
    pub(crate) fn is_gone(&self) -> bool {
        !matches!(self, Self::Waiting(_))
    }
}

impl Objects {
    /// Deletes an object, or marks it as being deleted if it has finalizers.
    pub(crate) async fn delete(
        &self,
        collection: &Collection,
        name: &str,
        options: &DeleteOptions,
        write: &Write,
    ) -> Result<Deleted, Error> {
        let target = Target { collection, name, part: Part::Main };
        Ok(match self.write(target, write, Transform::Delete(options)).await? {
            Written::Stored(object) => Deleted::Waiting(object),
            Written::Removed(hub, _) => Deleted::Gone { uid: meta::text(&*hub.value, "uid").to_owned() },
        })
    }

    /// Removes a value that cannot be read at the version of the collection, even if it has
    /// finalizers. Admission does not run, because there is no object for it.
    pub(crate) async fn delete_unreadable(
        &self,
        collection: &Collection,
        name: &str,
        turn: &Turn,
    ) -> Result<Deleted, Error> {
        let key = self.key(collection, name);
        loop {
            let stored = self.stored(collection, name, turn).await?;
            if let Ok(object) = self.decode_stored(&stored) {
                self.check_unreadable(collection, name, object)?;
            }
            match self.backing.store.delete(key.clone(), stored.mod_revision).await {
                Ok(_) => return Ok(Deleted::GoneUnread),
                Err(store::Error::Conflict { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Checks that an object that can be decoded can only be deleted as an unreadable value.
    ///
    /// # Errors
    /// If it can be read at the version of the collection, or at another one, and be deleted there.
    fn check_unreadable(&self, collection: &Collection, name: &str, object: Object) -> Result<(), Error> {
        let entry = &collection.entry;
        let is_of_hub = Hub::reaches(&object.entry, entry);
        let copy = Object { entry: Arc::clone(&object.entry), value: object.value.boxed_copy() };
        match self.at_hub(collection, copy) {
            Ok(_) => match self.at_version(object, entry) {
                Ok(_) => Err(Error::Readable(ObjectName::new(entry, name))),
                Err(unfit) if !unfit.violations().is_empty() => Err(unfit.into()),
                Err(_) => Ok(()),
            },
            // Upstream takes it for one that cannot be read.
            Err(unfit) if unfit.failure().is_some() => Ok(()),
            // The hub does not know a value, so no version can delete the object.
            Err(unfit) if is_of_hub && !unfit.violations().is_empty() => Ok(()),
            Err(unfit) => Err(unfit.into()),
        }
    }

    /// Marks an object as being deleted.
    pub(super) fn marked(&self, mut hub: Hub) -> Hub {
        let object = &mut *hub.value;
        meta::set_time(object, "deletionTimestamp", Some(self.backing.environment.now()));
        objectmeta::set_grace_period(object, 0);
        let generation = meta::generation(object);
        if generation > 0 {
            meta::set_generation(object, generation + 1);
        }
        hub
    }

    /// An object that is being deleted without a time for it, when its deletion is asked for again; `None` for others.
    pub(super) fn asked_again(&self, mut hub: Hub) -> Option<Hub> {
        let period = meta::metadata(&*hub.value)?.field("deletionGracePeriodSeconds")?;
        matches!(period, Slot::Absent).then(|| {
            objectmeta::set_grace_period(&mut *hub.value, 0);
            hub
        })
    }

    /// Deletes every object that a list would return. Returns what `make` makes of the objects as they were.
    pub(crate) async fn delete_collection<T: Send>(
        &self,
        collection: &Collection,
        query: &ListQuery,
        options: &DeleteOptions,
        write: &Write,
        make: impl Fn(Object) -> Result<T, Error> + Sync,
    ) -> Result<List<T>, Error> {
        let named = |object: Object| {
            let text = |field| meta::text(&*object.value, field).to_owned();
            let (namespace, name) = (text("namespace"), text("name"));
            Ok((namespace, name, make(object)?))
        };
        let List { meta, items, warnings } = self.list(collection, query, named).await?;
        for (namespace, name, _) in &items {
            // If the client has disconnected, the work ends at this await: the store's futures may
            // be ready at once and never yield.
            tokio::task::yield_now().await;
            let at = Collection { entry: Arc::clone(&collection.entry), namespace: namespace.clone() };
            match self.delete(&at, name, options, write).await {
                Ok(_) => {}
                // Another client has deleted the object in the meantime.
                Err(Error::NotFound(_)) => {}
                Err(error) => return Err(error),
            }
        }
        let items = items.into_iter().map(|(_, _, made)| made).collect();
        Ok(List { meta, items, warnings })
    }
}
