//! `scale`: the number of replicas of an object, at its place in a kind that all such objects share.

use std::sync::Arc;

use hubgen_machinery::scheme::{KindEntry, Object};
use hubgen_validation::Reason;
use serde_json::json;

use super::super::apply::Applied;
use super::super::owners::version_of;
use super::super::target::{Target, Write};
use super::super::transform::{Edited, Transform};
use super::super::update::check_identity;
use super::places::Places;
use super::{check_namespace, document_of, number, text};
use crate::objects::receive::Received;
use crate::objects::{Apply, Collection, Error, Objects, Patch};
use crate::part::Part;
use crate::validation::{Violation, quoted};

/// The metadata of an object that its scale has, too.
const METADATA: [&str; 5] = ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"];

/// Upstream's number of replicas for an object that has none.
const UNSET: i64 = i32::MIN as i64;

impl Objects {
    /// The scale of an object.
    ///
    /// # Errors
    /// If the object has a selector that no text can say, or no number where its definition tells that there is one.
    pub(crate) fn scale_of(&self, kind: &Arc<KindEntry>, object: &Object) -> Result<Object, Error> {
        let (places, document) = (Places::of(&object.entry), document_of(object)?);
        let replicas = match (places.wanted(&document)?, places.named()) {
            (None, Some(place)) => {
                return Err(Error::Internal(format!(
                    "the spec replicas field {} does not exist",
                    quoted(place)
                )));
            }
            (replicas, _) => replicas.unwrap_or_default(),
        };
        self.scale_with(kind, object, replicas)
    }

    /// The scale of an object, with a number of replicas that are wanted.
    fn scale_with(&self, kind: &Arc<KindEntry>, object: &Object, replicas: i64) -> Result<Object, Error> {
        let (places, document) = (Places::of(&object.entry), document_of(object)?);
        let mut scale = json!({"metadata": {}, "spec": {}, "status": {}});
        for field in METADATA {
            if let Some(value) = document["metadata"].get(field) {
                scale["metadata"][field] = value.clone();
            }
        }
        scale["spec"]["replicas"] = replicas.into();
        scale["status"]["replicas"] = places.found(&document)?.into();
        let (as_text, labels) = places.selector(&document)?;
        let is_older = kind.object().field_mut("status").is_some_and(|status| has_map(status));
        if is_older {
            scale["status"]["targetSelector"] = as_text.into();
            if let Some(labels) = labels {
                scale["status"]["selector"] = labels;
            }
        } else {
            scale["status"]["selector"] = as_text.into();
        }
        let (scale, _) = Object::decode(kind, scale.to_string().as_bytes())
            .map_err(|error| Error::Internal(format!("the scale of an object: {error}")))?;
        Ok(scale)
    }

    /// The scale of an object before a change. An object that does not have the number that its definition tells of has one
    /// that no object has, and that the change must not leave.
    fn scale_before(&self, kind: &Arc<KindEntry>, object: &Object) -> Result<Object, Error> {
        let (places, document) = (Places::of(&object.entry), document_of(object)?);
        let unset = if places.named().is_some() { UNSET } else { 0 };
        self.scale_with(kind, object, places.wanted(&document)?.unwrap_or(unset))
    }

    /// Sets the number of replicas. Returns the new scale.
    pub(crate) async fn update_scale(
        &self,
        collection: &Collection,
        kind: &Arc<KindEntry>,
        name: &str,
        received: Received,
        write: &Write,
    ) -> Result<Object, Error> {
        check_identity(collection, name, &received)?;
        let scale = self.document(kind, received)?;
        self.scaled(collection, kind, name, write, &mut |_| Ok(scale.clone().into())).await
    }

    /// Patches the scale of an object. Returns the new scale.
    pub(crate) async fn patch_scale(
        &self,
        collection: &Collection,
        kind: &Arc<KindEntry>,
        name: &str,
        patch: &mut Patch,
        write: &Write,
    ) -> Result<Object, Error> {
        let mut patched = |object: &Object| {
            let document = patch.applied(&self.scale_before(kind, object)?)?;
            let received = self.read_patched(kind, Part::Main, patch, &document)?;
            check_identity(collection, name, &received)?;
            Ok(self.document(kind, received)?.into())
        };
        self.scaled(collection, kind, name, write, &mut patched).await
    }

    /// Applies a configuration to the scale of an object. Who owns the number of replicas of the object owns that of its scale,
    /// and the other way round. Returns the new scale.
    pub(crate) async fn apply_scale(
        &self,
        collection: &Collection,
        kind: &Arc<KindEntry>,
        name: &str,
        apply: &mut Apply,
        write: &Write,
    ) -> Result<Object, Error> {
        let api_version = collection.entry.api_version();
        let replicas = |api_version: &str| {
            version_of(&self.catalog, &collection.entry, api_version).map(|entry| Places::of(entry).field())
        };
        let mut applied = |object: &Object| {
            let owners = apply.owners_of(&*object.value);
            let of_scale = owners.to_scale(&kind.api_version(), &replicas);
            let scale = document_of(&self.scale_before(kind, object)?)?;
            let Applied { document, managers, .. } =
                apply.to(self, (kind, Part::Scale), write, scale, of_scale)?;
            let received = self.read_applied(kind, Part::Main, apply, &document)?;
            check_identity(collection, name, &received)?;
            let owners = owners.after_scale(managers, &api_version, &replicas);
            Ok(Edited { document: self.document(kind, received)?, owners: Some(owners) })
        };
        self.scaled(collection, kind, name, write, &mut applied).await
    }

    /// Gives an object the number of replicas of a scale that is made of the object.
    async fn scaled(
        &self,
        collection: &Collection,
        kind: &Arc<KindEntry>,
        name: &str,
        write: &Write,
        scale: &mut (dyn FnMut(&Object) -> Result<Edited, Error> + Send),
    ) -> Result<Object, Error> {
        let mut edit = |object: &Object| {
            let Edited { document: scale, owners } = scale(object)?;
            check_namespace(collection, &scale)?;
            let (places, replicas) = (Places::of(&collection.entry), number(&scale, "/spec/replicas"));
            match places.named() {
                Some(place) if replicas == UNSET => {
                    return Err(Error::Malformed(format!(
                        "the spec replicas field {} cannot be empty",
                        quoted(place)
                    )));
                }
                // Whether the number is valid, the object itself tells.
                Some(_) => {}
                None if replicas < 0 => return Err(Error::invalid(kind, name, vec![negative(replicas)])),
                None => {}
            }
            let mut document = document_of(object)?;
            let revision = text(&scale, "/metadata/resourceVersion");
            if !["", "0", text(&document, "/metadata/resourceVersion")].contains(&revision) {
                return Err(Error::modified(&collection.entry, name));
            }
            let (wanted, found) = (text(&scale, "/metadata/uid"), text(&document, "/metadata/uid"));
            if !["", found].contains(&wanted) {
                return Err(Error::other_uid(&collection.entry, name, wanted, found));
            }
            places.set(&mut document, replicas)?;
            Ok(Edited { document, owners })
        };
        let target = Target { collection, name, part: Part::Scale };
        let written = self.write(target, write, Transform::Edit(&mut edit)).await?;
        self.scale_of(kind, &self.shown(written, collection, name)?)
    }
}

fn negative(replicas: i64) -> Violation {
    Violation {
        reason: Reason::Invalid,
        field: "spec.replicas".to_owned(),
        message: format!("Invalid value: {replicas}: must be greater than or equal to 0"),
    }
}

/// Whether the status of a scale has its selector as a map, and the text in another field, as before 1.9.
fn has_map(status: hubgen_machinery::reflect::SlotMut<'_>) -> bool {
    match status.present() {
        hubgen_machinery::reflect::SlotMut::Struct(status) => status.position("targetSelector").is_some(),
        _ => false,
    }
}
