//! The operations on objects: create, get, list, update, delete.

mod create;
mod delete;
mod list;
mod status_metadata;
mod target;
mod token;
mod transform;
mod update;
mod write;

use std::sync::Arc;

use hubgen_machinery::defaults::Context;
use hubgen_machinery::meta;
use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::scheme::{KindEntry, Object, Scheme};
use hubgen_validation::names;

pub(crate) use self::list::{List, ListQuery};
pub(crate) use self::target::{Write, is_dry_run};
use crate::environment::Environment;
use crate::keys;
use crate::media::Body;
use crate::storage_path::{Part, Received, StoragePath};
use crate::store::{KeyValue, ListRequest, Store};
use crate::wire::{DeleteOptions, Status};

/// Performs operations on the objects of all kinds.
pub(crate) struct Registry {
    pub(crate) path: StoragePath,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) environment: Arc<dyn Environment>,
    /// Whether lists omit values that cannot be read, with a warning.
    pub(crate) omit_unreadable: bool,
}

/// The collection of a request: a kind at a version, and a namespace.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Collection {
    pub(crate) entry: Arc<KindEntry>,
    /// Empty for cluster-scoped kinds and for all namespaces.
    pub(crate) namespace: String,
}

/// The result of a deletion.
pub(crate) enum Deleted {
    /// The object is removed.
    Gone(Status),
    /// The object still exists, until its finalizers are removed.
    Waiting(Object),
}

impl Registry {
    /// Decodes a body and sets defaults, for the current time.
    pub(crate) fn receive(&self, entry: &Arc<KindEntry>, part: Part, body: Body) -> Result<Received, Status> {
        self.path.receive(entry, part, body, &Context { now: self.environment.now() })
    }

    /// Returns the object of that name, at the version of the collection and at revision `since` or
    /// newer.
    pub(crate) async fn get(
        &self,
        collection: &Collection,
        name: &str,
        since: Option<u64>,
    ) -> Result<Object, Status> {
        let stored = self.stored(collection, name).await?;
        if let Some(since) = since.filter(|since| *since > stored.mod_revision) {
            self.check_reached(since, stored.key.clone()).await?;
        }
        let object = self.path.decode_stored(&stored)?;
        Ok(self.path.answer(object, &collection.entry, stored.mod_revision)?)
    }

    pub(crate) fn scheme(&self) -> &Scheme {
        &self.path.scheme
    }

    /// Checks that the store has reached a revision. Any list reports the store's revision, so this
    /// lists a single key.
    async fn check_reached(&self, revision: u64, key: Vec<u8>) -> Result<(), Status> {
        let nothing = ListRequest { prefix: key, limit: Some(0), ..ListRequest::default() };
        let current = self.store.list(nothing).await.map_err(|error| Status::store(&error))?.revision;
        if revision > current {
            return Err(Status::too_large_resource_version(revision, current, 1));
        }
        Ok(())
    }

    async fn stored(&self, collection: &Collection, name: &str) -> Result<KeyValue, Status> {
        let mistakes = names::path_segment_mistakes(name);
        if !mistakes.is_empty() {
            let why = mistakes.join(";");
            return Err(Status::bad_request(format!("Name parameter invalid: {name:?}: {why}")));
        }
        let stored = self.store.get(&self.key(collection, name)).await;
        stored
            .map_err(|error| Status::store(&error))?
            .ok_or_else(|| Status::not_found(&collection.entry, name))
    }

    fn prefix(&self, collection: &Collection) -> String {
        self.scheme().storage_prefix(&collection.entry)
    }

    fn key(&self, collection: &Collection, name: &str) -> Vec<u8> {
        keys::key(&self.prefix(collection), &collection.namespace, name)
    }

    /// Checks the preconditions of a deletion.
    fn check_preconditions(
        collection: &Collection,
        name: &str,
        options: &DeleteOptions,
        object: &dyn Reflect,
        revision: u64,
    ) -> Result<(), Status> {
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
                let why = format!(
                    "the {what} in the precondition ({wanted}) does not match the {what} in record ({found}). \
                     The object might have been {happened}"
                );
                return Err(Status::precondition(&collection.entry, name, why));
            }
        }
        Ok(())
    }
}

/// Checks that the namespace in an object is empty or equals the one in the path, and sets it.
fn check_namespace(collection: &Collection, object: &mut dyn Reflect) -> Result<(), Status> {
    let namespaced = collection.entry.resource.as_ref().is_some_and(|resource| resource.namespaced);
    let found = meta::text(object, "namespace");
    if namespaced && !found.is_empty() && found != collection.namespace {
        return Err(Status::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    crate::objectmeta::set_text(object, "namespace", &collection.namespace);
    Ok(())
}
