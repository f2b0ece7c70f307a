//! Writes of the server itself, which take the same pipeline as those of clients.

use std::sync::Arc;

use hubgen_machinery::json::Raw;
use hubgen_machinery::meta;
use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::scheme::{KindEntry, Object};
use hubgen_meta::v1::DeleteOptions;
use serde_json::Value;

use super::error::Error;
use super::receive::Received;
use super::target::{Target, Write};
use super::transform::{Edited, Transform};
use super::write::Written;
use super::{Collection, Objects};
use crate::media::{Body, Media};
use crate::part::Part;

/// What the server makes of one of its own objects that exists already.
pub(crate) enum Outcome {
    /// It stays as it is.
    Keep,
    /// It becomes this one.
    Replace(Box<dyn Reflect>),
    /// It is deleted, and created again.
    Recreate,
}

impl Objects {
    /// Creates those of these objects that do not exist, all together. Returns the places of the others.
    ///
    /// # Errors
    /// Those of any write.
    pub(crate) async fn create_missing(
        &self,
        objects: &[Object],
        write: &Write,
    ) -> Result<Vec<usize>, Error> {
        let (mut others, mut missing, mut new) = (Vec::new(), Vec::new(), Vec::new());
        for (index, object) in objects.iter().enumerate() {
            let (collection, name) = place(object);
            if self.backing.store.get(&self.key(&collection, &name)).await?.is_some() {
                others.push(index);
            } else {
                missing.push(index);
                new.push((collection, self.receive_own(object)?));
            }
        }
        let created = self.create_together(new, write).await?;
        // Somebody else was faster with some of them.
        others.extend(
            missing.into_iter().zip(created).filter(|(_, is_stored)| !is_stored).map(|(index, _)| index),
        );
        Ok(others)
    }

    /// Creates an object, or applies `change` to the one that exists.
    ///
    /// # Errors
    /// Those of any write.
    pub(crate) async fn ensure(
        &self,
        object: &Object,
        change: &(dyn Fn(&dyn Reflect) -> Outcome + Send + Sync),
        write: &Write,
    ) -> Result<(), Error> {
        let (collection, name) = place(object);
        let mut recreates = false;
        match self.change(&collection, &name, &mut recreates, change, write).await {
            Err(Error::NotFound(_)) => {}
            Ok(()) if recreates => {
                match self.delete(&collection, &name, &DeleteOptions::default(), write).await {
                    Ok(_) | Err(Error::NotFound(_)) => {}
                    Err(error) => return Err(error),
                }
            }
            done => return done,
        }
        match self.create(&collection, self.receive_own(object)?, write).await {
            // Somebody else was faster.
            Err(Error::Exists { .. }) => self.change(&collection, &name, &mut recreates, change, write).await,
            done => done.map(drop),
        }
    }

    /// Applies `change` to an object, if it exists.
    ///
    /// # Errors
    /// Those of any write.
    pub(crate) async fn amend(
        &self,
        entry: &Arc<KindEntry>,
        name: &str,
        change: &(dyn Fn(&dyn Reflect) -> Outcome + Send + Sync),
        write: &Write,
    ) -> Result<(), Error> {
        let collection = Collection { entry: Arc::clone(entry), namespace: String::new() };
        match self.change(&collection, name, &mut false, change, write).await {
            Err(Error::NotFound(_)) => Ok(()),
            done => done,
        }
    }

    /// Changes the status of an object of the cluster, and what requests for its status may change of its metadata. Returns
    /// the object as it is stored then; `None` if it does not exist, or does not any more. `change` returns whether it has
    /// changed something of the object in JSON.
    ///
    /// # Errors
    /// Those of any write.
    pub(crate) async fn change_status(
        &self,
        entry: &Arc<KindEntry>,
        name: &str,
        change: &mut (dyn FnMut(&mut Value) -> bool + Send),
        write: &Write,
    ) -> Result<Option<Object>, Error> {
        let collection = Collection { entry: Arc::clone(entry), namespace: String::new() };
        self.edit(&collection, name, Part::Status, change, write).await
    }

    /// Changes a part of an object. Returns the object as it is stored then; `None` if it does not exist, or does not any more.
    /// `change` returns whether it has changed something of the object in JSON.
    ///
    /// # Errors
    /// Those of any write.
    pub(crate) async fn edit(
        &self,
        collection: &Collection,
        name: &str,
        part: Part,
        change: &mut (dyn FnMut(&mut Value) -> bool + Send),
        write: &Write,
    ) -> Result<Option<Object>, Error> {
        let mut edit = |object: &Object| {
            let mut document = json_of(object)?;
            let mut changed = document.clone();
            if change(&mut changed) {
                document = changed;
            }
            Ok(document.into())
        };
        let target = Target { collection, name, part };
        match self.write(target, write, Transform::Edit(&mut edit)).await {
            Ok(Written::Stored(object)) => Ok(Some(object)),
            Ok(Written::Removed(..)) | Err(Error::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Creates an object that is a document, unless one of its name exists. There is nothing to do if its kind is not known.
    ///
    /// # Errors
    /// Those of any write.
    pub(crate) async fn create_document(&self, document: &Value, write: &Write) -> Result<(), Error> {
        let text = |json: &Value| json.as_str().unwrap_or_default().to_owned();
        let named = self.catalog.scheme.named(&text(&document["apiVersion"]), &text(&document["kind"]));
        let Some(entry) = named else { return Ok(()) };
        let namespace = text(&document["metadata"]["namespace"]);
        let collection = Collection { entry: Arc::clone(entry), namespace };
        let body = Body::new(Media::Json, document.to_string().into_bytes());
        match self.create(&collection, self.receive(entry, Part::Main, body)?, write).await {
            Ok(_) | Err(Error::Exists { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Takes an object as if a client had sent it.
    fn receive_own(&self, object: &Object) -> Result<Received, Error> {
        self.receive(&object.entry, Part::Main, Body::new(Media::Json, object.encode()?))
    }

    /// Applies `change` to an object.
    async fn change(
        &self,
        collection: &Collection,
        name: &str,
        recreates: &mut bool,
        change: &(dyn Fn(&dyn Reflect) -> Outcome + Send + Sync),
        write: &Write,
    ) -> Result<(), Error> {
        let mut edit = |object: &Object| {
            let changed = match change(&*object.value) {
                Outcome::Keep => return document(&object.entry, &*object.value),
                Outcome::Recreate => {
                    *recreates = true;
                    return document(&object.entry, &*object.value);
                }
                Outcome::Replace(changed) => changed,
            };
            document(&object.entry, &*changed)
        };
        let target = Target { collection, name, part: Part::Main };
        self.write(target, write, Transform::Edit(&mut edit)).await.map(drop)
    }
}

/// The collection of an object, and its name.
fn place(object: &Object) -> (Collection, String) {
    let text = |field| meta::text(&*object.value, field).to_owned();
    (Collection { entry: Arc::clone(&object.entry), namespace: text("namespace") }, text("name"))
}

/// An object as JSON.
fn document(entry: &Arc<KindEntry>, value: &dyn Reflect) -> Result<Edited, Error> {
    Ok(json_of(&Object { entry: Arc::clone(entry), value: value.boxed_copy() })?.into())
}

pub(crate) fn json_of(object: &Object) -> Result<Value, Error> {
    let json = Raw::new(&object.encode()?).and_then(|json| json.to_value());
    json.map_err(|error| Error::Internal(error.to_string()))
}
