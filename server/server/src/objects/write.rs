//! The write pipeline. Every request that writes takes the same stages:
//!
//! read the old object → transform it → who owns which fields → admission that may change it → validation → admission that sees the result →
//! compare-and-swap, or stop if the request is a dry run.
//!
//! Requests differ in the [`Transform`] alone. If another client writes the object in between, all stages run again
//! with the new one.

use std::sync::Arc;

use hubgen_machinery::meta;
use hubgen_machinery::reflect::{Reflect, Slot};
use hubgen_machinery::scheme::{KindEntry, Object};

use super::error::Error;
use super::grace::Pace;
use super::hub::Hub;
use super::owners::keep_times;
use super::stored::at_revision;
use super::target::{Target, Write};
use super::transform::{Replacement, Transform, check_preconditions};
use super::unfit::Unfit;
use super::{Collection, Objects, generation};
use crate::admission::Operation;
use crate::managed_fields;
use crate::objectmeta;
use crate::part::{self, Part};
use crate::store::{self, KeyValue};
use crate::validation;

/// What happens to a stored object after admission.
enum Change {
    /// The object stays as it is.
    Keep,
    /// The object is replaced by this one.
    Replace(Hub),
    /// The object is deleted; this is its last state.
    Remove(Hub),
}

/// The result of a write.
pub(super) enum Written {
    /// The object as it is stored now, at the version of the collection.
    Stored(Object),
    /// The last state of an object that is deleted, and the revision of its deletion.
    Removed(Hub, u64),
}

/// Whether finalizers keep an object that was deleted: those of the metadata and, for kinds with such a subresource, those
/// of the spec.
fn is_kept(entry: &KindEntry, object: &dyn Reflect) -> bool {
    let in_spec = || match object.field("spec") {
        Some(Slot::Struct(spec)) => spec.field("finalizers").is_some_and(|slot| !slot.is_zero()),
        _ => false,
    };
    objectmeta::has_finalizers(object) || (part::has(entry, Part::Finalize) && in_spec())
}

impl Objects {
    /// What a client sees of a write: the object as it is now, or the last state of one that is deleted.
    pub(super) fn shown(
        &self,
        written: Written,
        collection: &Collection,
        name: &str,
    ) -> Result<Object, Error> {
        match written {
            Written::Stored(object) => Ok(object),
            Written::Removed(hub, revision) => {
                Ok(self.answer(self.to_stored(hub, name)?, &collection.entry, revision)?)
            }
        }
    }

    /// Writes a stored object.
    ///
    /// # Errors
    /// The errors of the stages, and errors if the object does not exist or cannot be read.
    pub(super) async fn write(
        &self,
        target: Target<'_>,
        write: &Write,
        mut transform: Transform<'_>,
    ) -> Result<Written, Error> {
        let Target { collection, name, .. } = target;
        let mut stored = self.stored(collection, name, &write.turn).await?;
        loop {
            let change = self.changed(target, write, &mut transform, &stored).await?;
            stored = match self.commit(target, write, change, &stored).await? {
                Ok(written) => return Ok(written),
                Err(store::Error::Conflict { current: Some(current) }) => *current,
                Err(store::Error::Conflict { current: None }) => {
                    return Err(Error::not_found(&collection.entry, name));
                }
                Err(error) => return Err(error.into()),
            };
        }
    }

    /// Transforms a stored object, and asks admission.
    async fn changed(
        &self,
        target: Target<'_>,
        write: &Write,
        transform: &mut Transform<'_>,
        stored: &KeyValue,
    ) -> Result<Change, Error> {
        let Target { collection, name, .. } = target;
        let revision = stored.mod_revision;
        let old = self.at_hub(collection, self.decode_stored(stored)?);
        let old = old.map_err(|unfit| match (Error::unfit(unfit, stored), &*transform) {
            (Error::Unreadable(unreadable), Transform::Delete(_)) => Error::Unreadable(unreadable),
            (Error::Unreadable(unreadable), _) => Error::Unconverted(unreadable),
            (error, _) => error,
        })?;
        match transform {
            Transform::Replace(replacement) => {
                self.replaced(target, write, replacement, &old, revision).await
            }
            Transform::Patch(patch) => {
                let mut replacement = self.patched(target, patch, &old, revision)?;
                self.replaced(target, write, &mut replacement, &old, revision).await
            }
            Transform::Apply(apply) => {
                let mut replacement = self.applied(target, apply, write, &old, revision)?;
                self.replaced(target, write, &mut replacement, &old, revision).await
            }
            Transform::Edit(edit) => {
                let mut replacement = self.edited(target, *edit, &old, revision)?;
                self.replaced(target, write, &mut replacement, &old, revision).await
            }
            Transform::Delete(options) => {
                check_preconditions(collection, name, options, &*old.value, revision)?;
                self.check_mortal(&collection.entry, name)?;
                let subject = target.subject(Operation::Delete, write);
                self.backing.admission.mutate(subject, None, Some(&*old.value)).await?;
                self.backing.admission.validate(subject, None, Some(&*old.value)).await?;
                if let Some(terminating) = self.terminating(collection, &old) {
                    return Ok(Change::Replace(terminating));
                }
                if !self.is_emptied(&collection.entry, &*old.value)
                    && objectmeta::is_being_deleted(&*old.value)
                {
                    return Ok(Change::Keep);
                }
                let pace = self.pace(&collection.entry, &*old.value, options);
                if pace == Pace::Pending {
                    return Ok(Change::Keep);
                }
                let changed = self.with_policy(&collection.entry, &old, options);
                let has_changed = changed.is_some();
                let old = changed.unwrap_or(old);
                let is_kept = is_kept(&collection.entry, &*old.value);
                Ok(if let Some(terminating) = self.terminating_namespace(collection, &old) {
                    Change::Replace(terminating)
                } else if let Pace::At(time, seconds) = pace
                    && (is_kept || seconds > 0)
                {
                    Change::Replace(self.going(old, (time, seconds)))
                } else if !is_kept {
                    Change::Remove(old)
                } else if !objectmeta::is_being_deleted(&*old.value) {
                    Change::Replace(self.marked(old))
                } else if has_changed {
                    Change::Replace(self.asked_again(old.clone()).unwrap_or(old))
                } else {
                    self.asked_again(old).map_or(Change::Keep, Change::Replace)
                })
            }
        }
    }

    /// Replaces a stored object, and asks admission.
    async fn replaced(
        &self,
        target: Target<'_>,
        write: &Write,
        replacement: &mut Replacement,
        old: &Hub,
        revision: u64,
    ) -> Result<Change, Error> {
        let Target { collection, part, .. } = target;
        let (mut new, sent) = replacement.apply(target, old, revision)?;
        let is_applied = replacement.owners.is_some();
        match replacement.owners.take() {
            Some(owners) => managed_fields::write(&mut *new.value, owners),
            // Who writes fields of another kind owns none.
            None if replacement.checked.misnamed.is_some() => {}
            None => {
                self.note_owners(
                    target,
                    write,
                    &replacement.checked.body,
                    Some(old),
                    (sent.as_ref(), &mut new),
                );
            }
        }
        let subject = target.subject(Operation::Update, write);
        self.admit(&replacement.checked, &mut new, subject, part, Some(&*old.value), &write.warnings).await?;
        write.warnings.add(validation::warnings(&collection.entry, part, &*new.value, Some(&*old.value)));
        if meta::generation(&*old.value) > 0
            && generation::counts(&collection.entry, part, &*old.value, &*new.value)
        {
            meta::set_generation(&mut *new.value, meta::generation(&*old.value) + 1);
        }
        if is_applied {
            keep_times(old, &mut new);
        }
        let is_removed = objectmeta::is_being_deleted(&*new.value)
            && self.has_no_period(&*old.value)
            && !is_kept(&collection.entry, &*new.value);
        Ok(if is_removed { Change::Remove(new) } else { Change::Replace(new) })
    }

    /// Stores a change, unless the request is a dry run. The inner error is that of the store: another client may have
    /// written the object since `stored` was read.
    async fn commit(
        &self,
        Target { collection, name, .. }: Target<'_>,
        write: &Write,
        change: Change,
        stored: &KeyValue,
    ) -> Result<Result<Written, store::Error>, Error> {
        let entry = &collection.entry;
        let (key, revision) = (stored.key.clone(), stored.mod_revision);
        match change {
            Change::Keep => {
                let object = self.decode_stored(stored)?;
                let answer = self.answer(object, entry, revision);
                Ok(Ok(Written::Stored(answer.map_err(|unfit| Error::unfit(unfit, stored))?)))
            }
            Change::Replace(new) => {
                let object = self.to_stored(new, name)?;
                let value = self.encode_over(&object, stored)?;
                // Before it is written: no write is made whose answer cannot be given.
                let answer = self.at_version(self.read_back(object, &value)?, entry)?;
                let written = if write.dry_run || value == stored.value {
                    Ok(revision)
                } else {
                    self.backing.store.update(key, value, revision).await
                };
                Ok(written.map(|revision| Written::Stored(at_revision(answer, revision))))
            }
            Change::Remove(last) => {
                let removed =
                    if write.dry_run { Ok(revision) } else { self.backing.store.delete(key, revision).await };
                Ok(removed.map(|revision| Written::Removed(last, revision)))
            }
        }
    }

    /// Converts a stored object to the hub, if it also converts to the version of the collection.
    ///
    /// # Errors
    /// If it does not convert to the hub or to that version.
    pub(super) fn at_hub(&self, collection: &Collection, mut object: Object) -> Result<Hub, Unfit> {
        let entry = &collection.entry;
        let unfit = Unfit::converting(&object, entry);
        if !Hub::reaches(&object.entry, entry) {
            // Either both versions are the same, or this returns the error why there is no
            // conversion.
            object = self.at_version(object, entry)?;
        }
        let hub = Hub::from_object(object).map_err(unfit)?;
        Ok(Hub { from: Arc::clone(entry), value: hub.value })
    }
}
