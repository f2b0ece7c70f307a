//! Stores objects as they are, such as those that another server has had.

use hubgen_machinery::defaults::Context;
use hubgen_machinery::meta;
use hubgen_machinery::scheme::Object;

use super::error::Error;
use super::hub::Hub;
use super::{Collection, Objects, check_namespace};
use crate::objectmeta;
use crate::store::{self, Change};

impl Objects {
    /// Stores objects in JSON, in as few transactions as the store can: with all that a server manages, and without admission
    /// and validation. One whose name is taken is left as it is. Only the revision is that of the write.
    ///
    /// # Errors
    /// If one is not an object of its kind, or has no name.
    pub(crate) async fn store_as_they_are(&self, objects: Vec<(Collection, String)>) -> Result<(), Error> {
        let changes = objects.iter().map(|(collection, json)| self.as_it_is(collection, json.as_bytes()));
        let changes = changes.collect::<Result<_, _>>()?;
        for written in self.backing.store.write_all(changes).await? {
            match written {
                Ok(_) | Err(store::Error::Conflict { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn as_it_is(&self, collection: &Collection, json: &[u8]) -> Result<Change, Error> {
        let environment = &self.backing.environment;
        let decoded = Object::decode(&collection.entry, json);
        let (mut object, _) = decoded.map_err(|error| Error::Malformed(error.to_string()))?;
        object.set_defaults(&Context { now: environment.now() });
        check_namespace(collection, &mut *object.value)?;
        let name = meta::text(&*object.value, "name").to_owned();
        if name.is_empty() {
            let kind = &collection.entry.kind;
            return Err(Error::Malformed(format!("an object of kind {kind} has no name")));
        }
        if meta::text(&*object.value, "uid").is_empty() {
            objectmeta::set_text(&mut *object.value, "uid", &environment.uid());
        }
        if meta::time(&*object.value, "creationTimestamp").is_none() {
            meta::set_time(&mut *object.value, "creationTimestamp", Some(environment.now()));
        }
        let hub = Hub::from_object(object).map_err(Error::conversion(&collection.entry, &name))?;
        let value = self.encode(&self.to_stored(hub, &name)?)?;
        Ok(Change::Create { key: self.key(collection, &name), value })
    }
}
