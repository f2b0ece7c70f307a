//! Deletes an object that has to go with something else.

use std::sync::Arc;

use hubgen_machinery::json::Raw;
use hubgen_machinery::scheme::KindEntry;
use hubgen_meta::v1::DeleteOptions;

use crate::objects::{Collection, Error, Objects, Write};
use crate::store::{self, KeyValue};

/// Deletes a stored object of a kind, or begins to. `prefix` is that of the keys of the kind, which the server may not know. Returns
/// whether the object is gone.
///
/// The object is deleted as a client deletes it, so that admission is asked and finalizers are waited for. A value that no kind of
/// the server can read is deleted where it is stored, after its finalizers are gone, too.
///
/// # Errors
/// Those of any write.
pub(super) async fn remove(
    objects: &Objects,
    entry: Option<&Arc<KindEntry>>,
    prefix: &str,
    item: &KeyValue,
    options: &DeleteOptions,
    write: &Write,
) -> Result<bool, Error> {
    if let Some(entry) = entry {
        let place = String::from_utf8_lossy(item.key.get(prefix.len()..).unwrap_or_default()).into_owned();
        let (namespace, name) = place.split_once('/').unwrap_or(("", &place));
        let collection = Collection { entry: Arc::clone(entry), namespace: namespace.to_owned() };
        match objects.delete(&collection, name, options, write).await {
            Ok(deleted) => return Ok(deleted.is_gone()),
            Err(Error::NotFound(_)) => return Ok(true),
            // It is stored at a version that its definition does not have any more, or is not what its kind allows.
            Err(Error::Unreadable(_) | Error::Unconverted(_) | Error::Unfit(_)) => {}
            Err(error) => return Err(error),
        }
    }
    remove_unread(objects, item).await
}

/// Deletes a value that is of no kind that the server can read. Returns whether it is gone: not while it has finalizers.
async fn remove_unread(objects: &Objects, item: &KeyValue) -> Result<bool, Error> {
    let (store, revision) = (&objects.backing.store, item.mod_revision);
    let mut object = Raw::new(&item.value).and_then(|json| json.to_value()).unwrap_or_default();
    let metadata = &object["metadata"];
    let is_kept = metadata["finalizers"].as_array().is_some_and(|all| !all.is_empty());
    let written = if !is_kept {
        store.delete(item.key.clone(), revision).await
    } else if metadata["deletionTimestamp"].is_string() {
        return Ok(false);
    } else {
        object["metadata"]["deletionTimestamp"] = objects.backing.environment.now().to_string().into();
        object["metadata"]["deletionGracePeriodSeconds"] = 0.into();
        store.update(item.key.clone(), object.to_string().into_bytes(), revision).await
    };
    match written {
        Ok(_) => Ok(!is_kept),
        // Somebody else has written it: it is looked at again.
        Err(store::Error::Conflict { .. }) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
