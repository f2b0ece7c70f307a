//! What an owner reference refers to.

use std::sync::Arc;

use hubgen_machinery::scheme::{KindEntry, Scheme};
use hubgen_meta::v1::OwnerReference;

use super::super::record::{Key, Record, Uid};
use super::Garbage;
use crate::catalog::Catalog;
use crate::objects::FOREGROUND;
use crate::store::Error;

/// What has become of an owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It exists.
    Solid,
    /// It does not exist, or is another object.
    Dangling,
    /// It waits for the deletion of its dependents.
    Waiting,
}

/// Why nobody can tell what has become of an owner.
#[derive(Debug)]
pub(super) enum Unclear {
    /// Its kind is not served.
    Kind,
    /// It is in a namespace, and the dependent is in none.
    Namespace,
    /// It waits for its dependents, and not all of these are known yet.
    Ahead,
    Store(Error),
}

/// The kind of an owner, if it is served at that version.
pub(super) fn kind_of<'c>(catalog: &'c Catalog, owner: &OwnerReference) -> Option<&'c Arc<KindEntry>> {
    let entry = catalog.scheme.named(&owner.api_version, &owner.kind)?;
    catalog.offered.resource(entry).map(|_| entry)
}

/// Whether objects of a kind are in namespaces.
pub(super) fn is_namespaced(entry: &KindEntry) -> bool {
    entry.resource.as_ref().is_some_and(|resource| resource.namespaced)
}

/// Where an owner is stored, of a dependent in a namespace; `None` if the server does not know its kind.
pub(super) fn key_of_owner(scheme: &Scheme, owner: &OwnerReference, namespace: &str) -> Option<Key> {
    let entry = scheme.named(&owner.api_version, &owner.kind)?;
    let prefix = scheme.storage_prefix(entry);
    let key = if is_namespaced(entry) {
        format!("{prefix}{namespace}/{}", owner.name)
    } else {
        format!("{prefix}{}", owner.name)
    };
    Some(key.as_bytes().into())
}

impl Garbage {
    /// What has become of an owner of an object.
    pub(super) async fn standing(
        &self,
        owner: &OwnerReference,
        dependent: &Record,
    ) -> Result<Standing, Unclear> {
        let uid = Uid::from(&*owner.uid);
        let catalog = self.own.served.current();
        let Some(entry) = kind_of(&catalog, owner) else {
            let is_gone = self.graph.has_lost(uid, &owner.api_version, &owner.kind);
            return if is_gone { Ok(Standing::Dangling) } else { Err(Unclear::Kind) };
        };
        let namespace = &*dependent.metadata.namespace;
        if namespace.is_empty() && is_namespaced(entry) {
            return Err(Unclear::Namespace);
        }
        let key = key_of_owner(&catalog.scheme, owner, namespace).ok_or(Unclear::Kind)?;
        let found = self.own.backing.store.get(&key).await.map_err(Unclear::Store)?;
        Ok(match found.as_ref().and_then(Record::read).filter(|found| found.uid() == uid) {
            None => Standing::Dangling,
            Some(found) if found.is_kept_by(FOREGROUND) && found.revision > self.seen => {
                return Err(Unclear::Ahead);
            }
            Some(found) if found.is_kept_by(FOREGROUND) => Standing::Waiting,
            Some(_) => Standing::Solid,
        })
    }
}
