//! Replacing objects.

use hubgen_machinery::meta;
use hubgen_machinery::scheme::Object;

use super::change::{Change, Changed};
use super::{Collection, Registry, check_namespace, status_metadata};
use crate::admission::{Operation, Subject};
use crate::hub::Hub;
use crate::objectmeta;
use crate::storage_path::{Part, Received, has_status};
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
        place: &Collection,
        name: &str,
        part: Part,
        received: Received,
    ) -> Result<Object, Status> {
        let entry = &place.entry;
        let expected = check_identity(place, name, &received)?;
        let Received { hub, checked, .. } = received;
        let mut hub = Some(hub);
        let changed = self.change(place, name, |old, revision| {
            let modified = || Status::modified(entry, name);
            // Whoever names the revision that they have read has one attempt, so nothing is copied for it.
            let new = if expected.is_some() { hub.take() } else { hub.clone() };
            let mut new = new.ok_or_else(modified)?;
            check_uid(place, name, &new, &old)?;
            if expected.is_some_and(|expected| expected != revision) {
                return Err(modified());
            }
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
            self.path.admit(&checked, &mut new, subject, part, Some(&*old.value))?;
            if meta::generation(&*old.value) > 0 && objectmeta::differs_in_spec(&*old.value, &*new.value) {
                meta::set_generation(&mut *new.value, meta::generation(&*old.value) + 1);
            }
            let goes = objectmeta::is_being_deleted(&*new.value) && !objectmeta::has_finalizers(&*new.value);
            Ok(if goes { Change::Remove(new) } else { Change::Replace(new) })
        });
        match changed.await? {
            Changed::Is(object) => Ok(object),
            Changed::Was(hub, revision) => self.path.answer(self.path.to_stored(hub, name)?, entry, revision),
        }
    }
}

/// The name in the object is that of the path. Answers the resourceVersion that the client has
/// read.
fn check_identity(place: &Collection, name: &str, received: &Received) -> Result<Option<u64>, Status> {
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
            Status::invalid(&place.entry, name, &[violation])
        }),
    }
}

/// An object of the same name that was made anew is another object.
fn check_uid(place: &Collection, name: &str, new: &Hub, old: &Hub) -> Result<(), Status> {
    let (wanted, found) = (meta::text(&*new.value, "uid"), meta::text(&*old.value, "uid"));
    if wanted.is_empty() || wanted == found {
        return Ok(());
    }
    let why = format!("Precondition failed: UID in precondition: {wanted}, UID in object meta: {found}");
    Err(Status::conflict(&place.entry, name, why))
}

/// Keeps of the old object what the request does not change.
fn carry_over(place: &Collection, part: Part, old: &Hub, new: &mut Hub) {
    if part == Part::Status {
        let mut whole = old.clone();
        objectmeta::copy_field(&*new.value, &mut *whole.value, "status");
        for field in status_metadata::taken(&place.entry) {
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
    if has_status(&place.entry) {
        objectmeta::copy_field(&*old.value, &mut *new.value, "status");
    }
}
