//! What requests make of stored objects.

use hubgen_machinery::meta;

use super::target::Target;
use super::{Collection, check_namespace, status_metadata};
use crate::hub::Hub;
use crate::objectmeta;
use crate::storage_path::{Checked, Part, has_status};
use crate::wire::{DeleteOptions, Status};

/// What a request makes of a stored object.
pub(super) enum Transform<'a> {
    /// It becomes another object, or its status becomes another one.
    Replace(Replacement),
    /// It is deleted, or marked as being deleted if it has finalizers.
    Delete(&'a DeleteOptions),
}

/// The object that replaces a stored one, or whose status does.
pub(super) struct Replacement {
    /// The object of the request; `None` once it is taken.
    pub(super) hub: Option<Hub>,
    pub(super) checked: Checked,
    /// The revision that the stored object must have.
    pub(super) expected: Option<u64>,
}

impl Replacement {
    /// The new object, with what the request must not change from the old one.
    ///
    /// # Errors
    /// If the stored object is not the one that the request means.
    pub(super) fn apply(
        &mut self,
        Target { collection, name, part }: Target<'_>,
        old: &Hub,
        revision: u64,
    ) -> Result<Hub, Status> {
        let modified = || Status::modified(&collection.entry, name);
        // A request with a resourceVersion has one attempt, so its object need not be copied.
        let new = if self.expected.is_some() { self.hub.take() } else { self.hub.clone() };
        let mut new = new.ok_or_else(modified)?;
        check_uid(collection, name, &new, old)?;
        if self.expected.is_some_and(|expected| expected != revision) {
            return Err(modified());
        }
        check_namespace(collection, &mut *new.value)?;
        carry_over(collection, part, old, &mut new);
        Ok(new)
    }
}

/// Checks the uid: an object that was deleted and created again under the same name is another
/// object.
fn check_uid(collection: &Collection, name: &str, new: &Hub, old: &Hub) -> Result<(), Status> {
    let (wanted, found) = (meta::text(&*new.value, "uid"), meta::text(&*old.value, "uid"));
    if wanted.is_empty() || wanted == found {
        return Ok(());
    }
    let why = format!("Precondition failed: UID in precondition: {wanted}, UID in object meta: {found}");
    Err(Status::conflict(&collection.entry, name, why))
}

/// Copies the fields that the request must not change from the old object.
fn carry_over(collection: &Collection, part: Part, old: &Hub, new: &mut Hub) {
    if part == Part::Status {
        let mut whole = old.clone();
        objectmeta::copy_field(&*new.value, &mut *whole.value, "status");
        for field in status_metadata::fields_from_client(&collection.entry) {
            objectmeta::copy_metadata_field(&*new.value, &mut *whole.value, field);
        }
        new.value = whole.value;
        return;
    }
    let fields =
        ["uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation"];
    for field in fields {
        objectmeta::copy_metadata_field(&*old.value, &mut *new.value, field);
    }
    if has_status(&collection.entry) {
        objectmeta::copy_field(&*old.value, &mut *new.value, "status");
    }
}
