//! Changes stored objects, and retries if another client changes them at the same time.

use std::sync::Arc;

use hubgen_machinery::scheme::Object;

use super::{Collection, Registry};
use crate::hub::Hub;
use crate::storage_path::at_revision;
use crate::store;
use crate::unfit::Unfit;
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
            let lost = match change(self.at_hub(collection, self.path.decode_stored(&stored)?)?, revision)? {
                Change::Keep => {
                    let object = self.path.decode_stored(&stored)?;
                    return Ok(Changed::Stored(self.path.answer(object, entry, revision)?));
                }
                Change::Replace(new) => {
                    let object = self.path.to_stored(new, name)?;
                    let value = self.path.encode_over(&object, &stored)?;
                    // Before it is written: no write is made whose answer cannot be given.
                    let answer = self.path.at_version(object, entry)?;
                    let written = if value == stored.value {
                        Ok(revision)
                    } else {
                        self.store.update(key.clone(), value, revision).await
                    };
                    match written {
                        Ok(revision) => {
                            return Ok(Changed::Stored(at_revision(answer, revision)));
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
    ///
    /// # Errors
    /// If it does not convert to the hub or to that version.
    pub(super) fn at_hub(&self, collection: &Collection, mut object: Object) -> Result<Hub, Unfit> {
        let entry = &collection.entry;
        let unfit = Unfit::of(&object, entry);
        if !Hub::reaches(&object.entry, entry) {
            // Either both versions are the same, or this returns the error why there is no
            // conversion.
            object = self.path.at_version(object, entry)?;
        }
        let hub = Hub::of(object).map_err(unfit)?;
        Ok(Hub { from: Arc::clone(entry), value: hub.value })
    }
}
