//! Patches objects: a patch makes a new object of the stored one, at the version of the request.
//!
//! What comes out of a patch is read as the body of an update would be. If another client writes the object in between,
//! the patch is applied to what that client wrote.

use hubgen_machinery::scheme::Object;

use super::error::Error;
use super::field_validation::FieldValidation;
use super::hub::Hub;
use super::part::Part;
use super::patch::Patch;
use super::stored::at_revision;
use super::target::{Target, Write};
use super::transform::{Replacement, Transform};
use super::update::check_identity;
use super::{Collection, Objects};
use crate::media::{Body, Media};
use crate::validation::{Violation, cut};

/// The maximum number of bytes of a patched object in the message that it cannot be read.
const MAX_SHOWN: usize = 2048;

impl Objects {
    /// Patches an object or only its status. Returns the new object, at the version of the collection.
    pub(crate) async fn patch(
        &self,
        collection: &Collection,
        name: &str,
        part: Part,
        patch: &mut Patch,
        write: &Write,
    ) -> Result<Object, Error> {
        let target = Target { collection, name, part };
        let written = self.write(target, write, Transform::Patch(patch)).await?;
        self.shown(written, collection, name)
    }

    /// The replacement that a patch makes of the stored object.
    ///
    /// # Errors
    /// If the patch does not apply, or does not make an object of the kind.
    pub(super) fn patched(
        &self,
        Target { collection, name, part }: Target<'_>,
        patch: &mut Patch,
        old: &Hub,
        revision: u64,
    ) -> Result<Replacement, Error> {
        let entry = &collection.entry;
        let object = old.clone().at(entry, &self.catalog.scheme).map_err(Error::conversion(entry, name))?;
        let document = patch.applied(&at_revision(object, revision))?;
        let json = document.to_string().into_bytes();
        let wrong = |why: String| {
            let shown = cut(str::from_utf8(&json).unwrap_or_default(), MAX_SHOWN).into_owned();
            Error::PatchedInvalid(Violation::invalid("patch", &shown, why))
        };
        let body = Body::new(Media::Json, json.clone());
        let received = self.receive(entry, part, body).map_err(|error| match error {
            Error::Malformed(why) => wrong(why),
            error => error,
        })?;
        let mut found = patch.notes.clone();
        found.extend(patch.validation.found(&received));
        match patch.validation {
            FieldValidation::Strict if !found.is_empty() => {
                return Err(wrong(format!("strict decoding error: {}", found.join(", "))));
            }
            _ => patch.warnings = found,
        }
        let expected = check_identity(collection, name, &received)?;
        Ok(Replacement { hub: Some(received.hub), checked: received.checked, expected })
    }
}
