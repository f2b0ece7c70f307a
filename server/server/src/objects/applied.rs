//! Applies configurations to objects, and creates those that do not exist.

use std::sync::Arc;

use hubgen_machinery::scheme::{KindEntry, Object};
use hubgen_patch::owners::Managers;
use serde_json::Value;

use super::apply::{Applied, Apply};
use super::error::{Error, ObjectName};
use super::hub::Hub;
use super::owners::document_of;
use super::receive::Received;
use super::target::{Target, Write};
use super::transform::{Replacement, Transform};
use super::update::check_identity;
use super::{Collection, Conflict, Objects};
use crate::access::{Attributes, ResourceAttributes};
use crate::kind_names::plural;
use crate::managed_fields;
use crate::media::{Body, Media};
use crate::objectmeta;
use crate::part::Part;
use crate::validation::Violation;

impl Objects {
    /// Applies a configuration to an object or only to its status. Returns whether the object was created, and the new
    /// object, at the version of the collection.
    pub(crate) async fn apply(
        &self,
        collection: &Collection,
        name: &str,
        part: Part,
        apply: &mut Apply,
        write: &Write,
    ) -> Result<(bool, Object), Error> {
        let target = Target { collection, name, part };
        loop {
            match self.write(target, write, Transform::Apply(apply)).await {
                Err(Error::NotFound(_)) if part == Part::Main => {}
                written => return Ok((false, self.shown(written?, collection, name)?)),
            }
            match self.create_applied(target, apply, write).await {
                // Another client was faster.
                Err(Error::Exists { .. }) => {}
                created => return created.map(|object| (true, object)),
            }
        }
    }

    /// Creates the object of a configuration.
    async fn create_applied(
        &self,
        target: Target<'_>,
        apply: &mut Apply,
        write: &Write,
    ) -> Result<Object, Error> {
        let Target { collection, name, part } = target;
        let entry = &collection.entry;
        let empty = document_of(&Object::new(entry)).map_err(|error| Error::Internal(error.to_string()))?;
        let Applied { document, managers, .. } =
            apply.to(self, (entry, part), write, empty, Managers::default())?;
        let mut received = self.read_applied(entry, part, apply, &document)?;
        if !apply.uid().is_empty() {
            let (object, uid) = (ObjectName::new(entry, name), apply.uid().to_owned());
            return Err(Error::Conflict { object, why: Conflict::Absent { uid } });
        }
        super::check_namespace(collection, &mut *received.hub.value)?;
        check_identity(collection, name, &received)?;
        self.check_may_create(target, write).await?;
        objectmeta::clear(&mut *received.hub.value, "resourceVersion");
        self.create_owned(collection, received, managers, write).await
    }

    /// Checks that the client may create the object that it applies to.
    async fn check_may_create(&self, target: Target<'_>, write: &Write) -> Result<(), Error> {
        let Target { collection: Collection { entry, namespace }, name, part } = target;
        let resource = ResourceAttributes {
            group: &entry.group,
            version: &entry.version,
            resource: plural(entry),
            subresource: part.subresource(),
            namespace,
            name,
        };
        let attributes = Attributes { user: &write.user, verb: "create", path: "", resource: Some(resource) };
        self.backing.access.check(&attributes).await.map_err(Error::Denied)
    }

    /// The replacement that a configuration makes of the stored object.
    ///
    /// # Errors
    /// If the configuration cannot be applied to it.
    pub(super) fn applied(
        &self,
        target: Target<'_>,
        apply: &mut Apply,
        write: &Write,
        old: &Hub,
        revision: u64,
    ) -> Result<Replacement, Error> {
        let Target { collection, name, part } = target;
        let entry = &collection.entry;
        let object = self.before(collection, name, old, revision)?;
        let mut json = document_of(&object).map_err(|error| Error::Internal(error.to_string()))?;
        if let Some(metadata) = json.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.shift_remove(managed_fields::FIELD);
        }
        let managers = apply.owners_of(&*old.value);
        let Applied { document, is_changed, managers } =
            apply.to(self, (entry, part), write, json, managers)?;
        let mut received = self.read_applied(entry, part, apply, &document)?;
        if !is_changed && entry.untyped.is_some() {
            // Reading it has set defaults, of which nobody has asked for an object that stays as it is.
            received.hub.value = object.value;
        }
        let uid = hubgen_machinery::meta::text(&*old.value, "uid");
        if !["", uid].contains(&apply.uid()) {
            let violation = Violation::invalid("metadata.uid", apply.uid(), "field is immutable");
            return Err(Error::invalid(entry, name, vec![violation]));
        }
        let expected = check_identity(collection, name, &received)?;
        let Received { hub, checked, .. } = received;
        Ok(Replacement { hub: Some(hub), checked, expected, owners: Some(managers) })
    }

    /// Reads what a configuration has made of an object.
    pub(super) fn read_applied(
        &self,
        entry: &Arc<KindEntry>,
        part: Part,
        apply: &Apply,
        document: &Value,
    ) -> Result<Received, Error> {
        let body = Body::new(Media::Json, document.to_string().into_bytes());
        self.receive_applied(entry, part, body).map_err(|error| match error {
            Error::Malformed(why) => Error::Unapplied(format!(
                "failed to convert new object ({}) to proper version: {why}",
                apply.named(entry)
            )),
            error => error,
        })
    }
}
