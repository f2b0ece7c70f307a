//! Changing an object that is stored, whoever else changes it at the same time.

use std::sync::Arc;

use hubgen_machinery::scheme::Object;

use super::{Collection, Registry};
use crate::hub::Hub;
use crate::store::{self, KeyValue};
use crate::wire::Status;

/// What a request makes of a stored object.
pub(super) enum Change {
    /// The object stays as it is.
    Keep,
    /// The object is replaced by this one.
    Replace(Hub),
    /// The object is deleted; this is its last state.
    Remove(Hub),
}

/// What became of a stored object.
pub(super) enum Changed {
    /// The object as it is stored now, at the version of the place.
    Is(Object),
    /// The last state of an object that is deleted, and the revision of its deletion.
    Was(Hub, u64),
}

impl Registry {
    /// Changes the object of that name. `change` is given the object at the hub and its revision, and
    /// says what becomes of it. If somebody else writes the object in between, it is asked again, with
    /// what they have written.
    ///
    /// # Errors
    /// Those of `change`; that there is no such object, or that it cannot be read.
    pub(super) async fn change(
        &self,
        place: &Collection,
        name: &str,
        mut change: impl FnMut(Hub, u64) -> Result<Change, Status>,
    ) -> Result<Changed, Status> {
        let entry = &place.entry;
        let key = self.key(place, name);
        let mut stored = self.stored(place, name).await?;
        loop {
            let revision = stored.mod_revision;
            let lost = match change(self.at_hub(place, name, &stored)?, revision)? {
                Change::Keep => {
                    let object = self.path.decode_stored(&stored)?;
                    return self.path.answer(object, entry, revision).map(Changed::Is);
                }
                Change::Replace(new) => {
                    let object = self.path.to_stored(new, name)?;
                    let value = self.path.encode_over(&object, &stored);
                    let written = if value == stored.value {
                        Ok(revision)
                    } else {
                        self.store.update(key.clone(), value, revision).await
                    };
                    match written {
                        Ok(revision) => return self.path.answer(object, entry, revision).map(Changed::Is),
                        Err(error) => error,
                    }
                }
                Change::Remove(last) => match self.store.delete(key.clone(), revision).await {
                    Ok(revision) => return Ok(Changed::Was(last, revision)),
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

    /// A stored object at the hub, if there is a way from it to the version of the place.
    pub(super) fn at_hub(&self, place: &Collection, name: &str, stored: &KeyValue) -> Result<Hub, Status> {
        let mut object = self.path.decode_stored(stored)?;
        if !Hub::reaches(&object.entry, &place.entry) {
            // The same version, or the error that says why there is no way.
            object = self
                .scheme()
                .convert(object, &place.entry)
                .map_err(|error| Status::unreadable(&place.entry, name, &error))?;
        }
        let hub = Hub::of(object).map_err(|error| Status::unreadable(&place.entry, name, &error))?;
        Ok(Hub { from: Arc::clone(&place.entry), value: hub.value })
    }
}
