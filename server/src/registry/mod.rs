//! What can be done with objects: create, get, list, update, delete.

mod change;
mod create;
mod delete;
mod list;
mod status_metadata;
mod token;
mod update;

use std::sync::Arc;

use hubgen_machinery::defaults::Context;
use hubgen_machinery::meta;
use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::scheme::{KindEntry, Object, Scheme};

pub(crate) use self::list::{List, ListQuery};
use crate::environment::Environment;
use crate::keys;
use crate::media::Body;
use crate::storage_path::{Part, Received, StoragePath};
use crate::store::{KeyValue, ListRequest, Store};
use crate::validation;
use crate::wire::{DeleteOptions, Status};

/// The objects of all kinds.
pub(crate) struct Registry {
    pub(crate) path: StoragePath,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) environment: Arc<dyn Environment>,
    /// Whether lists leave out what cannot be read, with a warning.
    pub(crate) omit_unreadable: bool,
}

/// Where a request points: a kind at a version, and a namespace.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Collection {
    pub(crate) entry: Arc<KindEntry>,
    /// Empty for kinds that live in the cluster, and for all namespaces at once.
    pub(crate) namespace: String,
}

/// What a deletion left.
pub(crate) enum Deleted {
    /// Nothing: the object is gone.
    Gone(Status),
    /// The object, which waits for its finalizers.
    Waiting(Object),
}

impl Registry {
    /// What a client sent, with the defaults as of now.
    pub(crate) fn receive(&self, entry: &Arc<KindEntry>, part: Part, body: Body) -> Result<Received, Status> {
        self.path.receive(entry, part, body, &Context { now: self.environment.now() })
    }

    /// The object of that name, at the version of the place, as of a revision or newer.
    pub(crate) async fn get(
        &self,
        place: &Collection,
        name: &str,
        since: Option<u64>,
    ) -> Result<Object, Status> {
        let stored = self.stored(place, name).await?;
        if let Some(since) = since.filter(|since| *since > stored.mod_revision) {
            self.reached(since, stored.key.clone()).await?;
        }
        self.path.answer(self.path.decode_stored(&stored)?, &place.entry, stored.mod_revision)
    }

    pub(crate) fn scheme(&self) -> &Scheme {
        &self.path.scheme
    }

    /// Whether the store has come to a revision, which a list of what is under one key tells as well
    /// as a longer one.
    async fn reached(&self, revision: u64, key: Vec<u8>) -> Result<(), Status> {
        let nothing = ListRequest { prefix: key, limit: Some(0), ..ListRequest::default() };
        let current = self.store.list(nothing).await.map_err(|error| Status::store(&error))?.revision;
        if revision > current {
            return Err(Status::too_large_resource_version(revision, current, 1));
        }
        Ok(())
    }

    async fn stored(&self, place: &Collection, name: &str) -> Result<KeyValue, Status> {
        let mistakes = validation::name::segment_mistakes(name);
        if !mistakes.is_empty() {
            let why = mistakes.join(";");
            return Err(Status::bad_request(format!("Name parameter invalid: {name:?}: {why}")));
        }
        let stored = self.store.get(&self.key(place, name)).await;
        stored.map_err(|error| Status::store(&error))?.ok_or_else(|| Status::not_found(&place.entry, name))
    }

    fn prefix(&self, place: &Collection) -> String {
        self.scheme().storage_prefix(&place.entry)
    }

    fn key(&self, place: &Collection, name: &str) -> Vec<u8> {
        keys::key(&self.prefix(place), &place.namespace, name)
    }

    /// What the client says must hold of the object, does.
    fn check_preconditions(
        place: &Collection,
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
                return Err(Status::precondition(&place.entry, name, why));
            }
        }
        Ok(())
    }
}

/// The namespace in an object is that of the path, or nothing.
fn check_namespace(place: &Collection, object: &mut dyn Reflect) -> Result<(), Status> {
    let namespaced = place.entry.resource.as_ref().is_some_and(|resource| resource.namespaced);
    let found = meta::text(object, "namespace");
    if namespaced && !found.is_empty() && found != place.namespace {
        return Err(Status::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    crate::objectmeta::set_text(object, "namespace", &place.namespace);
    Ok(())
}
