//! Between the hub and the store, and from the store to the version that a client asks for.

use std::sync::Arc;

use hubgen_definitions::Version;
use hubgen_machinery::json::EncodeError;
use hubgen_machinery::protobuf::{Envelope, Unknown};
use hubgen_machinery::reflect::TypeMeta;
use hubgen_machinery::scheme::{KindEntry, Object, Scheme};

use super::Objects;
use super::error::Error;
use super::hub::Hub;
use super::unfit::Unfit;
use super::unreadable::Unreadable;
use crate::media::Media;
use crate::objectmeta;
use crate::store::KeyValue;

impl Objects {
    /// Converts an object to its storage version.
    ///
    /// # Errors
    /// If the stash for what the storage version cannot represent does not fit into annotations.
    pub(crate) fn to_stored(&self, hub: Hub, name: &str) -> Result<Object, Error> {
        let (entry, scheme) = (Arc::clone(&hub.from), &self.catalog.scheme);
        let mut object = hub
            .at(self.catalog.storage_versions.for_kind(&entry, scheme), scheme)
            .map_err(Error::conversion(&entry, name))?;
        objectmeta::clear(&mut *object.value, "resourceVersion");
        objectmeta::clear(&mut *object.value, "selfLink");
        Ok(object)
    }

    /// The media type in which objects of a kind are stored.
    fn stored_media(&self, entry: &KindEntry) -> Media {
        self.catalog.coverage.stored(entry, self.backing.storage_media)
    }

    /// Encodes an object for the store.
    ///
    /// # Errors
    /// If it contains a value that JSON cannot represent.
    pub(crate) fn encode(&self, object: &Object) -> Result<Vec<u8>, EncodeError> {
        self.stored_media(&object.entry).encode(object)
    }

    /// Encodes an object that replaces a stored one. Unknown fields that a newer server has written
    /// into the stored value are preserved, if the version and the encoding stay the same.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub(crate) fn encode_over(&self, object: &Object, stored: &KeyValue) -> Result<Vec<u8>, EncodeError> {
        match (self.stored_media(&object.entry), unknown_in(stored, object)) {
            (Media::Protobuf, Some(unknown)) => Ok(object.encode_protobuf_with(&unknown)),
            _ => self.encode(object),
        }
    }

    /// Decodes a stored value. The value itself specifies its version and encoding.
    ///
    /// # Errors
    /// If the bytes are not an object of a kind that this server knows.
    pub(crate) fn decode_stored(&self, stored: &KeyValue) -> Result<Object, Unreadable> {
        decoded(&self.catalog.scheme, stored)
    }

    /// What clients see of an object that is stored with this value, at its stored version. It is the object itself, unless
    /// reading it sets defaults.
    ///
    /// # Errors
    /// If the value cannot be read.
    pub(super) fn read_back(&self, object: Object, value: &[u8]) -> Result<Object, Error> {
        if object.entry.untyped.is_none() {
            return Ok(object);
        }
        let read = Object::decode(&object.entry, value);
        read.map(|(object, _)| object).map_err(|error| Error::Internal(error.to_string()))
    }

    /// From the store to the client: converts to the requested version, and sets `resourceVersion`
    /// to the revision at which the object was read.
    ///
    /// # Errors
    /// If the object does not convert from its stored version to the requested one.
    pub(crate) fn answer(&self, stored: Object, to: &Arc<KindEntry>, revision: u64) -> Result<Object, Unfit> {
        self.at_version(stored, to).map(|object| at_revision(object, revision))
    }

    /// Converts objects from their stored versions to the requested one, as [`at_version`](Self::at_version) does; but whoever
    /// makes other versions of them is asked once. The results are in the order of the objects.
    pub(super) fn all_at_version(
        &self,
        stored: Vec<Object>,
        to: &Arc<KindEntry>,
    ) -> Vec<Result<Object, Unfit>> {
        let Some(version) = Version::of(to) else {
            return stored.into_iter().map(|object| self.at_version(object, to)).collect();
        };
        let mut asked = Vec::new();
        let place = |object: Object| {
            if object.entry == *to || !object.entry.is_family_of(to) {
                return Ok(object);
            }
            let unfit = Unfit::converting(&object, to);
            asked.push(object);
            Err(unfit)
        };
        let places: Vec<_> = stored.into_iter().map(place).collect();
        let mut converted = version.convert_many(asked).into_iter();
        let each = places.into_iter().map(|place| match place {
            Ok(object) => self.at_version(object, to),
            Err(unfit) => match converted.next().expect("each object that is converted has a result") {
                Ok(value) => Ok(Object { entry: Arc::clone(to), value }),
                Err(error) => Err(unfit(error.into())),
            },
        });
        each.collect()
    }

    /// Converts an object from its stored version to the requested one.
    ///
    /// # Errors
    /// As [`answer`](Self::answer).
    pub(crate) fn at_version(&self, stored: Object, to: &Arc<KindEntry>) -> Result<Object, Unfit> {
        let unfit = Unfit::converting(&stored, to);
        self.catalog.scheme.convert(stored, to).map_err(unfit)
    }
}

/// A stored object, at the version at which it is stored.
///
/// # Errors
/// If the bytes are not an object of a kind of the Scheme.
pub(super) fn decoded(scheme: &Scheme, stored: &KeyValue) -> Result<Object, Unreadable> {
    scheme.decode_stored(&stored.value).map_err(|error| Unreadable::new(stored, error))
}

/// Sets `resourceVersion` to the revision at which an object was read.
pub(crate) fn at_revision(mut object: Object, revision: u64) -> Object {
    objectmeta::set_text(&mut *object.value, "resourceVersion", &revision.to_string());
    object
}

/// The unknown fields of a stored object, if it has the same kind and version as `other`.
fn unknown_in(stored: &KeyValue, other: &Object) -> Option<Unknown> {
    let envelope = Envelope::decode(&stored.value).ok()?;
    let named = TypeMeta { api_version: envelope.api_version, kind: envelope.kind };
    if other.entry.type_meta() != Some(named) {
        return None;
    }
    let unknown = Unknown::collect(other.value.descriptor(), envelope.raw).ok()?;
    (!unknown.is_empty()).then_some(unknown)
}
