//! Replaces objects.

use hubgen_machinery::meta;
use hubgen_machinery::scheme::Object;

use super::write::{Target, Transform, Write, Written};
use super::{Collection, Registry, check_namespace, status_metadata};
use crate::hub::Hub;
use crate::objectmeta;
use crate::storage_path::{Checked, Part, Received, has_status};
use crate::validation::Violation;
use crate::wire::Status;

/// The object that replaces a stored one, or whose status does.
pub(super) struct Replacement {
    /// The object of the request; `None` once it is taken.
    hub: Option<Hub>,
    pub(super) checked: Checked,
    /// The revision that the stored object must have.
    expected: Option<u64>,
}

impl Registry {
    /// Replaces an object or only its status. Returns the new object, at the version of the
    /// collection.
    ///
    /// If the object specifies a resourceVersion, the update succeeds only if the stored object is
    /// still at that revision. Otherwise it replaces any revision.
    pub(crate) async fn update(
        &self,
        collection: &Collection,
        name: &str,
        part: Part,
        received: Received,
        write: &Write,
    ) -> Result<Object, Status> {
        let expected = check_identity(collection, name, &received)?;
        let Received { hub, checked, .. } = received;
        let replacement = Replacement { hub: Some(hub), checked, expected };
        let target = Target { collection, name, part };
        match self.write(target, write, Transform::Replace(replacement)).await? {
            Written::Stored(object) => Ok(object),
            Written::Removed(hub, revision) => {
                Ok(self.path.answer(self.path.to_stored(hub, name)?, &collection.entry, revision)?)
            }
        }
    }
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

/// Checks that the name in the object equals the one in the path. Returns the resourceVersion of
/// the object.
fn check_identity(collection: &Collection, name: &str, received: &Received) -> Result<Option<u64>, Status> {
    let object = &*received.hub.value;
    let found = meta::text(object, "name");
    if found.is_empty() {
        return Err(Status::bad_request(format!(
            "the name of the object ({name} based on URL) was undeterminable: name must be provided"
        )));
    }
    if found != name {
        return Err(Status::bad_request(format!(
            "the name of the object ({found}) does not match the name on the URL ({name})"
        )));
    }
    match meta::text(object, "resourceVersion") {
        "" | "0" => Ok(None),
        text => text.parse().map(Some).map_err(|_| {
            let violation = Violation::invalid(
                "metadata.resourceVersion",
                text,
                "must be a number, as the server returns it",
            );
            Status::invalid(&collection.entry, name, &[violation])
        }),
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
