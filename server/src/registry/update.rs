//! Replacing objects.

use hubgen_machinery::meta;
use hubgen_machinery::scheme::Object;

use super::{Place, Registry, check_namespace, status_metadata};
use crate::admission::{Operation, Subject};
use crate::hub::Hub;
use crate::objectmeta;
use crate::storage_path::{Part, Received, has_status};
use crate::store::KeyValue;
use crate::validation::Violation;
use crate::wire::Status;

impl Registry {
    /// Replaces an object, or its status only; answers it as it is then, at the version of the
    /// place.
    ///
    /// With a resourceVersion in the object, only what the client has read is replaced; without,
    /// whatever is there.
    pub(crate) async fn update(
        &self,
        place: &Place,
        name: &str,
        part: Part,
        received: &Received,
    ) -> Result<Object, Status> {
        let entry = place.entry;
        let expected = check_identity(place, name, received)?;
        let key = self.key(place, name);
        let mut stored = self.stored(place, name).await?;
        loop {
            let old = self.at_hub(place, name, &stored)?;
            check_uid(place, name, &received.hub, &old)?;
            if expected.is_some_and(|expected| expected != stored.mod_revision) {
                return Err(Status::modified(entry, name));
            }
            let mut new = received.hub.clone();
            check_namespace(place, &mut *new.value)?;
            carry_over(place, part, &old, &mut new);
            let subresource = if part == Part::Status { "status" } else { "" };
            let subject = Subject {
                operation: Operation::Update,
                entry,
                subresource,
                namespace: &place.namespace,
                name,
            };
            self.path.admit(received, &mut new, subject, part, Some(&*old.value))?;
            if meta::generation(&*old.value) > 0 && objectmeta::differs_in_spec(&*old.value, &*new.value) {
                meta::set_generation(&mut *new.value, meta::generation(&*old.value) + 1);
            }
            let goes = objectmeta::is_being_deleted(&*new.value) && !objectmeta::has_finalizers(&*new.value);
            let object = self.path.to_stored(new, name)?;
            let value = self.path.encode_over(&object, &stored);
            let written = if goes {
                self.store.delete(key.clone(), stored.mod_revision).await
            } else if value == stored.value {
                Ok(stored.mod_revision)
            } else {
                self.store.update(key.clone(), value, stored.mod_revision).await
            };
            match written {
                Ok(revision) => return self.path.answer(object, entry, revision),
                Err(error) => stored = Self::after(error, place, name)?,
            }
        }
    }

    /// A stored object at the hub, if there is a way from it to the version of the place.
    pub(super) fn at_hub(&self, place: &Place, name: &str, stored: &KeyValue) -> Result<Hub, Status> {
        let mut object = self.path.decode_stored(stored)?;
        if !Hub::reaches(object.entry, place.entry) {
            // The same version, or the error that says why there is no way.
            object = self
                .scheme()
                .convert(object, place.entry)
                .map_err(|error| Status::unreadable(place.entry, name, &error))?;
        }
        Ok(Hub { from: place.entry, value: Hub::of(object).value })
    }
}

/// The name in the object is that of the path. Answers the resourceVersion that the client has
/// read.
fn check_identity(place: &Place, name: &str, received: &Received) -> Result<Option<u64>, Status> {
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
                "must be the number that the server gave",
            );
            Status::invalid(place.entry, name, &[violation])
        }),
    }
}

/// An object of the same name that was made anew is another object.
fn check_uid(place: &Place, name: &str, new: &Hub, old: &Hub) -> Result<(), Status> {
    let (wanted, found) = (meta::text(&*new.value, "uid"), meta::text(&*old.value, "uid"));
    if wanted.is_empty() || wanted == found {
        return Ok(());
    }
    let why = format!("Precondition failed: UID in precondition: {wanted}, UID in object meta: {found}");
    Err(Status::conflict(place.entry, name, why))
}

/// Keeps of the old object what the request does not change.
fn carry_over(place: &Place, part: Part, old: &Hub, new: &mut Hub) {
    if part == Part::Status {
        let mut whole = old.clone();
        objectmeta::copy_field(&*new.value, &mut *whole.value, "status");
        for field in status_metadata::taken(place.entry) {
            objectmeta::keep(&*new.value, &mut *whole.value, field);
        }
        new.value = whole.value;
        return;
    }
    let fields =
        ["uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation"];
    for field in fields {
        objectmeta::keep(&*old.value, &mut *new.value, field);
    }
    if has_status(place.entry) {
        objectmeta::copy_field(&*old.value, &mut *new.value, "status");
    }
}
