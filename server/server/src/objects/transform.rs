//! What requests make of stored objects.

use hubgen_machinery::meta;
use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::scheme::Object;
use hubgen_meta::v1::DeleteOptions;
use hubgen_patch::owners::Managers;
use serde_json::Value;

use super::carried::carry_over;
use super::definitions::note_stored_version;
use super::error::{Error, ObjectName};
use super::hub::Hub;
use super::receive::Checked;
use super::target::Target;
use super::{Apply, Collection, Patch, check_namespace};
use crate::part::Part;
use crate::validation;

/// What a request makes of a stored object.
pub(super) enum Transform<'a> {
    /// It becomes another object, or its status becomes another one.
    Replace(Replacement),
    /// A patch makes another object of it, or of its status.
    Patch(&'a mut Patch),
    /// A configuration is applied to it, or to its status.
    Apply(&'a mut Apply),
    /// The server itself makes another object of it.
    Edit(&'a mut Edit<'a>),
    /// It is deleted, or marked as being deleted if it has finalizers.
    Delete(&'a DeleteOptions),
}

/// Makes another document of an object, both at the version of the request.
pub(super) type Edit<'a> = dyn FnMut(&Object) -> Result<Edited, Error> + Send + 'a;

/// What the server itself makes of an object.
pub(super) struct Edited {
    pub(super) document: Value,
    /// Who owns the fields; `None` if that follows from what changes.
    pub(super) owners: Option<Managers>,
}

impl From<Value> for Edited {
    fn from(document: Value) -> Self {
        Self { document, owners: None }
    }
}

/// The object that replaces a stored one, or whose status does.
pub(super) struct Replacement {
    /// The object of the request; `None` once it is taken.
    pub(super) hub: Option<Hub>,
    pub(super) checked: Checked,
    /// The revision that the stored object must have.
    pub(super) expected: Option<u64>,
    /// Who owns the fields; `None` if that follows from what changes.
    pub(super) owners: Option<Managers>,
}

impl Replacement {
    /// The new object, with what the request must not change from the old one; and the object that the client sent, where no
    /// type describes it: who owns its fields depends on whether all of it fits its schema.
    ///
    /// # Errors
    /// If the stored object is not the one that the request means.
    pub(super) fn apply(
        &mut self,
        Target { collection, name, part }: Target<'_>,
        old: &Hub,
        revision: u64,
    ) -> Result<(Hub, Option<Hub>), Error> {
        let modified = || Error::modified(&collection.entry, name);
        // A request with a resourceVersion has one attempt, so its object need not be copied.
        let new = if self.expected.is_some() { self.hub.take() } else { self.hub.clone() };
        let mut new = new.ok_or_else(modified)?;
        check_uid(collection, name, &new, old)?;
        match self.expected {
            Some(expected) if expected != revision => return Err(modified()),
            // Upstream does not replace custom resources of which the client does not know what they are.
            None if collection.entry.untyped.is_some() => {
                return Err(Error::Unconditional(ObjectName::new(&collection.entry, name)));
            }
            _ => {}
        }
        check_namespace(collection, &mut *new.value)?;
        let sent = collection.entry.untyped.is_some().then(|| new.clone());
        carry_over(collection, part, old, &mut new);
        if part == Part::Main && validation::definitions::are(&collection.entry) {
            note_stored_version(&mut *new.value);
        }
        Ok((new, sent))
    }
}

/// Checks the uid: an object that was deleted and created again under the same name is another
/// object.
fn check_uid(collection: &Collection, name: &str, new: &Hub, old: &Hub) -> Result<(), Error> {
    let (wanted, found) = (meta::text(&*new.value, "uid"), meta::text(&*old.value, "uid"));
    if wanted.is_empty() || wanted == found {
        return Ok(());
    }
    Err(Error::other_uid(&collection.entry, name, wanted, found))
}

/// Checks the preconditions of a deletion.
pub(super) fn check_preconditions(
    collection: &Collection,
    name: &str,
    options: &DeleteOptions,
    object: &dyn Reflect,
    revision: u64,
) -> Result<(), Error> {
    let Some(preconditions) = &options.preconditions else { return Ok(()) };
    let uid = meta::text(object, "uid");
    let revision = revision.to_string();
    for (what, wanted, found, happened) in [
        ("UID", &preconditions.uid, uid, "deleted and then recreated"),
        ("ResourceVersion", &preconditions.resource_version, revision.as_str(), "modified"),
    ] {
        if let Some(wanted) = wanted
            && wanted != found
        {
            return Err(Error::Precondition {
                object: ObjectName::new(&collection.entry, name),
                what,
                wanted: wanted.to_string(),
                found: found.to_owned(),
                happened,
            });
        }
    }
    Ok(())
}
