//! Taking objects away.

use std::sync::Arc;

use hubgen_machinery::meta;

use super::change::{Change, Changed};
use super::{Collection, Deleted, List, ListQuery, Registry};
use crate::admission::{Operation, Subject};
use crate::hub::Hub;
use crate::objectmeta;
use crate::store;
use crate::unreadable;
use crate::wire::{DeleteOptions, Status};

impl Registry {
    /// Deletes an object, or marks it where it has finalizers.
    pub(crate) async fn delete(
        &self,
        place: &Collection,
        name: &str,
        options: &DeleteOptions,
    ) -> Result<Deleted, Status> {
        let entry = &place.entry;
        let changed = self.change(place, name, |hub, revision| {
            Self::check_preconditions(place, name, options, &*hub.value, revision)?;
            let subject = Subject {
                operation: Operation::Delete,
                entry,
                subresource: "",
                namespace: &place.namespace,
                name,
            };
            self.path.admission.run(subject, None, Some(&*hub.value))?;
            Ok(if !objectmeta::has_finalizers(&*hub.value) {
                Change::Remove(hub)
            } else if objectmeta::is_being_deleted(&*hub.value) {
                Change::Keep
            } else {
                Change::Replace(self.marked(hub))
            })
        });
        Ok(match changed.await? {
            Changed::Is(object) => Deleted::Waiting(object),
            Changed::Was(hub, _) => {
                Deleted::Gone(Status::deleted(entry, name, meta::text(&*hub.value, "uid")))
            }
        })
    }

    /// Removes a value that cannot be read at the version of the place, whatever finalizers it has.
    /// Admission is not asked: there is no object to show.
    pub(crate) async fn delete_unreadable(&self, place: &Collection, name: &str) -> Result<Deleted, Status> {
        let key = self.key(place, name);
        loop {
            let stored = self.stored(place, name).await?;
            if let Ok(object) = self.path.decode_stored(&stored) {
                // An object from which there is no way to this version is one of another version.
                self.at_hub(place, name, &stored)?;
                if self.path.answer(object, &place.entry, stored.mod_revision).is_ok() {
                    return Err(unreadable::is_readable(&place.entry, name));
                }
            }
            match self.store.delete(key.clone(), stored.mod_revision).await {
                Ok(_) => return Ok(Deleted::Gone(unreadable::removed(&place.entry, name))),
                Err(store::Error::Conflict { .. }) => {}
                Err(error) => return Err(Status::store(&error)),
            }
        }
    }

    /// The object with its deletion asked for.
    fn marked(&self, mut hub: Hub) -> Hub {
        let object = &mut *hub.value;
        meta::set_time(object, "deletionTimestamp", Some(self.environment.now()));
        objectmeta::set_grace_period(object, 0);
        let generation = meta::generation(object);
        if generation > 0 {
            meta::set_generation(object, generation + 1);
        }
        hub
    }

    /// Deletes every object that a list would show; answers them as they were.
    pub(crate) async fn delete_collection(
        &self,
        place: &Collection,
        query: &ListQuery,
        options: &DeleteOptions,
    ) -> Result<List, Status> {
        let list = self.list(place, query).await?;
        for object in &list.items {
            // Where the client has gone, this is where the work ends: what the store answers at once
            // would not be waited for.
            tokio::task::yield_now().await;
            let found = |field| meta::text(&*object.value, field).to_owned();
            let at = Collection { entry: Arc::clone(&place.entry), namespace: found("namespace") };
            match self.delete(&at, &found("name"), options).await {
                Ok(_) => {}
                // Somebody else was faster, and that is as good.
                Err(status) if status.code == 404 => {}
                Err(status) => return Err(status),
            }
        }
        Ok(list)
    }
}
