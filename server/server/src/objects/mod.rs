//! What requests do with objects: read, create, update, delete.
//!
//! A write passes these stages: [`receive`](receive) decodes the body, sets defaults, and converts to the hub; then
//! [`write`](write) reads the old object and [transforms](transform) it; [`owners`](owners) notes who owns which fields;
//! [`admit`](admit) asks admission and validates;
//! [`stored`](stored) converts to the storage version and encodes. Steps that would change nothing are skipped.

mod admit;
mod applied;
mod apply;
mod as_they_are;
mod carried;
mod check;
mod create;
mod definitions;
mod delete;
mod dependents;
mod duplicates;
mod error;
mod field_validation;
mod generation;
mod get;
mod grace;
mod hub;
mod internal;
mod keys;
mod list;
mod lookup;
mod misnamed;
mod namespaces;
mod owners;
mod parallel;
mod part;
mod patch;
mod patched;
mod paths;
mod pods;
mod receive;
mod review;
mod stored;
mod subresources;
mod target;
mod token;
mod transform;
mod unevictable;
mod unfit;
mod unreadable;
mod update;
mod watch;
mod whole;
mod write;

use std::sync::Arc;

use hubgen_definitions::Conversions;
use hubgen_machinery::meta;
use hubgen_machinery::reflect::Reflect;

pub(crate) use self::apply::Apply;
pub(crate) use self::check::check;
pub(crate) use self::definitions::{CLEANUP, set_condition};
pub(crate) use self::delete::Deleted;
pub(crate) use self::dependents::{FOREGROUND, ORPHAN};
pub(crate) use self::error::{Conflict, Error, ObjectName};
pub(crate) use self::field_validation::FieldValidation;
pub(crate) use self::internal::{Outcome, json_of};
pub(crate) use self::list::{List, ListQuery, Listing, list_meta};
pub(crate) use self::lookup::StoredObjects;
pub(crate) use self::namespaces::{KEEPER, TERMINATING, are_kept, kind_of_namespaces};
pub(crate) use self::patch::{Patch, PatchFormat};
pub(crate) use self::receive::unrecognized;
pub(crate) use self::target::{Collection, Warnings, Write, is_dry_run};
pub(crate) use self::unevictable::Unevictable;
pub(crate) use self::unfit::Unfit;
pub(crate) use self::unreadable::{OPTION, Omitted, Unlisted, ignores_unreadable, wrong_option};
pub(crate) use self::watch::{EventType, Start, Until, Views, Watch, WatchQuery};
pub(crate) use self::whole::Whole;
use crate::access::{Access, ServiceAccountTokens};
use crate::admission::Chain;
use crate::catalog::Catalog;
use crate::environment::Environment;
use crate::feed::Feeds;
use crate::follow::Followers;
use crate::media::Media;
use crate::objectmeta;
use crate::store::Store;

/// Objects of at most this many bytes are small: what a request does with one takes less time than to wake a thread for it.
pub(crate) const SMALL: usize = 16 << 10;

/// What is behind the objects, whatever kinds there are.
pub(crate) struct Backing {
    pub(crate) store: Arc<dyn Store>,
    /// The changes of the store, for watches.
    pub(crate) feeds: Arc<Feeds<Views>>,
    /// The media type of stored objects.
    pub(crate) storage_media: Media,
    pub(crate) access: Access,
    pub(crate) service_accounts: Arc<ServiceAccountTokens>,
    pub(crate) admission: Chain,
    pub(crate) environment: Arc<dyn Environment>,
    /// Whether lists omit values that cannot be read, with a warning.
    pub(crate) omit_unreadable: bool,
    pub(crate) whole: Whole,
    /// Whether somebody does what finalizers say of dependents.
    pub(crate) collects_garbage: bool,
    /// Whether somebody removes the objects of namespaces that are deleted.
    pub(crate) empties_namespaces: bool,
    /// Whether pods that are deleted are gone, although no kubelet has ended them.
    pub(crate) ends_pods: bool,
    /// Who follows the store for the server.
    pub(crate) followers: Followers,
    /// Who converts instead of the strategies of definitions.
    pub(crate) conversions: Option<Arc<dyn Conversions>>,
}

/// The objects of all kinds, as one request sees them: with the kinds of one snapshot from beginning to end.
#[derive(Clone)]
pub(crate) struct Objects {
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) backing: Arc<Backing>,
}

impl Objects {
    fn prefix(&self, collection: &Collection) -> String {
        self.catalog.scheme.storage_prefix(&collection.entry)
    }

    /// The prefix of the keys of a collection.
    fn collection_prefix(&self, collection: &Collection) -> String {
        let prefix = self.prefix(collection);
        match &*collection.namespace {
            "" => prefix,
            namespace => prefix + namespace + "/",
        }
    }

    fn key(&self, collection: &Collection, name: &str) -> Vec<u8> {
        keys::key(&self.prefix(collection), &collection.namespace, name)
    }
}

/// Checks that the namespace in an object is empty or equals the one in the path, and sets it.
fn check_namespace(collection: &Collection, object: &mut dyn Reflect) -> Result<(), Error> {
    let namespaced = collection.entry.resource.as_ref().is_some_and(|resource| resource.namespaced);
    let found = meta::text(object, "namespace");
    if namespaced && !found.is_empty() && found != collection.namespace {
        return Err(Error::Malformed(
            "the namespace of the provided object does not match the namespace sent on the request"
                .to_owned(),
        ));
    }
    objectmeta::set_text(object, "namespace", &collection.namespace);
    Ok(())
}
