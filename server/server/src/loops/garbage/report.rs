//! Tells in an Event of an owner in another namespace, which is no owner.

use serde_json::json;

use super::super::record::{Key, Record, Uid};
use super::Garbage;
use super::references::{is_namespaced, key_of_owner, kind_of};
use crate::store;

/// The component that tells it, as upstream has it.
const COMPONENT: &str = "garbage-collector-controller";
/// How many objects of the owner's kind are looked at at a time.
const PAGE: usize = 500;

impl Garbage {
    /// Tells of the first owner of an object that is in another namespace.
    pub(super) async fn report(&mut self, key: &Key) -> Result<(), String> {
        let Some(object) = self.stored(key).await? else { return Ok(()) };
        let catalog = self.own.served.current();
        let namespace = &*object.metadata.namespace;
        for owner in object.owners() {
            let Some(entry) = kind_of(&catalog, owner).filter(|entry| is_namespaced(entry)) else { continue };
            let uid = Uid::from(&*owner.uid);
            let expected = key_of_owner(&catalog.scheme, owner, namespace);
            let is_it = |record: Option<Record>| record.is_some_and(|record| record.uid() == uid);
            if let Some(expected) = &expected
                && is_it(self.stored(expected).await?)
            {
                continue;
            }
            let prefix = catalog.scheme.storage_prefix(entry);
            let (found, _) = store::read_all(&*self.own.backing.store, &prefix, PAGE)
                .await
                .map_err(|error| error.to_string())?;
            let mut found = found.iter().filter_map(Record::read);
            if !found.any(|record| record.uid() == uid && *record.metadata.namespace != *namespace) {
                continue;
            }
            let message = format!(
                "ownerRef [{}/{}, namespace: {namespace}, name: {}, uid: {}] does not exist in namespace {namespace:?}",
                owner.api_version, owner.kind, owner.name, owner.uid
            );
            return self.tell(&object, &message).await;
        }
        Ok(())
    }

    async fn tell(&self, object: &Record, message: &str) -> Result<(), String> {
        let Record { api_version, kind, metadata, .. } = object;
        let now = self.own.backing.environment.now();
        let namespace = if metadata.namespace.is_empty() { "default" } else { &*metadata.namespace };
        let nanoseconds = now.0.as_nanosecond();
        let event = json!({
            "apiVersion": "v1", "kind": "Event",
            "metadata": {"name": format!("{}.{nanoseconds:x}", metadata.name), "namespace": namespace},
            "involvedObject": {
                "apiVersion": api_version, "kind": kind, "namespace": &*metadata.namespace, "name": &*metadata.name,
                "uid": &*metadata.uid,
            },
            "type": "Warning", "reason": "OwnerRefInvalidNamespace", "message": message,
            "source": {"component": COMPONENT}, "reportingComponent": COMPONENT,
            "firstTimestamp": now.to_string(), "lastTimestamp": now.to_string(), "count": 1,
        });
        self.own
            .work(
                COMPONENT,
                move |objects, write| async move { objects.create_document(&event, &write).await },
            )
            .await
    }
}
