//! What loops read of any stored object: which it is, who owns it, and what keeps it.

use std::sync::Arc;

use hubgen_machinery::json;
use hubgen_machinery::protobuf::Envelope;
use hubgen_machinery::reflect::Lent;
use hubgen_machinery::scalar::Time;
use hubgen_machinery::scheme::{KindEntry, Scheme};
use hubgen_machinery::{ApiType, Str, StrMap};
use hubgen_meta::v1::OwnerReference;
use ring::digest::{SHA256, digest};

use crate::objects::Collection;
use crate::store::KeyValue;

/// The key of a stored object.
pub(super) type Key = Arc<[u8]>;

/// The uid of an object. Those that are no UUIDs, which a client may write into a reference, have a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Uid(u128);

impl From<&str> for Uid {
    fn from(text: &str) -> Self {
        let digits = || text.bytes().filter(|byte| *byte != b'-');
        let is_uuid = text.len() == 36
            && text.bytes().enumerate().all(|(at, byte)| match at {
                8 | 13 | 18 | 23 => byte == b'-',
                _ => byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte),
            });
        if is_uuid {
            let digit = |byte| u128::from(char::from(byte).to_digit(16).unwrap_or_default());
            return Self(digits().fold(0, |uid, byte| uid << 4 | digit(byte)));
        }
        let digest = digest(&SHA256, text.as_bytes());
        Self(digest.as_ref().iter().take(16).fold(0, |uid, byte| uid << 8 | u128::from(*byte)))
    }
}

/// A stored object, of which most is skipped.
pub(super) struct Record {
    pub(super) key: Key,
    /// The revision at which it was written.
    pub(super) revision: u64,
    pub(super) api_version: String,
    pub(super) kind: String,
    pub(super) metadata: Metadata,
}

/// An object of any kind.
#[derive(ApiType)]
struct Partial {
    #[field(number = 1)]
    metadata: Metadata,
}

/// The part of metadata that loops know.
#[derive(ApiType)]
pub(super) struct Metadata {
    #[field(number = 1)]
    pub(super) name: Str,
    #[field(number = 3)]
    pub(super) namespace: Str,
    #[field(number = 5)]
    pub(super) uid: Str,
    #[field(number = 8)]
    pub(super) creation_timestamp: Option<Time>,
    #[field(number = 9)]
    pub(super) deletion_timestamp: Option<Time>,
    #[field(number = 12)]
    pub(super) annotations: StrMap<Str>,
    #[field(number = 13)]
    pub(super) owner_references: Vec<OwnerReference>,
    #[field(number = 14)]
    pub(super) finalizers: Vec<Str>,
    #[field(number = 17)]
    pub(super) managed_fields: Vec<Managed>,
}

/// When somebody has written fields last.
#[derive(ApiType)]
pub(super) struct Managed {
    #[field(number = 4)]
    time: Option<Time>,
}

impl Record {
    /// Reads a stored value; `None` if it is no object, which no loop can do anything about.
    pub(super) fn read(KeyValue { key, value, mod_revision, .. }: &KeyValue) -> Option<Self> {
        let mut partial = Partial::default();
        let object = Lent::new_mut(&mut partial);
        let (api_version, kind) = if Envelope::is_one(value) {
            let envelope = Envelope::decode(value).ok()?;
            envelope.decode_into(value, object).ok()?;
            (envelope.api_version.to_owned(), envelope.kind.to_owned())
        } else {
            let named = json::decode_into(value, object).ok()?;
            (named.api_version, named.kind)
        };
        let key = key.as_slice().into();
        Some(Self { key, revision: *mod_revision, api_version, kind, metadata: partial.metadata })
    }

    pub(super) fn uid(&self) -> Uid {
        Uid::from(&*self.metadata.uid)
    }

    pub(super) fn owners(&self) -> &[OwnerReference] {
        &self.metadata.owner_references
    }

    /// When it was written last, in whole seconds; `None` if it does not tell.
    pub(super) fn written(&self) -> Option<Time> {
        let Metadata { creation_timestamp, managed_fields, .. } = &self.metadata;
        managed_fields.iter().map(|managed| managed.time).chain([*creation_timestamp]).flatten().max()
    }

    pub(super) fn is_being_deleted(&self) -> bool {
        self.metadata.deletion_timestamp.is_some()
    }

    /// An annotation that is not empty.
    pub(super) fn annotation(&self, name: &str) -> Option<&str> {
        self.metadata.annotations.get(name).map(|value| &**value).filter(|value| !value.is_empty())
    }

    pub(super) fn has_finalizer(&self, name: &str) -> bool {
        self.metadata.finalizers.iter().any(|finalizer| *finalizer == *name)
    }

    /// Whether it is on its way out, and this finalizer keeps it.
    pub(super) fn is_kept_by(&self, finalizer: &str) -> bool {
        self.is_being_deleted() && self.has_finalizer(finalizer)
    }

    /// The kind, at the version at which the object is stored; `None` if the server does not know it.
    pub(super) fn entry<'s>(&self, scheme: &'s Scheme) -> Option<&'s Arc<KindEntry>> {
        scheme.named(&self.api_version, &self.kind)
    }

    /// The collection of the object, as [`entry`](Self::entry).
    pub(super) fn collection(&self, scheme: &Scheme) -> Option<Collection> {
        let entry = Arc::clone(self.entry(scheme)?);
        Some(Collection { entry, namespace: self.metadata.namespace.to_string() })
    }
}

/// A change of a stored object.
pub(super) struct Change {
    pub(super) key: Key,
    pub(super) old: Option<Record>,
    pub(super) new: Option<Record>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(value: &[u8]) -> KeyValue {
        KeyValue { key: b"k".to_vec(), value: value.to_vec(), create_revision: 1, mod_revision: 2 }
    }

    #[test]
    fn objects_are_read_whatever_they_are() {
        let value = br#"{"apiVersion":"a/v1","kind":"A","spec":{"x":[1]},"metadata":{"name":"n","uid":"u","labels":{"a":"b"},
            "finalizers":["f"],"creationTimestamp":"2026-01-01T00:00:00Z","deletionTimestamp":"2026-01-01T00:00:02Z",
            "managedFields":[{"manager":"m","time":"2026-01-01T00:00:01Z"},{"manager":"n"}],"ownerReferences":[{"apiVersion":"b/v1","kind":"B","name":"o","uid":"v"}]}}"#;
        let record = Record::read(&stored(value)).unwrap();
        assert_eq!((&*record.api_version, &*record.kind, &*record.metadata.name), ("a/v1", "A", "n"));
        assert_eq!(record.uid(), Uid::from("u"));
        assert_eq!(record.written(), Some("2026-01-01T00:00:01Z".parse().unwrap()));
        assert!(record.is_kept_by("f") && !record.has_finalizer("g"));
        assert_eq!(&*record.owners()[0].name, "o");
        assert!(Record::read(&stored(b"no object")).is_none());
    }

    #[test]
    fn uids_are_told_apart() {
        let uuid = "0b9f0c2e-6a4b-4c1e-9a53-0b9f0c2e6a4b";
        assert_eq!(Uid::from(uuid), Uid(0x0b9f_0c2e_6a4b_4c1e_9a53_0b9f_0c2e_6a4b));
        for other in ["", "a", "0B9F0C2E-6A4B-4C1E-9A53-0B9F0C2E6A4B", "0b9f0c2e6a4b4c1e9a530b9f0c2e6a4b"] {
            assert_ne!(Uid::from(uuid), Uid::from(other));
            assert_ne!(Uid::from("b"), Uid::from(other));
        }
    }
}
