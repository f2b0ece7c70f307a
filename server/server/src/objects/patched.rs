//! Patches objects: a patch, or the server itself, makes a new object of the stored one, at the version of the request.
//!
//! What comes out of a patch is read as the body of an update would be. If another client writes the object in between,
//! the patch is applied to what that client wrote.

use std::sync::Arc;

use hubgen_machinery::json::Raw;
use hubgen_machinery::meta;
use hubgen_machinery::scheme::{KindEntry, Object};
use serde_json::Value;

use super::error::Error;
use super::field_validation::FieldValidation;
use super::hub::Hub;
use super::patch::Patch;
use super::receive::Received;
use super::stored::at_revision;
use super::target::{Target, Write};
use super::transform::{Edit, Edited, Replacement, Transform};
use super::update::check_identity;
use super::{Collection, Objects};
use crate::media::{Body, Media};
use crate::objectmeta;
use crate::part::Part;
use crate::validation::{Violation, cut};

/// The maximum number of bytes of a patched object in the message that it cannot be read.
const MAX_SHOWN: usize = 16 << 10;

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
        let object = self.before(collection, name, old, revision)?;
        let document = patch.applied(&object)?;
        let mut received = self.read_patched(&collection.entry, part, patch, &document)?;
        check_uid(&collection.entry, name, part, old, &mut received)?;
        let expected = check_identity(collection, name, &received)?;
        Ok(Replacement { hub: Some(received.hub), checked: received.checked, expected, owners: None })
    }

    /// The replacement that the server itself makes of the stored object.
    pub(super) fn edited(
        &self,
        Target { collection, name, part }: Target<'_>,
        edit: &mut Edit<'_>,
        old: &Hub,
        revision: u64,
    ) -> Result<Replacement, Error> {
        let Edited { document, owners } = edit(&self.before(collection, name, old, revision)?)?;
        let body = Body::new(Media::Json, document.to_string().into_bytes());
        let Received { hub, checked, .. } = self.receive(&collection.entry, part, body)?;
        Ok(Replacement { hub: Some(hub), checked, expected: Some(revision), owners })
    }

    /// A stored object as the client would see it.
    pub(super) fn before(
        &self,
        collection: &Collection,
        name: &str,
        old: &Hub,
        revision: u64,
    ) -> Result<Object, Error> {
        let entry = &collection.entry;
        let object = old.clone().at(entry, &self.catalog.scheme).map_err(Error::conversion(entry, name))?;
        Ok(at_revision(object, revision))
    }

    /// Reads what a patch has made as an object of a kind.
    ///
    /// # Errors
    /// If it is none.
    pub(super) fn read_patched(
        &self,
        entry: &Arc<KindEntry>,
        part: Part,
        patch: &mut Patch,
        document: &Value,
    ) -> Result<Received, Error> {
        // What no type describes is shown as Go writes it, with sorted members.
        let sorted = || {
            let mut sorted = document.clone();
            sorted.sort_all_objects();
            Raw::from(sorted).as_str().to_owned()
        };
        let json = entry.untyped.as_ref().map_or_else(|| document.to_string(), |_| sorted()).into_bytes();
        let wrong = |why: String| {
            let shown = cut(str::from_utf8(&json).unwrap_or_default(), MAX_SHOWN).into_owned();
            Error::PatchedInvalid(Violation::invalid("patch", &shown, why))
        };
        let body = Body::new(Media::Json, json.clone());
        let received = self.receive_patched(entry, part, body).map_err(|error| match error {
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
        Ok(received)
    }
}

/// Checks that a patch does not change the uid. As upstream, that is a rule, and no condition as in a replacement; and of the status of
/// what no type describes, the metadata is that of the old object.
fn check_uid(
    entry: &Arc<KindEntry>,
    name: &str,
    part: Part,
    old: &Hub,
    received: &mut Received,
) -> Result<(), Error> {
    let uid = meta::text(&*old.value, "uid");
    let sent = meta::text(&*received.hub.value, "uid");
    if ["", uid].contains(&sent) {
        return Ok(());
    }
    if part == Part::Status && entry.untyped.is_some() {
        objectmeta::set_text(&mut *received.hub.value, "uid", uid);
        return Ok(());
    }
    let violation = Violation::invalid("metadata.uid", sent, "field is immutable");
    Err(Error::invalid(entry, name, vec![violation]))
}
