//! Changes stored objects, and retries if another client changes them at the same time.

use std::sync::Arc;

use hubgen_machinery::scheme::Object;

use super::{Collection, Registry};
use crate::hub::Hub;
use crate::store::{self, KeyValue};
use crate::wire::Status;

/// The change that a request makes to a stored object.
pub(super) enum Change {
    /// The object stays as it is.
    Keep,
    /// The object is replaced by this one.
    Replace(Hub),
    /// The object is deleted; this is its last state.
    Remove(Hub),
}

/// The result of a change.
pub(super) enum Changed {
    /// The object as it is stored now, at the version of the collection.
    Stored(Object),
    /// The last state of an object that is deleted, and the revision of its deletion.
    Removed(Hub, u64),
}

impl Registry {
    /// Changes the object of that name. `change` receives the object at the hub and its revision,
    /// and returns the change to make. If another client writes the object in between, `change` is
    /// called again with the new object.
    ///
    /// # Errors
    /// The errors of `change`, and errors if the object does not exist or cannot be read.
    pub(super) async fn change(
        &self,
        collection: &Collection,
        name: &str,
        mut change: impl FnMut(Hub, u64) -> Result<Change, Status>,
    ) -> Result<Changed, Status> {
        let entry = &collection.entry;
        let key = self.key(collection, name);
        let mut stored = self.stored(collection, name).await?;
        loop {
            let revision = stored.mod_revision;
            let lost = match change(self.at_hub(collection, name, &stored)?, revision)? {
                Change::Keep => {
                    let object = self.path.decode_stored(&stored)?;
                    return self.path.answer(object, entry, revision).map(Changed::Stored);
                }
                Change::Replace(new) => {
                    let object = self.path.to_stored(new, name)?;
                    let value = self.path.encode_over(&object, &stored)?;
                    let written = if value == stored.value {
                        Ok(revision)
                    } else {
                        self.store.update(key.clone(), value, revision).await
                    };
                    match written {
                        Ok(revision) => {
                            return self.path.answer(object, entry, revision).map(Changed::Stored);
                        }
                        Err(error) => error,
                    }
                }
                Change::Remove(last) => match self.store.delete(key.clone(), revision).await {
                    Ok(revision) => return Ok(Changed::Removed(last, revision)),
                    Err(error) => error,
                },
            };
            stored = match lost {
                store::Error::Conflict { current: Some(current) } => *current,
                store::Error::Conflict { current: None } => return Err(Status::not_found(entry, name)),
                error => return Err(Status::store(&error)),
            };
        }
    }

    /// Converts a stored object to the hub, if it also converts to the version of the collection.
    pub(super) fn at_hub(
        &self,
        collection: &Collection,
        name: &str,
        stored: &KeyValue,
    ) -> Result<Hub, Status> {
        let mut object = self.path.decode_stored(stored)?;
        if !Hub::reaches(&object.entry, &collection.entry) {
            // Either both versions are the same, or this returns the error why there is no
            // conversion.
            object = self
                .scheme()
                .convert(object, &collection.entry)
                .map_err(|error| Status::unreadable(&collection.entry, name, &error))?;
        }
        let hub = Hub::of(object).map_err(|error| Status::unreadable(&collection.entry, name, &error))?;
        Ok(Hub { from: Arc::clone(&collection.entry), value: hub.value })
    }
}
